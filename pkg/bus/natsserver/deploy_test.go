package natsserver_test

import (
	"path/filepath"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/stretchr/testify/require"
)

// The configurations that are deployed promise what the bus relies on.
func TestDeployedConfigurations(t *testing.T) {
	t.Setenv("NATS_NAME", "nats-0")
	t.Setenv("NATS_ROUTES", "[nats://nats-1:6222, nats://nats-2:6222]")
	t.Setenv("NATS_ROUTE_PASSWORD", "secret")
	for _, name := range []string{"nats.conf", "cluster.conf"} {
		o, err := server.ProcessConfigFile(filepath.Join("..", "..", "..", "deploy", "nats", name))
		require.NoError(t, err, name)
		require.True(t, o.SyncAlways, name)
		require.True(t, o.JetStream, name)
		require.EqualValues(t, 8<<20, o.MaxPayload, name)
		require.Equal(t, "/data", o.StoreDir, name)
		require.Equal(t, "127.0.0.1", o.HTTPHost, name)
		require.Equal(t, name == "cluster.conf", len(o.Routes) == 2, name)
	}
}
