package metadata

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"queryengine/pkg/apierror"
	metadatav1 "queryengine/proto/metadata/v1"
	"queryengine/services/metadata/internal/apply"
	"queryengine/services/metadata/internal/sourcehealth"
)

// metrics are the numbers of the service. Replicas have their own.
type metrics struct {
	requests *prometheus.HistogramVec
	errors   *prometheus.CounterVec
	seen     prometheus.Histogram
}

// newMetrics registers the metrics; r is nil for none.
func newMetrics(r prometheus.Registerer, engine *apply.Engine, health *sourcehealth.Monitor) (*metrics, error) {
	m := &metrics{
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "engine_metadata_request_seconds",
			Help:    "Time that requests of the metadata API took, by endpoint, without the wait for gateways.",
			Buckets: prometheus.ExponentialBuckets(0.001, 2.5, 12),
		}, []string{"endpoint"}),
		errors: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "engine_metadata_errors_total",
			Help: "Requests of the metadata API that failed, by the code of the error.",
		}, []string{"code"}),
		seen: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "engine_metadata_seen_seconds",
			Help:    "Time from a change until every gateway had seen it.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 2.5, 10),
		}),
	}
	if r == nil {
		return m, nil
	}
	gauge := func(name, help string, read func(*apply.State) float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 {
			if s := engine.State(); s != nil {
				return read(s)
			}
			return 0
		})
	}
	return m, errors.Join(
		r.Register(healthCollector{health}), r.Register(m.requests), r.Register(m.errors), r.Register(m.seen),
		r.Register(gauge("engine_metadata_version", "The resource version that this process knows.",
			func(s *apply.State) float64 { return float64(s.Version) })),
		r.Register(gauge("engine_metadata_inconsistent_objects", "Inconsistent objects of the metadata.",
			func(s *apply.State) float64 { return float64(len(s.Inconsistent)) })),
		r.Register(prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "engine_metadata_resolutions_total",
			Help: "How often the metadata was resolved and checked as a whole: at least once for each change.",
		}, func() float64 { return float64(engine.Resolutions()) })),
	)
}

var endpointNames = map[metadatav1.ApplyRequest_Endpoint]string{
	metadatav1.ApplyRequest_ENDPOINT_V1_METADATA: "/v1/metadata",
	metadatav1.ApplyRequest_ENDPOINT_V1_QUERY:    "/v1/query",
	metadatav1.ApplyRequest_ENDPOINT_V2_QUERY:    "/v2/query",
}

// done counts a request.
func (m *metrics) done(endpoint metadatav1.ApplyRequest_Endpoint, began time.Time, err error) {
	m.requests.WithLabelValues(endpointNames[endpoint]).Observe(time.Since(began).Seconds())
	if err != nil {
		m.errors.WithLabelValues(string(apierror.From(err).Code)).Inc()
	}
}

// healthCollector shows the health of the sources.
type healthCollector struct{ monitor *sourcehealth.Monitor }

var sourceHealthDesc = prometheus.NewDesc("engine_source_health",
	"Health of a source: 0 OK, 1 TIMEOUT, 2 FAILED, 3 ERROR.", []string{"source_name"}, nil)

// Describe implements prometheus.Collector.
func (healthCollector) Describe(c chan<- *prometheus.Desc) { c <- sourceHealthDesc }

// Collect implements prometheus.Collector.
func (h healthCollector) Collect(c chan<- prometheus.Metric) {
	for name, r := range h.monitor.Reports() {
		c <- prometheus.MustNewConstMetric(sourceHealthDesc, prometheus.GaugeValue, r.Status.Number(), name)
	}
}
