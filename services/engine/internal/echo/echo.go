// Package echo is a receiver for trying out webhooks: it prints each request as a line of JSON and
// answers as configured.
package echo

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
)

// maxBody is how many bytes of a body are read; a longer one is answered with 413.
const maxBody = 16 << 20

// Receiver answers requests and prints them.
type Receiver struct {
	// Headers reports whether the headers of requests are printed, too.
	Headers bool
	// GraphQL answers requests to /graphql, printed like the rest; nil for an answer like any other.
	GraphQL http.Handler

	answers  map[string][]byte // by path, "" for all others
	statuses map[string]int

	mu  sync.Mutex // of out
	out io.Writer
}

// New makes a receiver that prints to out. It answers 200 with {} until it is configured otherwise.
func New(out io.Writer) *Receiver {
	return &Receiver{
		answers:  map[string][]byte{"": []byte("{}")},
		statuses: map[string]int{"": http.StatusOK},
		out:      out,
	}
}

// Answer sets a body: TEXT or @FILE for all paths that have no answer of their own,
// /PATH=TEXT or /PATH=@FILE for one. It is an error when the file can't be read.
func (r *Receiver) Answer(spec string) error {
	path, text := forPath(spec)
	body := []byte(text)
	if file, ok := strings.CutPrefix(text, "@"); ok {
		var err error
		if body, err = os.ReadFile(file); err != nil {
			return err
		}
	}
	r.answers[path] = body
	return nil
}

// Status sets a status: CODE for all paths that have none of their own, /PATH=CODE for one. It is an
// error when that isn't a status from 200 to 599.
func (r *Receiver) Status(spec string) error {
	path, text := forPath(spec)
	status, err := strconv.Atoi(text)
	if err != nil || status < http.StatusOK || status > 599 {
		return fmt.Errorf("%q is not a status from 200 to 599", text)
	}
	r.statuses[path] = status
	return nil
}

// forPath splits an option for one path.
func forPath(spec string) (path, value string) {
	if path, value, ok := strings.Cut(spec, "="); ok && strings.HasPrefix(path, "/") {
		return path, value
	}
	return "", spec
}

// request is a line of the output.
type request struct {
	Method  string            `json:"method"`
	Path    string            `json:"path"` // with the query string
	Headers map[string]string `json:"headers,omitempty"`
	Body    any               `json:"body,omitempty"` // JSON as it came; text as a string
}

// ServeHTTP prints the request, then answers it.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, in *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, in.Body, maxBody))
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return
	} else if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if err := r.print(in, body); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if r.GraphQL != nil && in.URL.Path == "/graphql" {
		in.Body = io.NopCloser(bytes.NewReader(body))
		r.GraphQL.ServeHTTP(w, in)
		return
	}
	answer := of(r.answers, in.URL.Path)
	if json.Valid(answer) {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(of(r.statuses, in.URL.Path))
	_, _ = w.Write(answer) // a client that has gone needs no answer
}

func of[T any](values map[string]T, path string) T {
	if v, ok := values[path]; ok {
		return v
	}
	return values[""]
}

func (r *Receiver) print(in *http.Request, body []byte) error {
	line := request{Method: in.Method, Path: in.URL.RequestURI()}
	if r.Headers {
		line.Headers = make(map[string]string, len(in.Header))
		for name, values := range in.Header {
			line.Headers[name] = strings.Join(values, ", ")
		}
	}
	switch {
	case json.Valid(body):
		line.Body = json.RawMessage(body)
	case len(body) > 0:
		line.Body = string(body)
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text) // ends the line, and puts a body on one
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(line); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	_, err := r.out.Write(text.Bytes())
	return err
}
