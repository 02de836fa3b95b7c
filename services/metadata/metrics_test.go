package metadata

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
)

func TestMetrics(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	registry := prometheus.NewRegistry()
	w.metrics = registry
	i := w.start(t)
	i.ok(t, `{"type":"export_metadata","args":{}}`)
	i.fails(t, v1metadata, `{"type":"fly","args":{}}`, "parse-failed", "$", `unknown metadata command "fly"; "fly" was not recognized as a valid backend name`)
	found := map[string]float64{}
	families, err := registry.Gather()
	require.NoError(t, err)
	for _, f := range families {
		m := f.GetMetric()[0]
		found[f.GetName()] = m.GetGauge().GetValue() + m.GetCounter().GetValue() + float64(m.GetHistogram().GetSampleCount())
	}
	require.Equal(t, map[string]float64{
		"engine_metadata_request_seconds":      2,
		"engine_metadata_errors_total":         1,
		"engine_metadata_seen_seconds":         0,
		"engine_metadata_version":              float64(i.version()),
		"engine_metadata_inconsistent_objects": 0,
		"engine_metadata_resolutions_total":    float64(i.engine.Resolutions()),
	}, found)
}
