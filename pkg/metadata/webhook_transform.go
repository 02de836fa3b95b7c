package metadata

import (
	"encoding/json"
	"net/url"
	"strings"
	"unicode/utf8"

	"queryengine/pkg/apierror"
	"queryengine/pkg/transform"
)

// checkTransforms refuses transforms that can't be used, of an object that keeps them under
// the usual keys.
func checkTransforms(request, response json.RawMessage) error {
	if _, err := transform.CompileRequest(request); err != nil {
		return shapeAt(err, "request_transform")
	}
	_, err := transform.CompileResponse(response)
	return shapeAt(err, "response_transform")
}

// shapeAt adds the path to the error of a wrong shape; faults of templates stay with the object as a
// whole.
func shapeAt(err error, key string) error {
	if e := apierror.From(err); e != nil && e.Code == apierror.ParseFailed {
		return apierror.At(err, key)
	}
	return err
}

// TestWebhookTransform are the arguments of test_webhook_transform, which shows the request that a
// transform would make. Nothing is sent, and the environment of the server isn't read: variables are
// those of Env.
type TestWebhookTransform struct {
	URL              WebhookAddress    `json:"webhook_url" meta:"required"`
	Body             json.RawMessage   `json:"body" meta:"required"`
	Request          json.RawMessage   `json:"request_transform" meta:"required"`
	Response         json.RawMessage   `json:"response_transform"`
	Env              map[string]string `json:"env"`
	Headers          []headerPair      `json:"request_headers"`
	SessionVariables map[string]string `json:"session_variables"`
}

// WebhookAddress is an address, or the variable that holds it.
type WebhookAddress struct{ URL, FromEnv string }

// UnmarshalJSON reads a text or {"from_env"}.
func (w *WebhookAddress) UnmarshalJSON(raw []byte) error {
	*w = WebhookAddress{}
	if JSONType(raw) == "String" {
		return decode(raw, &w.URL)
	}
	var fields struct {
		Name string `json:"from_env" meta:"required"`
	}
	err := decode(raw, &fields)
	w.FromEnv = fields.Name
	return err
}

// headerPair is a header as [name, value].
type headerPair struct{ name, value string }

func (h *headerPair) UnmarshalJSON(raw []byte) error {
	var pair []string
	if err := decode(raw, &pair); err != nil {
		return err
	}
	if len(pair) != 2 {
		return apierror.Newf(apierror.ParseFailed, "cannot unpack array of length %d into a tuple of length 2", len(pair))
	}
	h.name, h.value = pair[0], pair[1]
	return nil
}

func (a *TestWebhookTransform) check() error { return checkTransforms(a.Request, a.Response) }

// Answer is the request that would be sent.
func (a *TestWebhookTransform) Answer(View) (json.RawMessage, error) {
	call, err := a.call()
	if err != nil {
		return nil, err
	}
	request, err := transform.CompileRequest(a.Request)
	if err != nil {
		return nil, err
	}
	changed, err := request.Apply(call, a.SessionVariables)
	if err != nil {
		return nil, transformInvalid(err)
	}
	headers := make([][2]string, len(changed.Headers))
	for i, h := range changed.Headers {
		headers[i] = [2]string{strings.ToLower(h.Name), h.Value}
	}
	return Encode(struct {
		URL     string          `json:"webhook_url"`
		Method  string          `json:"method"`
		Headers [][2]string     `json:"headers"`
		Body    json.RawMessage `json:"body"`
	}{changed.URL, changed.Method, headers, shownBody(changed.Body)})
}

// transformInvalid is the error of a transform that doesn't work for the given request.
func transformInvalid(err error) error {
	if faults, ok := err.(transform.FieldErrors); ok { //nolint:errorlint // Apply returns nothing else
		return faults.Invalid()
	}
	return err
}

// call is the request before its transform.
func (a *TestWebhookTransform) call() (transform.Call, error) {
	call := transform.Call{Method: "GET", Body: a.Body}
	var err error
	if call.URL, err = a.address(); err != nil {
		return call, err
	}
	if _, err := url.ParseRequestURI(call.URL); err != nil {
		return call, transform.FieldErrors{&transform.OutputError{Code: "Request Initialization Error", Message: err.Error()}}.Invalid()
	}
	for _, h := range a.Headers {
		value, err := a.expand(h.value)
		if err != nil {
			return call, err
		}
		call.Headers = append(call.Headers, transform.Header{Name: h.name, Value: value})
	}
	return call, nil
}

func (a *TestWebhookTransform) address() (string, error) {
	if a.URL.FromEnv == "" {
		return a.expand(a.URL.URL)
	}
	if value, ok := a.Env[a.URL.FromEnv]; ok {
		return value, nil
	}
	return "", apierror.New(apierror.NotFound, "Missing Env Var")
}

func (a *TestWebhookTransform) expand(text string) (string, error) {
	var missing []string
	expanded, err := Expand(text, func(name string) (string, bool) {
		value, ok := a.Env[name]
		if !ok {
			missing = append(missing, name)
		}
		return value, ok
	})
	switch {
	case len(missing) > 0:
		return "", apierror.New(apierror.NotFound, strings.ReplaceAll("Missing Env Var: <V>. For security reasons when testing "+
			"request options real environment variable values are not available. Please enter a mock value for <V> in the "+
			"Sample Env Variables list.", "<V>", missing[0]))
	case err != nil:
		return "", err
	case opensVariable(text):
		return "", apierror.New(apierror.ParseFailed, "Invalid Url Template")
	}
	return expanded, nil
}

// opensVariable reports whether braces are left open at the end of text.
func opensVariable(text string) bool {
	i := strings.LastIndex(text, "{{")
	return i >= 0 && !strings.Contains(text[i:], "}}")
}

// shownBody is a body as JSON: itself, or a text, which a removed one is too; null for
// bytes that are neither.
func shownBody(body []byte) json.RawMessage {
	switch {
	case !utf8.Valid(body):
		return json.RawMessage("null")
	case json.Valid(body):
		return body
	}
	text, err := Encode(string(body))
	if err != nil {
		return json.RawMessage("null")
	}
	return text
}
