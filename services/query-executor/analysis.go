package queryexecutor

import (
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"queryengine/pkg/jsonwalk"
	"queryengine/pkg/metadata"
	"queryengine/pkg/telemetry"
)

// analysis measures what set_metrics_config asks for: of variables what kinds of JSON they are,
// of answers how large they are. Values never get into it.
type analysis struct {
	variables *prometheus.CounterVec
	answers   *prometheus.HistogramVec
}

func newAnalysis(r prometheus.Registerer, operation []string) analysis {
	return analysis{
		variables: telemetry.Register(r, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "engine_graphql_variables_total",
			Help: "Values of variables, by their kind of JSON, while the metadata asks for it.",
		}, append([]string{"type"}, operation...))),
		answers: telemetry.Register(r, prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "engine_graphql_response_size_bytes",
			Help:    "Sizes of answers before compression, while the metadata asks for it.",
			Buckets: prometheus.ExponentialBuckets(100, 10, 7),
		}, operation)),
	}
}

// count counts an operation as far as the metadata asks for it; operation are the labels that tell
// operations apart.
func (a *analysis) count(config *metadata.MetricsConfig, operation []string, values [][]byte, size int64) {
	if config.ResponseBody {
		a.answers.WithLabelValues(operation...).Observe(float64(size))
	}
	if config.QueryVariables {
		for _, value := range values {
			a.variables.WithLabelValues(append([]string{kindOf(value)}, operation...)...).Inc()
		}
	}
}

// kindOf is the kind of a JSON text, "missing" for none.
func kindOf(value []byte) string {
	kind := jsonwalk.KindOf(value)
	if kind == jsonwalk.Invalid {
		return "missing"
	}
	return strings.ToLower(kind.String())
}
