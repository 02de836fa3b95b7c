package engine

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"queryengine/pkg/extension"
	"queryengine/pkg/session"
)

// Identity is who a request comes from.
type Identity struct {
	Role string
	// Variables are session variables, by names with or without the prefix x-engine-.
	Variables map[string]string
	// Expires ends WebSocket connections, never when it is zero.
	Expires time.Time
}

// ErrUnauthorized refuses a request with the status and the error of an authentication webhook's 401.
var ErrUnauthorized = errors.New("unauthorized")

// Authenticate has f identify the callers of requests without an admin secret, as an authentication webhook does.
// It gets the headers of the request. Any other error than [ErrUnauthorized] is logged and fails the request.
func Authenticate(f func(ctx context.Context, header http.Header) (Identity, error), options ...HandlerOption) Option {
	return option(extension.Handler{
		Kind: extension.Authentication, Name: "authenticate",
		Serve: func(ctx context.Context, r *extension.Request) *extension.Response {
			header := r.Header
			if r.Method == http.MethodPost {
				header = postedHeader(r.Body)
			}
			who, err := f(ctx, header)
			switch {
			case errors.Is(err, ErrUnauthorized):
				return answer(http.StatusUnauthorized, struct{}{})
			case err != nil:
				response := failure(err)
				response.Status = http.StatusInternalServerError
				return response
			}
			variables := map[string]string{}
			for name, value := range who.Variables {
				if own, ok := session.Canonical(name); ok {
					variables[own] = value
				} else {
					variables[session.Prefix+name] = value
				}
			}
			variables[session.RoleHeader] = who.Role
			if !who.Expires.IsZero() {
				variables["Expires"] = who.Expires.UTC().Format(http.TimeFormat)
			}
			return answer(http.StatusOK, variables)
		},
	}, options)
}

// postedHeader are the client's headers in the body that --auth-hook-mode POST sends.
func postedHeader(body []byte) http.Header {
	var call struct {
		Headers map[string]string `json:"headers"`
	}
	header := http.Header{}
	if json.Unmarshal(body, &call) == nil {
		for name, value := range call.Headers {
			header.Set(name, value)
		}
	}
	return header
}
