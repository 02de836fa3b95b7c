package bus

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"google.golang.org/protobuf/proto"

	"queryengine/pkg/apierror"
	busv1 "queryengine/proto/bus/v1"
)

// ErrCutOff is in the chain of the error of a call whose answer broke off after a part of
// its body had been written: what the caller has must not pass for an answer. The reason
// is in the chain too, as an apierror.Error.
var ErrCutOff = errors.New("the answer was cut off")

// ErrForeignStream reports that the stream of metadata changes belongs to another metadata database, or
// was replaced while it was followed.
var ErrForeignStream = errors.New("the metadata stream belongs to another metadata database")

// ErrNoSnapshot reports that no snapshot is stored.
var ErrNoSnapshot = errors.New("there is no metadata snapshot")

// cutOffError is ErrCutOff with its reason.
type cutOffError struct{ reason error }

func (e *cutOffError) Error() string   { return ErrCutOff.Error() + ": " + e.reason.Error() }
func (e *cutOffError) Unwrap() []error { return []error{ErrCutOff, e.reason} }

// headedError is an error with a head.
type headedError struct {
	error
	head proto.Message
}

func (e *headedError) Unwrap() error { return e.error }

// WithHead returns err for a Handler to return: the caller's sink gets the head before the call fails with err, unless a part of the
// answer was written.
func WithHead(err error, head proto.Message) error { return &headedError{err, head} }

// headOf returns the head that WithHead gave an error, or nil.
func headOf(err error) proto.Message {
	var e *headedError
	if errors.As(err, &e) {
		return e.head
	}
	return nil
}

// failure is err as the caller gets it: cut off when a part of the body was written before.
func failure(err error, began bool) error {
	if !errors.Is(err, context.Canceled) {
		err = asAPIError(err)
	}
	if began {
		return &cutOffError{reason: err}
	}
	return err
}

// contextFailure is the error of a call whose context is done.
func contextFailure(ctx context.Context, began bool) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return failure(timedOut(), began)
	}
	return failure(ctx.Err(), began)
}

func asAPIError(err error) *apierror.Error {
	var e *apierror.Error
	if !errors.As(err, &e) && errors.Is(err, context.DeadlineExceeded) {
		return timedOut()
	}
	return apierror.From(err)
}

func timedOut() *apierror.Error {
	return apierror.New(apierror.Timeout, "the request took too long")
}

// unavailable is a fault that passes by itself.
func unavailable(message string) *apierror.Error {
	e := apierror.New(apierror.Unexpected, message).WithStatus(http.StatusServiceUnavailable)
	e.RetryAfter = 1
	return e
}

func noResponder(service string) *apierror.Error {
	return unavailable("no " + service + " is available")
}

func responderGone(service string) *apierror.Error {
	return unavailable("the " + service + " went away before its answer was complete")
}

func notConnected(reason error) *apierror.Error {
	return unavailable("the message bus is not connected").WithInternal(reason.Error())
}

func busy(service string) *apierror.Error {
	e := apierror.New(apierror.Busy, "every "+service+" is busy")
	e.RetryAfter = 1
	return e
}

// marshalError gives err as it crosses the bus. A detail that would not fit in a message
// is left out.
func marshalError(err error, limit int) []byte {
	e := asAPIError(err)
	m := &busv1.Error{
		Code:       string(e.Code),
		Path:       strings.ToValidUTF8(e.Path, "\uFFFD"),
		Message:    strings.ToValidUTF8(e.Message, "\uFFFD"),
		Status:     int32(e.Status),
		Internal:   e.InternalJSON(),
		RetryAfter: int32(e.RetryAfter),
		Extensions: e.Extensions,
	}
	if len(m.GetInternal()) > limit {
		m.Internal = nil
	}
	if len(m.GetExtensions()) > limit {
		m.Extensions = nil
	}
	b, _ := proto.Marshal(m) // only text that is not UTF-8 does not encode
	return b
}

func unmarshalError(b []byte) *apierror.Error {
	var m busv1.Error
	if err := proto.Unmarshal(b, &m); err != nil {
		return apierror.From(err)
	}
	e := &apierror.Error{
		Code:       apierror.Code(m.GetCode()),
		Path:       m.GetPath(),
		Message:    m.GetMessage(),
		Status:     int(m.GetStatus()),
		RetryAfter: int(m.GetRetryAfter()),
		Extensions: m.GetExtensions(),
	}
	if len(m.GetInternal()) > 0 {
		e.Internal = json.RawMessage(m.GetInternal())
	}
	return e
}
