// Package console serves the console of a project: it forwards the requests of the browser to a server, with the
// secret that the project has, and writes what they change into the directory, metadata as its files and SQL
// as migrations.
//
// It keeps nothing but what the files were when it last wrote them. One change is made at a time. Before one,
// the files have to be those of the server, so that nothing that was written by hand is lost; if a change can't
// be written it says so with its answer.
package console

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httputil"
	"net/url"
	"time"

	"queryengine/pkg/metadata"
	"queryengine/services/engine/internal/project"
	"queryengine/services/engine/internal/remote"
)

// Config is what a console works on.
type Config struct {
	Project *project.Config
	Server  *remote.Client
	// Path is where Page, which serves the console itself, is responsible.
	Path string
	Page http.Handler
	// Timeout bounds one change.
	Timeout time.Duration
	// Say tells the one who started the program what was written, and what could not be.
	Say func(format string, args ...any)
}

// writePath is where the page asks for the metadata to be written again.
const writePath = "/project/metadata"

// Console is the handler. It is safe for concurrent use.
type Console struct {
	Config
	registry *metadata.Registry
	forward  *httputil.ReverseProxy
	guard    *guard
	// changing is held by the change that is made.
	changing chan struct{}
	// hash is that of the files when they were last seen to be the metadata of the server, "" for never.
	hash string
}

// New returns a console for requests that are sent to a host, without a port; "" stands for all addresses of the
// machine.
func New(c Config, host string) *Console {
	return &Console{
		Config: c, registry: metadata.NewRegistry(metadata.Kinds{}), forward: c.Server.Forwarder(), guard: newGuard(host),
		changing: make(chan struct{}, 1),
	}
}

// Link is a path with which a browser may use the console; one that is used once can be shown to others.
func (c *Console) Link(once bool) string { return c.guard.link(once) }

// Close waits for the change that is made.
func (c *Console) Close() { c.changing <- struct{}{} }

// ServeHTTP answers a request of the browser.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Referrer-Policy", "no-referrer")
	if !c.guard.admit(w, r, c.Path) {
		return
	}
	api, isAPI := c.apis()[r.URL.Path]
	switch {
	case r.URL.Path == "/":
		http.Redirect(w, r, c.Path, http.StatusFound)
	case isPage(r, c.Path):
		c.Page.ServeHTTP(w, r)
	case r.URL.Path == writePath && r.Method == http.MethodPost:
		c.writeAgain(w, r)
	case isAPI && r.Method == http.MethodPost:
		c.serveOperation(w, r, api)
	default:
		c.forward.ServeHTTP(w, r)
	}
}

// apis are the endpoints of operations that may change something.
func (c *Console) apis() map[string]metadata.API {
	return map[string]metadata.API{"/v1/metadata": metadata.APIMetadata, "/v1/query": metadata.APIQueryV1, "/v2/query": metadata.APIQueryV2}
}

func isBelow(path, parent string) bool {
	return len(path) > len(parent) && path[:len(parent)] == parent && path[len(parent)] == '/'
}

// report is what was written of a change, for the page.
type report struct {
	// Files are how many files of the metadata are not what they were.
	Files int `json:"files,omitempty"`
	// Migrations are the directories that were made, as the project has them.
	Migrations []string `json:"migrations,omitempty"`
	// Down reports whether these have what takes them back.
	Down bool `json:"down,omitempty"`
	// Error is why something of it was not written, Differs that the files are not those of the server.
	Error   string `json:"error,omitempty"`
	Differs bool   `json:"differs,omitempty"`
}

// reportHeader is the header of answers that has the report, as JSON in percent-encoding.
const reportHeader = "X-Engine-Project"

func (r report) set(h http.Header) {
	if r.Files == 0 && len(r.Migrations) == 0 && r.Error == "" {
		return
	}
	text, _ := json.Marshal(r) // of texts and numbers
	h.Set(reportHeader, url.PathEscape(string(text)))
}

// writeAgain writes the metadata of the server over the files.
func (c *Console) writeAgain(w http.ResponseWriter, r *http.Request) {
	ctx, done, err := c.begin(r)
	if err != nil {
		return // the client has left
	}
	defer done()
	written := c.writeMetadata(ctx, made, report{})
	written.set(w.Header())
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(written)
}

// begin waits until no other change is made. A change goes on when its client leaves.
func (c *Console) begin(r *http.Request) (context.Context, func(), error) {
	select {
	case c.changing <- struct{}{}:
	case <-r.Context().Done():
		return nil, nil, r.Context().Err()
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), c.Timeout)
	return ctx, func() { cancel(); <-c.changing }, nil
}
