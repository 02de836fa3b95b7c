package backend_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
)

func TestPoolMetricsEndWithTheLastPool(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	r := prometheus.NewRegistry()
	m := backend.NewPoolMetrics(r, slog.New(slog.NewTextHandler(&log, nil)))
	labels := backend.PoolLabels{Source: "shop", Host: "db.example", Replica: true}
	old := m.Pool(labels)
	old.Opened(time.Now(), nil)
	next := m.Pool(labels) // the source is opened again
	next.Opened(time.Now(), nil)
	next.Opened(time.Now(), errors.New("refused"))
	next.Waited(time.Now())
	sent := time.Now().Add(-time.Second)
	next.Answered(sent, sent.Add(time.Millisecond))
	next.Mixed(errors.New("no such statement"))
	require.Contains(t, log.String(), `source=shop host=db.example replica=true error="no such statement"`)
	old.Closed()
	old.Leave()
	require.NoError(t, testutil.GatherAndCompare(r, strings.NewReader(`
# HELP engine_postgres_connection_error_total Connections that could not be opened.
# TYPE engine_postgres_connection_error_total counter
engine_postgres_connection_error_total{conn_info="db.example",role="replica",source_name="shop"} 1
# HELP engine_postgres_mixed_sessions 1 where nothing is prepared because a pooler gives the sessions of the server to any client.
# TYPE engine_postgres_mixed_sessions gauge
engine_postgres_mixed_sessions{conn_info="db.example",role="replica",source_name="shop"} 1
# HELP engine_postgres_connections Open connections to sources.
# TYPE engine_postgres_connections gauge
engine_postgres_connections{conn_info="db.example",role="replica",source_name="shop"} 1
`), "engine_postgres_connections", "engine_postgres_connection_error_total", "engine_postgres_mixed_sessions"))
	gathered, err := r.Gather()
	require.NoError(t, err)
	stages := map[string]float64{}
	for _, family := range gathered {
		if family.GetName() != "engine_postgres_statement_seconds" {
			continue
		}
		for _, series := range family.GetMetric() {
			for _, label := range series.GetLabel() {
				if label.GetName() == "stage" {
					stages[label.GetValue()] = series.GetHistogram().GetSampleSum()
				}
			}
		}
	}
	require.Len(t, stages, 2)
	require.InDelta(t, 0.001, stages["wait"], 1e-9)
	require.GreaterOrEqual(t, stages["rows"], 0.999)
	next.Leave()
	n, err := testutil.GatherAndCount(r)
	require.NoError(t, err)
	require.Zero(t, n)

	var none *backend.PoolMeter
	none.Opened(time.Now(), nil)
	none.Waited(time.Now())
	none.Answered(time.Now(), time.Now())
	none.Mixed(nil)
	none.Closed()
	none.Leave()
}
