package engine

import (
	"bytes"
	"context"
	"net/http"

	"queryengine/pkg/extension"
)

func serveHTTP(h http.Handler) func(context.Context, *extension.Request) *extension.Response {
	return func(ctx context.Context, call *extension.Request) *extension.Response {
		r, err := http.NewRequestWithContext(ctx, call.Method, call.URL.String(), bytes.NewReader(call.Body))
		if err != nil {
			return failure(&Error{Message: err.Error(), Status: http.StatusBadRequest})
		}
		r.Header, r.RequestURI = call.Header, call.URL.RequestURI()
		return extension.Answer(h, r)
	}
}
