package bustest

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/freeport"
)

// Cluster is three NATS servers with JetStream, so that two of them are a quorum.
type Cluster struct {
	options []server.Options
	nodes   []*server.Server
}

// NewCluster starts three servers, which end with the test.
func NewCluster(t testing.TB) *Cluster {
	t.Helper()
	const nodes = 3
	c := &Cluster{options: make([]server.Options, nodes), nodes: make([]*server.Server, nodes)}
	var routes []*url.URL
	for i := range c.options {
		route := freeport.Take(t)
		c.options[i] = server.Options{
			ServerName: fmt.Sprint("node-", i), Host: "127.0.0.1", Port: freeport.Take(t),
			JetStream: true, StoreDir: t.TempDir(), SyncInterval: time.Hour, MaxPayload: 8 << 20, MaxPending: 256 << 20, NoSigs: true, NoLog: true,
			Cluster: server.ClusterOpts{Name: "test", Host: "127.0.0.1", Port: route},
		}
		routes = append(routes, &url.URL{Scheme: "nats", Host: fmt.Sprint("127.0.0.1:", route)})
	}
	for i := range c.options {
		c.options[i].Routes = routes
		c.Start(t, i)
	}
	t.Cleanup(func() {
		for i := range c.nodes {
			c.Stop(i)
		}
	})
	c.AwaitQuorum(t)
	return c
}

// Start starts a server with the data that it had.
func (c *Cluster) Start(t testing.TB, i int) {
	t.Helper()
	o := c.options[i]
	node, err := server.NewServer(&o)
	require.NoError(t, err)
	node.Start()
	c.nodes[i] = node
}

// Stop ends a server.
func (c *Cluster) Stop(i int) {
	c.nodes[i].Shutdown()
	c.nodes[i].WaitForShutdown()
}

// AwaitQuorum waits until all servers are members.
func (c *Cluster) AwaitQuorum(t testing.TB) {
	t.Helper()
	require.Eventually(t, func() bool {
		for _, n := range c.nodes {
			if n.NumRoutes() == 0 || !n.JetStreamIsCurrent() {
				return false
			}
		}
		return true
	}, 30*time.Second, 10*time.Millisecond)
}

// URL is the address of all servers.
func (c *Cluster) URL() string {
	urls := make([]string, len(c.options))
	for i, o := range c.options {
		urls[i] = fmt.Sprintf("nats://%s:%d", o.Host, o.Port)
	}
	return strings.Join(urls, ",")
}
