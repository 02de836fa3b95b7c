package queryexecutor

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/metadata"
	queryv1 "queryengine/proto/query/v1"
)

// TestMetricsConfigOfMetadata has operations measured as the metadata asks for it, from the next
// request on.
func TestMetricsConfigOfMetadata(t *testing.T) {
	t.Parallel()
	e := newFixture(t, "testdata/cases/shop", Config{})
	registry := prometheus.NewRegistry()
	e.metrics = newMetrics(registry, e.plans, true)
	ask := func() {
		t.Helper()
		require.NoError(t, e.execute(t.Context(), &queryv1.ExecuteRequest{
			Session:   adminSession().Proto(),
			Query:     `query Some($n: Int, $w: artist_bool_exp, $o: Int = 1) { artist(limit: $n, where: $w, offset: $o) { id } }`,
			Variables: []byte(`{"n": 2, "w": {"id": {"_gt": 1}}}`),
		}, &reply{}))
	}
	configure := func(text string) {
		next := *e.state.Load().snapshot
		document := *next.Document
		document.MetricsConfig = []byte(text)
		next.Document = &document
		next.Version++
		e.apply(&next)
	}
	ask()
	require.Zero(t, testutil.CollectAndCount(e.metrics.requests.analysis.variables))
	require.Zero(t, testutil.CollectAndCount(e.metrics.requests.analysis.answers))

	configure(`{"analyze_query_variables": true, "analyze_response_body": false}`)
	ask()
	kinds := map[string]float64{}
	families, err := registry.Gather()
	require.NoError(t, err)
	for _, f := range families {
		if f.GetName() != "engine_graphql_variables_total" {
			continue
		}
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				if l.GetName() == "type" {
					kinds[l.GetValue()] += m.GetCounter().GetValue()
				}
			}
		}
	}
	require.Equal(t, map[string]float64{"number": 2, "object": 1}, kinds)
	require.Zero(t, testutil.CollectAndCount(e.metrics.requests.analysis.answers))

	configure(`{"analyze_query_variables": false, "analyze_response_body": true}`)
	ask()
	require.Equal(t, 1, testutil.CollectAndCount(e.metrics.requests.analysis.answers))
}

func TestKindsOfVariables(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`"a"`: "string", ` {}`: "object", `[1]`: "array", `true`: "boolean", `false`: "boolean", `null`: "null", `-1.5`: "number", ``: "missing",
	} {
		require.Equal(t, want, kindOf([]byte(text)), text)
	}
	require.Nil(t, (&metadata.Document{}).Metrics())
}
