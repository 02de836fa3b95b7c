package metadata

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"queryengine/pkg/apierror"
	"queryengine/pkg/transform"
)

// checkTransforms refuses transforms that can't be used, of an object that keeps them under
// the usual keys.
func checkTransforms(request, response json.RawMessage) error {
	if _, err := transform.CompileRequest(request); err != nil {
		return shapeAt(err, requestTransformKey)
	}
	_, err := transform.CompileResponse(response)
	return shapeAt(err, responseTransformKey)
}

// The keys of transforms.
const (
	requestTransformKey  = "request_transform"
	responseTransformKey = "response_transform"
)

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
	// Method, Answered and ShowPaths are this project's own. Method is that of the request before its transform.
	Method string `json:"method" meta:"default=GET"`
	// Answered is what the webhook answers, whose transform is tried, too.
	Answered *testedAnswer `json:"response"`
	// ShowPaths reports each fault which field of the transforms it is about.
	ShowPaths bool `json:"show_paths"`
}

// testedAnswer is what a webhook may answer.
type testedAnswer struct {
	Status int             `json:"status"`
	Body   json.RawMessage `json:"body" meta:"required"`
}

func (a *testedAnswer) check() error {
	if a.Status == 0 {
		a.Status = http.StatusOK
	}
	return nil
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

func (a *TestWebhookTransform) check() error {
	_, err := transform.CompileRequest(a.Request)
	_, responseErr := transform.CompileResponse(a.Response)
	return a.faults(shapeAt(err, requestTransformKey), shapeAt(responseErr, responseTransformKey))
}

// faults is the error of the request's transform, or else that of the answer's. When paths are requested, it has the faults of both.
func (a *TestWebhookTransform) faults(request, response error) error {
	err := cmp.Or(request, response)
	if err == nil || !a.ShowPaths {
		return err
	}
	located := slices.Concat(locate(request, requestTransformKey), locate(response, responseTransformKey))
	if len(located) == 0 {
		return err
	}
	return apierror.From(err).WithInternal(located)
}

// locatedFault is a fault with the field that it is about.
type locatedFault struct {
	Path string
	Err  error
}

// MarshalJSON adds the path to what the fault encodes to.
func (f locatedFault) MarshalJSON() ([]byte, error) {
	raw, err := Encode(f.Err)
	if err != nil {
		return nil, err
	}
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, err
	}
	fields["path"], err = Encode(f.Path)
	if err != nil {
		return nil, err
	}
	return json.Marshal(fields)
}

// locate lists the faults of a transform that is refused, with their paths below a key.
func locate(err error, key string) []locatedFault {
	if err == nil {
		return nil
	}
	faults, _ := apierror.From(err).Internal.(transform.FieldErrors)
	var list []locatedFault
	for _, f := range faults {
		if field := new(transform.FieldError); errors.As(f, &field) {
			list = append(list, locatedFault{Path: key + "." + field.Path, Err: field.Err})
		}
	}
	return list
}

// Answer is the request that would be sent, and what would be made of an answer.
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
		err = transformInvalid(err)
	}
	answered, responseErr := a.answered(request, call)
	if err := a.faults(err, responseErr); err != nil {
		return nil, err
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
		Answer  json.RawMessage `json:"response_body,omitempty"`
	}{changed.URL, changed.Method, headers, shownBody(changed.Body), answered})
}

// answered is what the transform makes of the answer, nil without one.
func (a *TestWebhookTransform) answered(request *transform.Request, call transform.Call) (json.RawMessage, error) {
	if a.Answered == nil {
		return nil, nil
	}
	response, err := transform.CompileResponse(a.Response)
	if err != nil {
		return nil, err
	}
	answer := transform.Answer{Status: a.Answered.Status, Body: a.Answered.Body, Session: a.SessionVariables}
	if request != nil {
		answer.Request = &call
	}
	body, err := response.Apply(answer)
	var faults transform.FieldErrors
	if errors.As(err, &faults) {
		return nil, faults.InvalidAnswer()
	}
	return shownBody(body), err
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
	call := transform.Call{Method: a.Method, Body: a.Body}
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
