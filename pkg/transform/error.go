package transform

import (
	"encoding/json"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/template"
)

// The texts of failed transforms.
const (
	requestInvalid  = "request transform validation failed"
	responseInvalid = "response transform validation failed"
)

// FieldErrors is everything that is wrong with a transform. It encodes to the list that clients
// see.
type FieldErrors []error

func (b FieldErrors) Error() string {
	texts := make([]string, len(b))
	for i, err := range b {
		texts[i] = err.Error()
	}
	return strings.Join(texts, "; ")
}

// Invalid is the error of the metadata API for a request transform that can't be used.
func (b FieldErrors) Invalid() *apierror.Error { return b.refusal(requestInvalid) }

// InvalidAnswer is the error of the metadata API for a response transform that can't be used.
func (b FieldErrors) InvalidAnswer() *apierror.Error { return b.refusal(responseInvalid) }

func (b FieldErrors) refusal(message string) *apierror.Error {
	return apierror.New(apierror.ValidationFailed, message).WithInternal(b)
}

// or is b as an error, nil when nothing is wrong.
func (b FieldErrors) or() error {
	if len(b) == 0 {
		return nil
	}
	return b
}

// add reports what is wrong with the field at a path; what it comes with itself is below that.
func (b FieldErrors) add(err error, path ...any) FieldErrors {
	return append(b, &FieldError{Path: strings.TrimPrefix(apierror.Path(path...), "."), Err: err})
}

// FieldError is what is wrong with a field of a transform. It encodes to what is wrong.
type FieldError struct {
	// Path of the field in the definition, as in body.template.
	Path string
	Err  error
}

func (e *FieldError) Error() string { return e.Err.Error() }

// Unwrap is what is wrong.
func (e *FieldError) Unwrap() error { return e.Err }

// MarshalJSON leaves the path out, which clients don't expect.
func (e *FieldError) MarshalJSON() ([]byte, error) { return json.Marshal(e.Err) }

// OutputError is what is wrong besides the templates.
type OutputError struct {
	Code    string          `json:"error_code"`
	Message string          `json:"message"`
	Value   json.RawMessage `json:"value,omitempty"`
}

func (f *OutputError) Error() string { return f.Code + ": " + f.Message }

func fault(message string) *OutputError {
	return &OutputError{Code: "TransformationError", Message: message}
}

func faultOf(message string, value any) *OutputError {
	f := fault(message)
	f.Value = template.Encode(value)
	return f
}
