package queryexecutor

import (
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/session"
	"queryengine/pkg/telemetry"
	"queryengine/services/query-executor/internal/parse"
)

// uncounted is the session of operations that are only counted.
var uncounted = &session.Session{}

func TestRequestMetrics(t *testing.T) {
	t.Parallel()
	op, err := parse.Parse(`query Artists { artist { id } }`, "", parse.Limits{})
	require.NoError(t, err)

	detailed := newRequestMetrics(prometheus.NewRegistry(), true)
	detailed.done(&request{session: uncounted, parsed: op}, time.Second, nil)
	detailed.done(&request{session: uncounted, parsed: op}, time.Second, errors.New("no"))
	detailed.done(&request{session: uncounted}, time.Second, errors.New("no"))
	require.InDelta(t, 1, testutil.ToFloat64(detailed.total.WithLabelValues("query", "success", "Artists", op.Hash(nil))), 0)
	require.InDelta(t, 1, testutil.ToFloat64(detailed.total.WithLabelValues("query", "failed", "Artists", op.Hash(nil))), 0)
	require.InDelta(t, 1, testutil.ToFloat64(detailed.total.WithLabelValues("unknown", "failed", "", "")), 0)
	require.Equal(t, 1, testutil.CollectAndCount(detailed.seconds), "failures have no time")

	plain := newRequestMetrics(prometheus.NewRegistry(), false)
	plain.done(&request{session: uncounted, parsed: op}, time.Second, nil)
	require.InDelta(t, 1, testutil.ToFloat64(plain.total.WithLabelValues("query", "success")), 0)
}

// TestOperationsHaveOneName holds that a subscription is counted under the same name when it begins
// and while it runs, when its values are gone.
func TestOperationsHaveOneName(t *testing.T) {
	t.Parallel()
	op, err := parse.Parse(`subscription S($w: artist_bool_exp) { artist(where: $w) { id } }`, "", parse.Limits{})
	require.NoError(t, err)
	m := newRequestMetrics(prometheus.NewRegistry(), true)
	q := &request{session: uncounted, parsed: op, values: [][]byte{[]byte(`{"id":{"_eq":1}}`)}}
	name := m.nameOf(q)
	require.NotEqual(t, op.Hash(nil), name.Hash)
	q.values = nil
	m.done(q, 0, nil)
	require.InDelta(t, 1, testutil.ToFloat64(m.total.WithLabelValues("subscription", "success", "S", name.Hash)), 0)
}

func TestNamedOperationsAreBounded(t *testing.T) {
	t.Parallel()
	m := newRequestMetrics(prometheus.NewRegistry(), true)
	for i := range 3 * telemetry.MaxOperations {
		op := *mustParse(t)
		op.Name = "q" + strconv.Itoa(i)
		m.done(&request{session: uncounted, parsed: &op}, 0, nil)
	}
	require.Equal(t, telemetry.MaxOperations/2+1, testutil.CollectAndCount(m.total), "made up for one request each")
}

func mustParse(t *testing.T) *parse.Operation {
	t.Helper()
	op, err := parse.Parse(`{ artist { id } }`, "", parse.Limits{})
	require.NoError(t, err)
	return op
}
