package program

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"queryengine/pkg/bus"
	"queryengine/pkg/config"
	"queryengine/pkg/extension"
	"queryengine/pkg/session"
	"queryengine/pkg/snapshot"
	"queryengine/pkg/telemetry"
)

const (
	// natsPatience is how long a start waits for NATS, which may be starting too.
	natsPatience = 30 * time.Second
	// flushPatience bounds the sending of the last spans.
	flushPatience = 5 * time.Second
)

// Connector is a NATS server in this process (a *natsserver.Server).
type Connector interface {
	InProcessConn() (net.Conn, error)
}

// Env is what the services of one process share. Each makes its own view with For.
type Env struct {
	Values *config.Values
	Logger *slog.Logger
	// Metrics is where everything registers; Gatherer is what it adds up to, with the metrics of the Go runtime and the process.
	Metrics  prometheus.Registerer
	Gatherer prometheus.Gatherer
	// Tracing makes the spans of the process, when there are any.
	Tracing *telemetry.Tracing
	Bus     *bus.Bus
	// Decoder lets the services share metadata snapshots.
	Decoder *snapshot.Decoder
	// Log is where all lines of the process pass.
	Log *telemetry.Log
	// Code is the code of this build that metadata may name, nil for none.
	Code *extension.Set
	// Mount takes the handler of the gateway; nil to listen. Listen has the gateway listen, too.
	Mount  func(http.Handler)
	Listen bool

	export  *export
	release func()
}

// Open makes the Env of a process. inProcess is a NATS server inside of it, nil to connect
// to the one of the settings. The caller closes it.
func Open(ctx context.Context, name config.Service, v *config.Values, logs io.Writer, inProcess Connector) (_ *Env, err error) {
	release, err := session.UseVendor(config.VendorNames.Get(v))
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", config.VendorNames.Spec().Flag, err)
	}
	defer func() {
		if err != nil {
			release()
		}
	}()
	registry := prometheus.NewRegistry()
	log, err := telemetry.NewLog(logs, config.LogLevel.Get(v), config.EnabledLogTypes.Get(v))
	if err != nil {
		return nil, err
	}
	log.SetFormat(telemetry.Format(config.LogFormat.Get(v)))
	e := &Env{
		Values: v, Log: log, Logger: log.Logger(string(name)),
		Metrics: registry, Gatherer: prometheus.Gatherers{registry, telemetry.RuntimeMetrics()}, Decoder: &snapshot.Decoder{}, Tracing: telemetry.NewTracing(),
		release: release,
	}
	if flags := v.WithoutEffect(); len(flags) > 0 {
		e.Logger.Warn("settings without effect", "settings", flags)
	}
	if names, vendor := config.IgnoredVariables(os.Environ(), v); len(names) > 0 {
		e.Logger.Warn("variables of another engine are set and ignored", "variables", names,
			"advice", "set "+config.VendorNames.Spec().Name()+" to "+vendor)
	}
	if e.export, err = e.newExport(name); err != nil {
		return nil, err
	}
	if e.Bus, err = e.connect(ctx, name, inProcess); err != nil {
		return nil, err
	}
	if err := e.export.start(ctx); err != nil {
		e.Close()
		return nil, fmt.Errorf("telemetry: %w", err)
	}
	return e, nil
}

func (e *Env) connect(ctx context.Context, name config.Service, inProcess Connector) (*bus.Bus, error) {
	sealer, err := newSealer(e.Values)
	if err != nil {
		return nil, err
	}
	url := config.NATSURL.Get(e.Values).Reveal()
	if inProcess == nil && url == "" {
		return nil, fmt.Errorf("no NATS server: set --%s or %s", config.NATSURL.Spec().Flag, config.NATSURL.Spec().Env())
	}
	ctx, cancel := context.WithTimeout(ctx, natsPatience)
	defer cancel()
	return bus.Connect(ctx, bus.Config{
		URL:         url,
		InProcess:   inProcess,
		Name:        string(name),
		Credentials: config.NATSCredentials.Get(e.Values),
		Sealer:      sealer,
		Logger:      e.Logger,
		Registerer:  e.Metrics,
	})
}

// newSealer is what hides secrets in changes of the metadata. Without a key it opens changes that
// hold none.
func newSealer(v *config.Values) (bus.Sealer, error) {
	keys := config.MetadataKey.Get(v).Reveal()
	if keys == "" {
		return openSealer{}, nil
	}
	s, err := snapshot.NewSealer(keys)
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", config.MetadataKey.Spec().Flag, err)
	}
	return s, nil
}

// openSealer seals nothing.
type openSealer struct{ none *snapshot.Sealer }

func (openSealer) Seal(_ string, _ int64, data []byte) ([]byte, error) { return data, nil }

func (s openSealer) Open(streamID string, version int64, data []byte) ([]byte, error) {
	return s.none.Open(streamID, version, data)
}

// For is the Env as one service sees it: its lines and metrics carry its name.
func (e *Env) For(name config.Service) *Env {
	c := *e
	c.Logger = e.Log.Logger(string(name))
	c.Metrics = prometheus.WrapRegistererWith(prometheus.Labels{"service": string(name)}, e.Metrics)
	return &c
}

// Close leaves NATS, sends the last spans, and writes the last lines.
func (e *Env) Close() {
	defer e.Log.Flush()
	ctx, cancel := context.WithTimeout(context.Background(), flushPatience)
	defer cancel()
	if err := e.export.close(ctx); err != nil {
		e.Logger.Warn("last spans were not sent")
	}
	e.Bus.Close()
	e.release()
}
