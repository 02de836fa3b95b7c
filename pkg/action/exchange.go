package action

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"queryengine/pkg/apierror"
	"queryengine/pkg/egress"
	"queryengine/pkg/metadata"
	"queryengine/pkg/transform"
)

// exchange is a call and its answer, as errors show it to callers that may see it.
type exchange struct {
	handler     *Handler
	payload     []byte
	transformed *transform.Call
	response    *egress.Response
}

// maxShown bounds the bodies that errors show.
const maxShown = 64 << 10

// interpret makes a value or an error of the body of an answer, after its transform.
func (e *exchange) interpret(body []byte) ([]byte, error) {
	var any json.RawMessage
	if err := json.Unmarshal(body, &any); err != nil {
		return nil, e.unexpected("not a valid json response from webhook", "invalid JSON: "+err.Error())
	}
	switch status := e.response.Status; {
	case status >= 200 && status < 300:
		d := &e.handler.action.Meta.Definition
		if reason := misfit(any, &d.OutputType, e.handler.action.Output); reason != "" {
			return nil, e.unexpected(reason, "unexpected response")
		}
		return any, nil
	case status >= 400 && status < 500:
		return nil, e.refusal(any)
	default:
		return nil, e.unexpected("internal error", fmt.Sprintf("expecting 2xx or 4xx status code, but found %d", status))
	}
}

// refusal is the error that a handler answered with.
func (e *exchange) refusal(body json.RawMessage) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil || fields == nil {
		return e.with(apierror.New(apierror.ParseFailed, "parsing ActionWebhookErrorResponse failed, expected Object"), "unexpected response")
	}
	message, given := fields["message"]
	if !given {
		return e.with(apierror.New(apierror.ParseFailed, `key "message" not found`), "unexpected response")
	}
	refused := apierror.New(apierror.Unexpected, "").WithStatus(e.response.Status)
	if err := json.Unmarshal(message, &refused.Message); err != nil || string(message) == "null" {
		wrong := apierror.New(apierror.ParseFailed, "parsing Text failed, expected String, but encountered another type")
		return e.with(wrong, "unexpected response")
	}
	var code string
	if json.Unmarshal(fields["code"], &code) == nil && code != "" {
		refused.Code = apierror.Code(code)
	}
	if extensions := fields["extensions"]; len(extensions) > 0 && string(extensions) != "null" {
		refused.Extensions = extensions
	}
	return refused
}

// unreachable is the error of a call without an answer.
func (e *exchange) unreachable(err error) error {
	var failed *egress.Error
	if !errors.As(err, &failed) {
		return err
	}
	return e.unexpected("http exception when calling webhook", struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	}{failed.Type(), failed.Error()})
}

// failed is the error of a transform, with all of its faults.
func failed(message string, err error) error {
	return apierror.New(apierror.Unexpected, message).WithInternal(err)
}

func (e *exchange) unexpected(message string, detail any) error {
	return e.with(apierror.New(apierror.Unexpected, message), detail)
}

// with adds what went over the wire to an error.
func (e *exchange) with(err error, detail any) error {
	return apierror.From(err).WithInternal(struct {
		Error    any             `json:"error"`
		Request  json.RawMessage `json:"request"`
		Response any             `json:"response"`
	}{detail, e.request(), e.answer()})
}

// description is a call, with the address and headers as the metadata has them.
type description struct {
	URL         string            `json:"url"`
	Headers     []metadata.Header `json:"headers"`
	Body        json.RawMessage   `json:"body"`
	Transformed any               `json:"transformed_request"`
}

func (e *exchange) describe() description {
	d := &e.handler.action.Meta.Definition
	shown := description{URL: d.Handler, Headers: append([]metadata.Header{}, d.Headers...), Body: e.payload}
	if len(e.payload) > maxShown {
		shown.Body = json.RawMessage("null")
	}
	if e.transformed != nil {
		shown.Transformed = struct {
			Method string `json:"method"`
			Body   any    `json:"body"`
		}{e.transformed.Method, body(e.transformed.Body)}
	}
	return shown
}

// request is the description as JSON.
func (e *exchange) request() json.RawMessage {
	raw, err := metadata.Encode(e.describe())
	if err != nil {
		return json.RawMessage("null")
	}
	return raw
}

// answer describes the answer, nil for none.
func (e *exchange) answer() any {
	if e.response == nil {
		return nil
	}
	type header struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	headers := []header{}
	for _, name := range slices.Sorted(maps.Keys(e.response.Header)) {
		if name == "Content-Length" || name == "Date" {
			continue // they say nothing about the handler
		}
		for _, value := range e.response.Header[name] {
			headers = append(headers, header{name, value})
		}
	}
	return struct {
		Status  int      `json:"status"`
		Headers []header `json:"headers"`
		Body    any      `json:"body"`
	}{e.response.Status, headers, body(e.response.Body)}
}

// body is a body as JSON, or as text when it is none.
func body(raw []byte) any {
	switch {
	case len(raw) > maxShown:
		return nil
	case json.Valid(raw):
		return json.RawMessage(raw)
	}
	return string(raw)
}
