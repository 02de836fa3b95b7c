package queryexecutor

import (
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/telemetry"
	"queryengine/services/query-executor/internal/parse"
)

func TestRequestMetrics(t *testing.T) {
	t.Parallel()
	op, err := parse.Parse(`query Artists { artist { id } }`, "", parse.Limits{})
	require.NoError(t, err)

	detailed := newRequestMetrics(prometheus.NewRegistry(), true)
	detailed.done(op, nil, time.Second, nil)
	detailed.done(op, nil, time.Second, errors.New("no"))
	detailed.done(nil, nil, time.Second, errors.New("no"))
	require.InDelta(t, 1, testutil.ToFloat64(detailed.total.WithLabelValues("query", "success", "Artists", op.Hash(nil))), 0)
	require.InDelta(t, 1, testutil.ToFloat64(detailed.total.WithLabelValues("query", "failed", "Artists", op.Hash(nil))), 0)
	require.InDelta(t, 1, testutil.ToFloat64(detailed.total.WithLabelValues("unknown", "failed", "", "")), 0)
	require.Equal(t, 1, testutil.CollectAndCount(detailed.seconds), "failures have no time")

	plain := newRequestMetrics(prometheus.NewRegistry(), false)
	plain.done(op, nil, time.Second, nil)
	require.InDelta(t, 1, testutil.ToFloat64(plain.total.WithLabelValues("query", "success")), 0)
}

func TestNamedOperationsAreBounded(t *testing.T) {
	t.Parallel()
	m := newRequestMetrics(prometheus.NewRegistry(), true)
	for i := range 3 * telemetry.MaxOperations {
		op := *mustParse(t)
		op.Name = "q" + strconv.Itoa(i)
		m.done(&op, nil, 0, nil)
	}
	require.Equal(t, telemetry.MaxOperations+1, testutil.CollectAndCount(m.total))
}

func mustParse(t *testing.T) *parse.Operation {
	t.Helper()
	op, err := parse.Parse(`{ artist { id } }`, "", parse.Limits{})
	require.NoError(t, err)
	return op
}
