package extension

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
)

// ErrUnknown reports that the build has no such code.
var ErrUnknown = errors.New("unknown handler")

// ErrNoSocket reports that the code has no WebSockets.
var ErrNoSocket = errors.New("the handler has no subscriptions")

// ErrPanicked is what clients see of code that panicked.
var ErrPanicked = errors.New("the handler failed unexpectedly")

// failedBody is the answer of code that panicked, in the form that handlers of all kinds answer errors in.
const failedBody = `{"message":"the handler failed unexpectedly","errors":[{"message":"the handler failed unexpectedly"}]}`

// Do runs the code that the request's URL names, on a goroutine of its own, and waits for its answer or the end of the
// context. Code that goes on after that keeps its place until it returns.
func (s *Set) Do(ctx context.Context, r *Request) (*Response, error) {
	h := s.find(r.URL.Host)
	if h == nil {
		return nil, fmt.Errorf("%w %q", ErrUnknown, r.URL.Host)
	}
	if err := enter(ctx, h.calls); err != nil {
		return nil, err
	}
	own := *r
	own.Body = bytes.Clone(r.Body) // the caller's buffer is reused, however long the code runs
	answer := make(chan *Response, 1)
	go func() {
		response := unanswered() // that of code which ends its goroutine
		defer func() {
			answer <- response
			<-h.calls
		}()
		response = s.serve(ctx, h, &own)
	}()
	select {
	case response := <-answer:
		return response, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// enter waits for a place, which the code leaves by receiving from places.
func enter(ctx context.Context, places chan struct{}) error {
	select {
	case places <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// unanswered is the answer of code that has none.
func unanswered() *Response {
	header := http.Header{"Content-Type": {"application/json"}}
	return &Response{Status: http.StatusInternalServerError, Header: header, Body: []byte(failedBody)}
}

// serve runs the code, whose panic is an answer.
func (s *Set) serve(ctx context.Context, h *registered, r *Request) (response *Response) {
	defer s.recover(ctx, h, func() { response = unanswered() })
	response = h.Serve(context.WithValue(ctx, setKey{}, s), r)
	if response.Failure != nil && response.Status >= http.StatusInternalServerError {
		s.logger.ErrorContext(ctx, "a handler failed", "handler", h.Name, "kind", string(h.Kind), "error", response.Failure.Error())
	}
	return response
}

func (s *Set) recover(ctx context.Context, h *registered, then func()) {
	if p := recover(); p != nil {
		s.LogPanic(ctx, h.Kind, h.Name, p)
		then()
	}
}

// LogPanic logs what code panicked with, and the stack of the caller.
func (s *Set) LogPanic(ctx context.Context, kind Kind, name string, panicked any) {
	s.logger.ErrorContext(ctx, "a handler panicked", "handler", name, "kind", string(kind), "panic", fmt.Sprint(panicked), "stack", string(debug.Stack()))
}
