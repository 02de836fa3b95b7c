// Package collectortest is an OpenTelemetry collector for tests: an HTTP server that takes
// traces, metrics and logs in protobuf, and shows what it got.
package collectortest

import (
	"compress/gzip"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	collectorlogs "go.opentelemetry.io/proto/otlp/collector/logs/v1"
	collectormetrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	collectortrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	"google.golang.org/protobuf/proto"
)

// Collector is a collector. It is safe for concurrent use.
type Collector struct {
	*httptest.Server

	mu      sync.Mutex
	status  int
	spans   []Span
	metrics []string
	lines   []string
	headers http.Header
	changed chan struct{}
}

// Span is a span as it came.
type Span struct {
	Name                    string
	TraceID, ID, ParentID   string
	Kind                    string
	Failed                  bool
	Attributes, OfResources map[string]string
}

// New starts a collector, which ends with the test. It takes traces at /v1/traces, metrics at
// /v1/metrics and logs at /v1/logs.
func New(t testing.TB) *Collector {
	t.Helper()
	c := &Collector{status: http.StatusOK, changed: make(chan struct{})}
	c.Server = httptest.NewServer(http.HandlerFunc(c.serve))
	t.Cleanup(c.Close)
	return c
}

// Answer sets the status of all answers from now on. Only calls answered with 200 are kept.
func (c *Collector) Answer(status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.status = status
}

// Spans are those received so far.
func (c *Collector) Spans() []Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.spans)
}

// Metrics are the names of metrics that came so far.
func (c *Collector) Metrics() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.metrics)
}

// Lines are the log lines that came so far.
func (c *Collector) Lines() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.lines)
}

// Header is that of the last call.
func (c *Collector) Header() http.Header {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.headers.Clone()
}

// Changed is closed when the next call has come.
func (c *Collector) Changed() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.changed
}

func (c *Collector) serve(w http.ResponseWriter, r *http.Request) {
	body, err := read(r)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.headers = r.Header.Clone()
	close(c.changed)
	c.changed = make(chan struct{})
	if c.status != http.StatusOK {
		w.WriteHeader(c.status)
		return
	}
	switch r.URL.Path {
	case "/v1/traces":
		err = c.takeSpans(body)
	case "/v1/metrics":
		err = c.takeMetrics(body)
	case "/v1/logs":
		err = c.takeLines(body)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
	}
}

func read(r *http.Request) ([]byte, error) {
	if r.Header.Get("Content-Encoding") != "gzip" {
		return io.ReadAll(r.Body)
	}
	unpacked, err := gzip.NewReader(r.Body)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(unpacked)
}

func (c *Collector) takeSpans(body []byte) error {
	var in collectortrace.ExportTraceServiceRequest
	if err := proto.Unmarshal(body, &in); err != nil {
		return err
	}
	for _, resource := range in.GetResourceSpans() {
		of := attributes(resource.GetResource().GetAttributes())
		for _, scope := range resource.GetScopeSpans() {
			for _, s := range scope.GetSpans() {
				c.spans = append(c.spans, Span{
					Name: s.GetName(), TraceID: hex.EncodeToString(s.GetTraceId()), ID: hex.EncodeToString(s.GetSpanId()),
					ParentID: hex.EncodeToString(s.GetParentSpanId()), Kind: s.GetKind().String(), Failed: s.GetStatus().GetCode() == 2,
					Attributes: attributes(s.GetAttributes()), OfResources: of,
				})
			}
		}
	}
	return nil
}

func (c *Collector) takeMetrics(body []byte) error {
	var in collectormetrics.ExportMetricsServiceRequest
	if err := proto.Unmarshal(body, &in); err != nil {
		return err
	}
	for _, resource := range in.GetResourceMetrics() {
		for _, scope := range resource.GetScopeMetrics() {
			for _, m := range scope.GetMetrics() {
				c.metrics = append(c.metrics, m.GetName())
			}
		}
	}
	return nil
}

func (c *Collector) takeLines(body []byte) error {
	var in collectorlogs.ExportLogsServiceRequest
	if err := proto.Unmarshal(body, &in); err != nil {
		return err
	}
	for _, resource := range in.GetResourceLogs() {
		for _, scope := range resource.GetScopeLogs() {
			for _, r := range scope.GetLogRecords() {
				c.lines = append(c.lines, r.GetBody().GetStringValue())
			}
		}
	}
	return nil
}

func attributes(list []*common.KeyValue) map[string]string {
	values := make(map[string]string, len(list))
	for _, a := range list {
		values[a.GetKey()] = a.GetValue().GetStringValue()
	}
	return values
}
