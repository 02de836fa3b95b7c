package telemetry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"reflect"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/resource"
)

// Export configures what is sent to OpenTelemetry collectors, over HTTP in protobuf. The zero value
// sends nothing.
type Export struct {
	// Traces, Metrics and Logs are the URLs that these are sent to, as they are; empty for
	// not at all.
	Traces, Metrics, Logs string
	// Headers go with each call. They may be secrets.
	Headers map[string]string
	// Attributes describe the resource besides service.name and service.version, or in their
	// place.
	Attributes map[string]string
	// BatchSize is the most spans and log lines of a call.
	BatchSize int
	// W3C reads and writes traces in the headers of W3C, too.
	W3C bool
}

const (
	// queueSize bounds the spans, and the log lines, that wait to be sent.
	queueSize = 2048
	// sendEvery is how long spans and log lines wait at most for others to go with.
	sendEvery = 5 * time.Second
	// metricsEvery is how often metrics are sent.
	metricsEvery = 15 * time.Second
	// sendTimeout bounds a call with all its retries.
	sendTimeout = 10 * time.Second
	// defaultBatch is the size of batches unless configured.
	defaultBatch = 512
)

// ExporterConfig is what an Exporter works with.
type ExporterConfig struct {
	// Service is the name of the program, Version its version.
	Service, Version string
	// Gatherer provides the metrics.
	Gatherer prometheus.Gatherer
	// Registerer takes the metrics of the exporter itself, nil for none.
	Registerer prometheus.Registerer
	// Tracing is where spans come from, Logs where log lines do; nil for nowhere.
	Tracing *Tracing
	Logs    *Log
	// Transport makes the calls, that of net/http by default.
	Transport http.RoundTripper
	// Logger logs when a collector can't be reached, and when it can again.
	Logger *slog.Logger
}

// Exporter sends traces, metrics and logs where its settings say. A collector that fails or hangs
// costs memory up to a bound, and then what it was to get: requests never wait for it.
type Exporter struct {
	config   ExporterConfig
	counters *exportCounters

	mu      sync.Mutex
	applied Export
	stop    []func(context.Context) error
	ending  sync.WaitGroup
}

// NewExporter returns an Exporter that sends nothing yet.
func NewExporter(c ExporterConfig) *Exporter {
	if c.Logger == nil {
		c.Logger = Discard()
	}
	return &Exporter{config: c, counters: newExportCounters(c.Registerer)}
}

// Apply exports as x says from now on. Items queued for the previous targets are still sent to them.
// When it fails, nothing has changed.
func (e *Exporter) Apply(ctx context.Context, x Export) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if reflect.DeepEqual(x, e.applied) {
		return nil
	}
	for _, address := range []string{x.Traces, x.Metrics, x.Logs} {
		if u, err := url.Parse(address); address != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
			return errors.New("the endpoint of a collector is not an HTTP URL")
		}
	}
	next, err := e.start(ctx, x)
	if err != nil {
		return err
	}
	before := e.stop
	e.applied, e.stop = x, next
	e.ending.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), sendTimeout)
		defer cancel()
		_ = stopAll(ctx, before) // what could not be sent is counted
	})
	return nil
}

// start makes the pipelines, and gives back what ends them.
func (e *Exporter) start(ctx context.Context, x Export) (stop []func(context.Context) error, err error) {
	defer func() {
		if err != nil {
			_ = stopAll(ctx, stop)
		}
	}()
	p := pipeline{exporter: e, export: x, resource: e.resource(x), client: &http.Client{Transport: e.config.Transport, Timeout: sendTimeout}}
	if x.BatchSize <= 0 {
		p.export.BatchSize = defaultBatch
	}
	if x.Metrics != "" {
		end, err := p.metrics(ctx)
		if err != nil {
			return stop, fmt.Errorf("set up the sending of metrics: %w", err)
		}
		stop = append(stop, end)
	}
	use := func() { e.config.Tracing.Use(nil, false) }
	if x.Traces != "" {
		provider, err := p.traces(ctx)
		if err != nil {
			return stop, fmt.Errorf("set up the sending of traces: %w", err)
		}
		stop = append(stop, provider.Shutdown)
		use = func() { e.config.Tracing.Use(provider, x.W3C) }
	}
	var tee func(Line)
	if x.Logs != "" && e.config.Logs != nil {
		provider, err := p.logs(ctx)
		if err != nil {
			return stop, fmt.Errorf("set up the sending of logs: %w", err)
		}
		stop = append(stop, provider.Shutdown)
		tee = sendTo(provider.Logger("queryengine"))
	}
	use()
	if e.config.Logs != nil {
		e.config.Logs.SetTee(tee)
	}
	return stop, nil
}

// Close sends what is queued, and stops exporting.
func (e *Exporter) Close(ctx context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.config.Tracing.Use(nil, false)
	if e.config.Logs != nil {
		e.config.Logs.SetTee(nil)
	}
	err := stopAll(ctx, e.stop)
	e.applied, e.stop = Export{}, nil
	e.ending.Wait() // each of them is bounded
	return err
}

func stopAll(ctx context.Context, list []func(context.Context) error) error {
	var errs []error
	for _, stop := range list {
		errs = append(errs, stop(ctx))
	}
	return errors.Join(errs...)
}

// resource describes this process.
func (e *Exporter) resource(x Export) *resource.Resource {
	described := map[string]string{"service.name": e.config.Service, "service.version": e.config.Version, "engine.service": e.config.Service}
	for name, value := range x.Attributes {
		described[name] = value
	}
	attributes := make([]attribute.KeyValue, 0, len(described))
	for name, value := range described {
		attributes = append(attributes, attribute.String(name, value))
	}
	return resource.NewSchemaless(attributes...)
}

// TracesURL checks the address of a collector, and adds the path of traces to a base URL.
func TracesURL(endpoint string) (string, error) {
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", fmt.Errorf("%q is not an HTTP URL", endpoint)
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = "/v1/traces"
	}
	return u.String(), nil
}
