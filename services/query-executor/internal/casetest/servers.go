package casetest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	// RemotesFile holds what the remote schemas of a feature say of themselves, by their names. A
	// feature that has one sends requests to servers, whose addresses are in ServerVariables.
	RemotesFile = "remotes.json"
	// ServersFile holds what servers have answered in a case; there is none when none got a request.
	ServersFile = "want.servers.json"
)

// ServerVariables name the addresses of the servers of a feature: of its remote schema, and of the
// handler of its actions.
var ServerVariables = []string{"PEOPLE_URL", "HANDLER_URL"}

// call is one request to a server, and what came of it.
type call struct {
	Server string `json:"server"`
	Path   string `json:"path"`
	Body   string `json:"body"`
	Status int    `json:"status"`
	Answer string `json:"answer"`
}

func (c *call) key() string { return c.Server + " " + c.Path + " " + c.Body }

// ServerRecorder notes requests to servers.
type ServerRecorder struct {
	mu    sync.Mutex
	calls []*call
}

// Around is a server whose answers are noted.
func (r *ServerRecorder) Around(name string, server http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, in *http.Request) {
		body, _ := io.ReadAll(in.Body)
		in.Body = io.NopCloser(bytes.NewReader(body))
		answer := httptest.NewRecorder()
		server.ServeHTTP(answer, in)
		r.mu.Lock()
		r.calls = append(r.calls, &call{Server: name, Path: in.URL.Path, Body: string(body), Status: answer.Code, Answer: answer.Body.String()})
		r.mu.Unlock()
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
	})
}

// Take gives what was noted since it was called before, as JSON; nil for nothing. Calls that are
// made at once have no order.
func (r *ServerRecorder) Take(t testing.TB) []byte {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.calls) == 0 {
		return nil
	}
	slices.SortStableFunc(r.calls, func(a, b *call) int { return strings.Compare(a.key(), b.key()) })
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	require.NoError(t, e.Encode(r.calls))
	r.calls = nil
	return bytes.TrimSpace(b.Bytes())
}

// Servers answer with what was noted. They are an environment with their addresses.
type Servers struct {
	mu    sync.Mutex
	left  map[string][]*call
	urls  map[string]string
	count int
}

// NewServers starts servers that answer as those of a case did; raw is its ServersFile, nil for none.
func NewServers(t testing.TB, raw []byte) *Servers {
	t.Helper()
	s := &Servers{left: map[string][]*call{}, urls: map[string]string{}}
	if raw != nil {
		var list []*call
		require.NoError(t, json.Unmarshal(raw, &list))
		for _, c := range list {
			s.left[c.key()] = append(s.left[c.key()], c)
		}
		s.count = len(list)
	}
	for _, name := range ServerVariables {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, in *http.Request) { s.answer(w, in, name) }))
		t.Cleanup(server.Close)
		s.urls[name] = server.URL
	}
	return s
}

// Left is how many calls were not made.
func (s *Servers) Left() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count
}

// Env gives the addresses of the servers.
func (s *Servers) Env(name string) (string, bool) {
	url, ok := s.urls[name]
	return url, ok
}

func (s *Servers) answer(w http.ResponseWriter, in *http.Request, name string) {
	body, _ := io.ReadAll(in.Body)
	key := (&call{Server: name, Path: in.URL.Path, Body: string(body)}).key()
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.left[key]
	if len(list) == 0 {
		http.Error(w, "no recorded answer to "+key, http.StatusTeapot)
		return
	}
	s.left[key] = list[1:]
	s.count--
	w.WriteHeader(list[0].Status)
	_, _ = io.WriteString(w, list[0].Answer)
}
