package extension

import (
	"bytes"
	"io"
	"net/http"
)

// AuthenticationURL is the URL of the code that authenticates, "" for none.
func (s *Set) AuthenticationURL() string {
	for _, h := range s.Handlers() {
		if h.Kind == Authentication {
			return Scheme + "://" + h.Name
		}
	}
	return ""
}

// Answer has an http.Handler answer a request in memory.
func Answer(h http.Handler, r *http.Request) *Response {
	w := &writer{header: http.Header{}}
	h.ServeHTTP(w, r)
	w.WriteHeader(http.StatusOK)
	return &Response{Status: w.status, Header: w.header, Body: w.body.Bytes()}
}

// writer keeps what a handler writes.
type writer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (w *writer) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter; informational answers come before the one that counts.
func (w *writer) WriteHeader(status int) {
	if w.status == 0 && status >= http.StatusOK {
		w.status = status
	}
}

// Write implements http.ResponseWriter.
func (w *writer) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(p)
}

// Flush implements http.Flusher; the answer is read once it is complete.
func (w *writer) Flush() {}

// Transport has the code answer requests to its URLs, and next all others.
func (s *Set) Transport(next http.RoundTripper) http.RoundTripper { return transport{s, next} }

type transport struct {
	set  *Set
	next http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != Scheme {
		return t.next.RoundTrip(r)
	}
	var body []byte
	if r.Body != nil {
		defer func() { _ = r.Body.Close() }()
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
	}
	answer, err := t.set.Do(r.Context(), &Request{Method: r.Method, URL: r.URL, Header: r.Header, Body: body})
	if err != nil {
		return nil, err
	}
	return &http.Response{
		Status: http.StatusText(answer.Status), StatusCode: answer.Status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: answer.Header, Body: io.NopCloser(bytes.NewReader(answer.Body)), ContentLength: int64(len(answer.Body)), Request: r,
	}, nil
}
