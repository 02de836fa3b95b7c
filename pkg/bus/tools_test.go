package bus_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/bus"
	"queryengine/pkg/bus/bustest"
)

// The standard tools list, ping and read the statistics of services.
func TestNATSToolsSeeTheService(t *testing.T) {
	t.Parallel()
	p := setup(t, echo)
	_, _, err := call(t.Context(), p.caller, "x")
	require.NoError(t, err)
	nc, err := nats.Connect(p.server.ClientURL())
	require.NoError(t, err)
	t.Cleanup(nc.Close)
	ask := func(verb micro.Verb, answer any) {
		t.Helper()
		subject, err := micro.ControlSubject(verb, bus.ServiceQueryExecutor, "")
		require.NoError(t, err)
		m, err := nc.Request(subject, nil, 5*time.Second)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(m.Data, answer))
	}
	var ping micro.Ping
	ask(micro.PingVerb, &ping)
	require.Equal(t, bus.ServiceQueryExecutor, ping.Name)
	require.Equal(t, "1.2.3", ping.Version)
	require.Equal(t, p.responder.Instance(), ping.Metadata["instance"])
	var info micro.Info
	ask(micro.InfoVerb, &info)
	require.Len(t, info.Endpoints, 2, "the one that replicas share, and the replica's own")
	require.Equal(t, "engine.query.execute", info.Endpoints[0].Subject)
	require.Equal(t, bus.ServiceQueryExecutor, info.Endpoints[0].QueueGroup)
	var stats micro.Stats
	ask(micro.StatsVerb, &stats)
	require.Len(t, stats.Endpoints, 2)
	require.Equal(t, 1, stats.Endpoints[0].NumRequests+stats.Endpoints[1].NumRequests)
	require.JSONEq(t, `{"concurrency":0,"failed":0,"in_progress":0,"served":1}`, string(stats.Endpoints[0].Data))
}

// TestMetricsOfCallsBetweenProcesses: both sides of a call count its bytes and its time, once.
func TestMetricsOfCallsBetweenProcesses(t *testing.T) {
	t.Parallel()
	server := bustest.Server(t)
	callers, responders := prometheus.NewRegistry(), prometheus.NewRegistry()
	caller := bustest.ConnectWith(t, bus.Config{URL: server.ClientURL(), Registerer: callers})
	responder := bustest.ConnectWith(t, bus.Config{URL: server.ClientURL(), Registerer: responders})
	serve(t, responder, bus.ServiceInfo{Name: bus.ServiceQueryExecutor}, echo)
	_, body, err := call(t.Context(), caller, "some text")
	require.NoError(t, err)
	require.NotEmpty(t, body)
	count := func(r *prometheus.Registry, name, value string) (n float64) {
		families, err := r.Gather()
		require.NoError(t, err)
		for _, family := range families {
			for _, m := range family.GetMetric() {
				for _, l := range m.GetLabel() {
					if family.GetName() == name && l.GetValue() == value {
						n += m.GetCounter().GetValue() + float64(m.GetHistogram().GetSampleCount())
					}
				}
			}
		}
		return n
	}
	require.Eventually(t, func() bool { // the responder counts after it has answered
		return count(responders, "engine_bus_call_seconds", "responder") == 1
	}, 30*time.Second, time.Millisecond)
	require.InDelta(t, 1, count(callers, "engine_bus_call_seconds", "caller"), 0)
	require.Greater(t, count(callers, "engine_bus_bytes_total", "sent"), float64(len("some text")))
	require.GreaterOrEqual(t, count(callers, "engine_bus_bytes_total", "received"), float64(len(body)))
	require.InDelta(t, count(callers, "engine_bus_bytes_total", "sent"), count(responders, "engine_bus_bytes_total", "received"), 0)
	require.InDelta(t, count(callers, "engine_bus_bytes_total", "received"), count(responders, "engine_bus_bytes_total", "sent"), 0)
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	server := bustest.Server(t)
	registry := prometheus.NewRegistry()
	// Services of one process may each have a connection and share a registry.
	b := bustest.ConnectWith(t, bus.Config{URL: server.ClientURL(), Registerer: registry})
	bustest.ConnectWith(t, bus.Config{URL: server.ClientURL(), Registerer: registry})
	_, _, err := call(t.Context(), b, "")
	require.Error(t, err)
	serve(t, b, bus.ServiceInfo{Name: bus.ServiceQueryExecutor}, echo)
	_, _, err = call(t.Context(), b, "")
	require.NoError(t, err)
	require.NoError(t, testutil.GatherAndCompare(registry, strings.NewReader(`
# HELP engine_bus_calls_total Calls made to services, by endpoint, way (local, remote) and outcome.
# TYPE engine_bus_calls_total counter
engine_bus_calls_total{endpoint="engine.query.execute",outcome="cut_off",way="local"} 0
engine_bus_calls_total{endpoint="engine.query.execute",outcome="error",way="local"} 0
engine_bus_calls_total{endpoint="engine.query.execute",outcome="ok",way="local"} 1
engine_bus_calls_total{endpoint="engine.query.execute",outcome="error",way="remote"} 1
# HELP engine_bus_connections Connections to NATS that are up.
# TYPE engine_bus_connections gauge
engine_bus_connections 2
`), "engine_bus_calls_total", "engine_bus_connections"))
	problems, err := testutil.GatherAndLint(registry)
	require.NoError(t, err)
	require.Empty(t, problems)
}
