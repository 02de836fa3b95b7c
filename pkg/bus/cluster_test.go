package bus_test

import (
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/bus"
	"queryengine/pkg/bus/bustest"
)

// startCluster runs three nodes with the deployed configuration.
func startCluster(t *testing.T) []*server.Server {
	t.Helper()
	ports, routes := make([]int, 3), make([]string, 3)
	for i := range ports {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		ports[i] = l.Addr().(*net.TCPAddr).Port
		routes[i] = fmt.Sprintf("nats://route:secret@127.0.0.1:%d", ports[i])
		require.NoError(t, l.Close())
	}
	t.Setenv("NATS_ROUTES", "["+strings.Join(routes, ", ")+"]")
	t.Setenv("NATS_ROUTE_PASSWORD", "secret")
	nodes := make([]*server.Server, len(ports))
	for i := range nodes {
		t.Setenv("NATS_NAME", fmt.Sprint("nats-", i))
		o, err := server.ProcessConfigFile(filepath.Join("..", "..", "deploy", "nats", "cluster.conf"))
		require.NoError(t, err)
		o.Host, o.Port, o.HTTPPort = "127.0.0.1", -1, 0
		o.Cluster.Host, o.Cluster.Port = "127.0.0.1", ports[i]
		o.StoreDir, o.SyncAlways, o.NoSigs = t.TempDir(), false, true
		nodes[i], err = server.NewServer(o)
		require.NoError(t, err)
		nodes[i].Start()
		t.Cleanup(func() {
			nodes[i].Shutdown()
			nodes[i].WaitForShutdown()
		})
	}
	require.Eventually(t, func() bool {
		for _, n := range nodes {
			if n.NumRoutes() == 0 || !n.JetStreamIsCurrent() {
				return false
			}
		}
		return true
	}, 30*time.Second, 10*time.Millisecond)
	return nodes
}

// A cluster loses a node: what was published stays, and work continues on the other two.
func TestClusterLosesANode(t *testing.T) {
	nodes := startCluster(t)
	urls := make([]string, len(nodes))
	for i, n := range nodes {
		urls[i] = n.ClientURL()
	}
	connect := func(first int) *bus.Bus {
		order := append(append([]string{}, urls[first:]...), urls[:first]...)
		return bustest.ConnectWith(t, bus.Config{URL: strings.Join(order, ",")})
	}
	publisher, responder, caller := connect(0), connect(1), connect(2)
	require.Eventually(t, func() bool {
		return publisher.Changes().Ensure(t.Context(), "db-1", 3) == nil
	}, 30*time.Second, 100*time.Millisecond)
	serve(t, responder, bus.ServiceInfo{Name: bus.ServiceQueryExecutor}, echo)
	h, _ := follow(t, caller.Changes(), 0)
	publish := func(from, to int64) { // the stream has no leader for a while
		for v := from; v <= to; v++ {
			require.Eventually(t, func() bool {
				return publisher.Changes().Publish(t.Context(), v, fmt.Appendf(nil, "change %d", v)) == nil
			}, 30*time.Second, 50*time.Millisecond)
		}
	}
	publish(1, 20)
	h.waitFor(t, 20)

	nodes[0].Shutdown()
	publish(21, 40)
	h.waitFor(t, 40)
	h.requireExactly(t, 1, 40)
	large := strings.Repeat("x", 3<<20)
	require.Eventually(t, func() bool {
		_, body, err := call(t.Context(), caller, large)
		return err == nil && body == large
	}, 30*time.Second, 50*time.Millisecond)
}
