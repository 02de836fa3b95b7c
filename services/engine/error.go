package engine

import (
	"encoding/json"
	"errors"
	"net/http"

	"queryengine/pkg/extension"
)

// Error is an error that clients see. The text of any other error is only logged.
type Error struct {
	Message string
	// Code is extensions.code of the GraphQL error, none by default.
	Code string
	// Extensions are further extensions of the GraphQL error.
	Extensions map[string]any
	// Status is the answer's HTTP status, 400 by default. One of 500 and more has events and schedules tried again, as any
	// error does.
	Status int
}

// Error implements error.
func (e *Error) Error() string { return e.Message }

// extensions are all extensions of the GraphQL error.
func (e *Error) extensions() map[string]any {
	all := map[string]any{}
	for k, v := range e.Extensions {
		all[k] = v
	}
	if e.Code != "" {
		all["code"] = e.Code
	}
	return all
}

// internalMessage is what clients see of an error that is not an *Error.
const internalMessage = "internal error"

// failure is an error in the form of a handler that answers by HTTP.
func failure(err error) *extension.Response {
	var shown *Error
	if !errors.As(err, &shown) {
		shown = &Error{Message: internalMessage, Status: http.StatusInternalServerError}
	}
	status := shown.Status
	if status < http.StatusBadRequest {
		status = http.StatusBadRequest
	}
	body := map[string]any{"message": shown.Message}
	if extensions := shown.extensions(); len(extensions) > 0 {
		body["extensions"] = extensions
	}
	response := answer(status, body)
	response.Failure = err
	return response
}

func answer(status int, body any) *extension.Response {
	text, err := json.Marshal(body)
	if err != nil {
		return failure(err)
	}
	return &extension.Response{Status: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: text}
}
