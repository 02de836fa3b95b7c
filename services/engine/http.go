package engine

import (
	"bytes"
	"context"
	"net/http"

	"queryengine/pkg/extension"
)

func serveHTTP(h http.Handler) func(context.Context, *extension.Request) *extension.Response {
	return func(ctx context.Context, call *extension.Request) *extension.Response {
		w := &writer{header: http.Header{}}
		r, err := http.NewRequestWithContext(ctx, call.Method, call.URL.String(), bytes.NewReader(call.Body))
		if err != nil {
			return failure(&Error{Message: err.Error(), Status: http.StatusBadRequest})
		}
		r.Header, r.RequestURI = call.Header, call.URL.RequestURI()
		h.ServeHTTP(w, r)
		w.WriteHeader(http.StatusOK)
		return &extension.Response{Status: w.status, Header: w.header, Body: w.body.Bytes()}
	}
}

// writer keeps what a handler writes.
type writer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (w *writer) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *writer) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

// Write implements http.ResponseWriter.
func (w *writer) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(p)
}
