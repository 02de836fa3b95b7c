package telemetry

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"queryengine/pkg/lifecycle"
)

// RuntimeMetrics returns a registry with the metrics of the Go runtime and the process.
func RuntimeMetrics() *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}

// MetricsHandler serves what a registry holds.
func MetricsHandler(g prometheus.Gatherer) http.Handler {
	return promhttp.HandlerFor(g, promhttp.HandlerOpts{})
}

// HealthHandler answers 200 OK while status is nil, else 503 with the problem.
func HealthHandler(status func() error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		if err := status(); err != nil {
			w.WriteHeader(http.StatusServiceUnavailable)
			fmt.Fprintf(w, "ERROR: %s\n", err)
			return
		}
		fmt.Fprintln(w, "OK")
	})
}

// StatusServer serves /healthz and /metrics, and profiles where its settings say.
type StatusServer struct {
	port    int
	handler *http.ServeMux
	state   lifecycle.State
	server  *http.Server
	address net.Addr
	failed  atomic.Pointer[error]
}

// statusPatience bounds an answer; a profile of the CPU takes 30 seconds unless asked otherwise.
const statusPatience = time.Minute

// NewStatusServer returns the server of a service on all addresses at port.
func NewStatusServer(port int, status func() error, metrics prometheus.Gatherer) *StatusServer {
	mux := http.NewServeMux()
	mux.Handle("GET /healthz", HealthHandler(status))
	mux.Handle("GET /metrics", MetricsHandler(metrics))
	return &StatusServer{port: port, handler: mux}
}

// ServeProfiles adds the profiles of the Go runtime at /debug/pprof, in the form that "go tool
// pprof" takes. The arguments of the program, which pprof serves too, are left out: they may hold
// secrets. Only before Start.
func (s *StatusServer) ServeProfiles() {
	s.handler.HandleFunc("GET /debug/pprof/{$}", pprof.Index)
	s.handler.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	s.handler.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	for _, name := range []string{"allocs", "block", "goroutine", "heap", "mutex", "threadcreate"} {
		s.handler.Handle("GET /debug/pprof/"+name, pprof.Handler(name))
	}
}

// Name is "status server".
func (*StatusServer) Name() string { return "status server" }

// Start listens.
func (s *StatusServer) Start(ctx context.Context) error {
	return s.state.Start(func() error {
		listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", ":"+strconv.Itoa(s.port))
		if err != nil {
			return fmt.Errorf("listen on port %d: %w", s.port, err)
		}
		s.address = listener.Addr()
		s.server = &http.Server{Handler: s.handler, ReadTimeout: 10 * time.Second, WriteTimeout: statusPatience}
		go func() {
			if err := s.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
				s.failed.Store(&err)
			}
		}()
		return nil
	})
}

// Address is where it listens; only after Start.
func (s *StatusServer) Address() net.Addr { return s.address }

// Started is closed once it listens.
func (s *StatusServer) Started() <-chan struct{} { return s.state.Started() }

// Stop ends it; answers under way get a second.
func (s *StatusServer) Stop() {
	s.state.Stop(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if s.server.Shutdown(ctx) != nil {
			_ = s.server.Close()
		}
	})
}

// Status is nil while it listens.
func (s *StatusServer) Status() error {
	if err := s.failed.Load(); err != nil {
		return *err
	}
	return s.state.Status()
}
