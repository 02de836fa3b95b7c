package delivery

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"queryengine/pkg/bus"
	"queryengine/pkg/egress"
	"queryengine/pkg/service"
	"queryengine/pkg/transform"
)

// maxAttempt bounds one attempt, even if the timeout of its trigger is longer.
const maxAttempt = 30 * time.Minute

// errCancelled reports that the worker stops: the attempt belongs to another one.
var errCancelled = errors.New("the worker stops")

// caller makes calls; an *egress.Client.
type caller interface {
	Do(ctx context.Context, r *egress.Request) (*egress.Response, error)
}

// do makes an attempt. Its only error is errCancelled.
func (w *Worker) do(ctx context.Context, a *Attempt) (Outcome, error) {
	t := a.Target
	original := transform.Call{Method: http.MethodPost, URL: t.URL, Headers: headers(t.Headers), Body: a.Body}
	call, err := t.Request.Apply(original, a.Session)
	if err != nil {
		w.logger.ErrorContext(ctx, "the request transform failed", "event_id", a.EventID, "webhook", t.Template, "error", err)
		return Outcome{EventID: a.EventID, State: Failed}, nil
	}
	if t.Timeout == 0 {
		return failed(w.now(), a, call, new(http.StatusInternalServerError), a.Described+" timed out while processing.", ""), nil
	}
	began := w.now()
	answer, err := w.send(ctx, a, call)
	if a.Sent != nil {
		c := Call{Began: began, Took: w.now().Sub(began), Sent: len(call.Body)}
		if answer != nil {
			c.Got, c.Status, c.Taken = len(answer.Body), answer.Status, answer.Status < http.StatusMultipleChoices
		}
		a.Sent(c)
	}
	var fault *egress.Error
	if errors.As(err, &fault) && fault.Kind == egress.Cancelled {
		return Outcome{}, errCancelled
	}
	w.log.write(ctx, w, &made{attempt: a, call: call, answer: answer, err: err})
	if err != nil {
		return failed(w.now(), a, call, nil, transportError(err, call, t), ""), nil
	}
	if answer.Status >= http.StatusMultipleChoices {
		return failed(w.now(), a, call, &answer.Status, string(answer.Body), answer.Header.Get("Retry-After")), nil
	}
	var seen *transform.Call
	if t.Request != nil {
		seen = &original
	}
	body, err := t.Response.Apply(transform.Answer{Status: answer.Status, Body: answer.Body, Request: seen, Session: a.Session})
	if err != nil {
		return failed(w.now(), a, call, new(http.StatusInternalServerError), string(encode(err)), ""), nil
	}
	return Outcome{EventID: a.EventID, State: Delivered, Invocation: &Invocation{
		Status: &answer.Status, Request: requestRecord(a, call), Response: deliveredRecord(a.Version, answer, body),
	}}, nil
}

// natsScheme begins the address of a subject.
const natsScheme = "nats://"

// send makes the call, to a webhook or to a subject. A subject answers with the place of the
// message in its stream.
func (w *Worker) send(ctx context.Context, a *Attempt, call transform.Call) (*egress.Response, error) {
	timeout := min(a.Target.Timeout, maxAttempt)
	subject, ok := strings.CutPrefix(call.URL, natsScheme)
	if !ok || w.publish == nil {
		return w.client.Do(ctx, &egress.Request{
			Method: call.Method, URL: call.URL, Header: header(call.Headers), Body: call.Body, Timeout: timeout,
		})
	}
	bounded, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	place, err := w.publish(bounded, bus.Event{Subject: subject, ID: messageID(a), Header: header(call.Headers), Body: call.Body}, w.replicas)
	switch {
	case ctx.Err() != nil:
		return nil, &egress.Error{Kind: egress.Cancelled}
	case err != nil:
		return nil, err
	}
	return &egress.Response{Status: http.StatusOK, Header: http.Header{}, Body: place}, nil
}

// messageID is the event's id until a stream has acknowledged the event. A redelivery has an id of its
// own, or the stream would drop it.
func messageID(a *Attempt) string {
	if a.Taken == 0 {
		return a.EventID
	}
	return a.EventID + ":" + strconv.Itoa(a.Taken)
}

// failed decides what follows on an attempt that failed.
func failed(now time.Time, a *Attempt, call transform.Call, status *int, message, retryAfter string) Outcome {
	o := Outcome{EventID: a.EventID, State: Failed, Invocation: &Invocation{
		Status: status, Request: requestRecord(a, call), Response: failedRecord(a.Version, message),
	}}
	switch wait := retryDelay(retryAfter); {
	case wait > 0:
		o.State, o.RetryAt = Waiting, now.Add(wait)
	case a.Tries < a.Target.Retries:
		o.State, o.RetryAt = Waiting, now.Add(a.Target.Interval)
	}
	return o
}

// Unprepared is the outcome of an attempt whose request couldn't even be made.
func Unprepared(a *Attempt, message string, now time.Time) Outcome {
	problem := encode(map[string]string{"error": message})
	return failed(now, a, transform.Call{Headers: headers(a.Target.Headers), Body: problem}, new(http.StatusInternalServerError), message, "")
}

// retryDelay reads Retry-After, of which only a positive number of seconds counts.
func retryDelay(text string) time.Duration {
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return 0
	}
	return time.Duration(n) * time.Second
}

// headers are the headers of a call before its transform. Those of the engine win.
func headers(configured []Header) []transform.Header {
	list := []transform.Header{
		{Name: "Content-Type", Value: "application/json"},
		{Name: "User-Agent", Value: service.UserAgent()},
	}
	for _, h := range configured {
		if !strings.EqualFold(h.Name, list[0].Name) && !strings.EqualFold(h.Name, list[1].Name) {
			list = append(list, transform.Header{Name: h.Name, Value: h.Value})
		}
	}
	return list
}

func header(list []transform.Header) http.Header {
	header := make(http.Header, len(list))
	for _, h := range list {
		header.Add(h.Name, h.Value)
	}
	if header.Get("User-Agent") == "" {
		header["User-Agent"] = []string{""} // a transform has removed it
	}
	return header
}

func encode(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage("null")
	}
	return text
}
