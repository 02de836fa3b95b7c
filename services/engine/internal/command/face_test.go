package command_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"queryengine/pkg/lifecycle"
)

// face is a service that answers as much as dev asks of a gateway.
type face struct {
	state    lifecycle.State
	host     string
	port     int
	document string // of export_metadata
	err      error  // of Start
	onStart  func()
	server   *http.Server

	mu   sync.Mutex
	body string
}

func (*face) Name() string { return "face" }

func (f *face) Start(ctx context.Context) error {
	return f.state.Start(func() error {
		if f.err != nil {
			return f.err
		}
		l, err := (&net.ListenConfig{}).Listen(ctx, "tcp4", net.JoinHostPort(f.host, strconv.Itoa(f.port)))
		if err != nil {
			return err
		}
		f.server = &http.Server{Handler: f, ReadHeaderTimeout: time.Second}
		go func() { _ = f.server.Serve(l) }() // until Stop
		if f.onStart != nil {
			f.onStart()
		}
		return nil
	})
}

func (f *face) Started() <-chan struct{} { return f.state.Started() }
func (f *face) Stop()                    { f.state.Stop(func() { _ = f.server.Close() }) }
func (f *face) Status() error            { return f.state.Status() }

func (f *face) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	switch {
	case strings.Contains(string(body), "export_metadata"):
		_, _ = io.WriteString(w, f.document)
	case strings.Contains(string(body), "replace_metadata"):
		f.mu.Lock()
		defer f.mu.Unlock()
		f.body = string(body)
	}
}

// replaced is the body of the replace_metadata request, if one came.
func (f *face) replaced() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.body
}
