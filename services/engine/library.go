package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"queryengine/pkg/config"
	"queryengine/pkg/extension"
	"queryengine/pkg/lifecycle"
	"queryengine/services/engine/internal/assembly"
	"queryengine/services/engine/internal/process"
)

// Config configures an engine inside of another program.
type Config struct {
	// Args are options as those of engine serve: --metadata-database-url=postgres://...
	Args []string
	// Env looks variables up, os.LookupEnv by default.
	Env func(string) (string, bool)
	// Logger gets the lines of the log, which go to the standard output without it.
	Logger *slog.Logger
	// Metrics takes the engine's metrics besides /v1/metrics, nil for nowhere else. Those of the Go runtime and the process
	// are left to you. Engines that share a registerer need labels: prometheus.WrapRegistererWith.
	Metrics prometheus.Registerer
	// Tracer makes the spans of requests, unless the metadata says where traces are sent to; nil for none.
	Tracer trace.TracerProvider
	// Listen has the gateway listen on --server-port, too. Otherwise Handler is the only way in.
	Listen bool
}

// Engine is the engine inside of another program. It is started once.
type Engine struct {
	config  Config
	values  *config.Values
	code    *extension.Set
	handler atomic.Pointer[http.Handler]
	state   lifecycle.State
	process *process.Process
	service lifecycle.Service
}

// New reads the settings; no I/O. Its error lists everything that is wrong with them and with the options.
func New(c Config, options ...Option) (*Engine, error) {
	code, err := codeOf(options)
	if err != nil {
		return nil, err
	}
	if c.Env == nil {
		c.Env = os.LookupEnv
	}
	values, err := config.Load(config.Engine, c.Args, c.Env, io.Discard)
	if err != nil {
		return nil, err
	}
	if err := assembly.Check(values, config.RunServices.Get(values)); err != nil {
		return nil, err
	}
	return &Engine{config: c, values: values, code: code}, nil
}

// Start starts the services, and returns when they take requests. ctx bounds the start only.
func (e *Engine) Start(ctx context.Context) error {
	return e.state.Start(func() error {
		p, err := process.Open(ctx, e.values, e.logs())
		if err != nil {
			return err
		}
		if err := e.start(ctx, p); err != nil {
			p.Close()
			return err
		}
		return nil
	})
}

func (e *Engine) start(ctx context.Context, p *process.Process) error {
	env := p.Env
	env.Use(e.code)
	env.Listen, env.Mount = e.config.Listen, func(h http.Handler) { e.handler.Store(&h) }
	if e.config.Tracer != nil {
		env.Tracing.Use(e.config.Tracer, true)
	}
	if collector, ok := env.Metrics.(prometheus.Collector); ok && e.config.Metrics != nil {
		if err := e.config.Metrics.Register(metrics{e, collector}); err != nil {
			return fmt.Errorf("metrics: %w", err)
		}
	}
	s, err := assembly.Services(env, config.RunServices.Get(e.values))
	if err != nil {
		return err
	}
	err = s.Start(ctx)
	if err == nil {
		err = ready(ctx, s)
	}
	if err != nil {
		s.Stop()
		return err
	}
	e.process, e.service = p, s
	return nil
}

// readyPoll is how often a start looks whether the services know the metadata.
const readyPoll = 10 * time.Millisecond

// ready waits until a service can do its work.
func ready(ctx context.Context, s lifecycle.Service) error {
	for s.Status() != nil {
		if !lifecycle.Sleep(ctx, readyPoll) {
			return fmt.Errorf("%w: %w", ctx.Err(), s.Status())
		}
	}
	return nil
}

// Stop waits for pending requests, for as long as --graceful-shutdown-timeout says.
func (e *Engine) Stop() {
	e.state.Stop(func() {
		e.service.Stop()
		e.process.Close()
	})
}

// Handler serves the engine's API: /v1/graphql, /v1/metadata, /console and so on. It answers 503 before Start.
func (e *Engine) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := e.handler.Load()
		if h == nil || e.state.Status() != nil {
			http.Error(w, "the engine is not running", http.StatusServiceUnavailable)
			return
		}
		(*h).ServeHTTP(w, r)
	})
}

// Client runs operations once [Client.As] has chosen a role.
func (e *Engine) Client() *Client { return &Client{code: e.code} }

func (e *Engine) logs() io.Writer {
	if e.config.Logger == nil {
		return os.Stdout
	}
	return logWriter{e.config.Logger}
}

// logWriter logs lines of the engine's log.
type logWriter struct{ to *slog.Logger }

// Write implements io.Writer; the engine writes whole lines.
func (w logWriter) Write(p []byte) (int, error) {
	for text := range bytes.Lines(p) {
		var line struct {
			Type   string          `json:"type"`
			Level  slog.Level      `json:"level"`
			Detail json.RawMessage `json:"detail"`
		}
		if err := json.Unmarshal(text, &line); err != nil {
			w.to.Info(string(bytes.TrimSpace(text)))
			continue
		}
		w.to.Log(context.Background(), line.Level, line.Type, "detail", line.Detail)
	}
	return len(p), nil
}

// Status is nil while the engine can answer.
func (e *Engine) Status() error {
	if err := e.state.Status(); err != nil {
		return err
	}
	return e.service.Status()
}

// metrics are those of an engine, none of one that isn't running. Which there are depends on what it does.
type metrics struct {
	engine *Engine
	all    prometheus.Collector
}

// Describe implements prometheus.Collector.
func (metrics) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (m metrics) Collect(c chan<- prometheus.Metric) {
	if m.engine.state.Status() == nil {
		m.all.Collect(c)
	}
}
