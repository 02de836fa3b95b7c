package live

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
)

func TestCountRemote(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	m := New(Deps{Metrics: NewMetrics(registry, true)})
	t.Cleanup(m.Close)
	m.CountRemote(Operation{Name: "Prices"}, 1)
	m.CountRemote(Operation{Name: "Prices"}, 1)
	m.CountRemote(Operation{Name: "Prices"}, -1)
	families, err := registry.Gather()
	require.NoError(t, err)
	require.Len(t, families, 1)
	require.Equal(t, "engine_active_subscriptions", families[0].GetName())
	one := families[0].GetMetric()[0]
	require.InDelta(t, 1, one.GetGauge().GetValue(), 0)
	labels := map[string]string{}
	for _, l := range one.GetLabel() {
		labels[l.GetName()] = l.GetValue()
	}
	require.Equal(t, map[string]string{"subscription_kind": "remote", "operation_name": "Prices", "parameterized_query_hash": ""}, labels)
}
