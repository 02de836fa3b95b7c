package e2e

import (
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/bus/natsserver"
)

func (c *cluster) stopNATS() { c.nats.Stop() }

// startNATS starts NATS again, at the same port with the same data.
func (c *cluster) startNATS() {
	c.t.Helper()
	nats, err := natsserver.Start(natsserver.Config{Dir: c.natsDir, Port: c.natsPort, NoSync: true})
	require.NoError(c.t, err)
	c.t.Cleanup(nats.Stop)
	c.nats = nats
}

// closeDatabase cuts all connections to a database and takes no more.
func (c *cluster) closeDatabase(address string) {
	c.t.Helper()
	name, server := c.databaseName(address)
	execute(c.t, server, `ALTER DATABASE `+name+` ALLOW_CONNECTIONS false`)
	execute(c.t, server, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '`+strings.Trim(name, `"`)+`'`)
}

func (c *cluster) openDatabase(address string) {
	c.t.Helper()
	name, server := c.databaseName(address)
	execute(c.t, server, `ALTER DATABASE `+name+` ALLOW_CONNECTIONS true`)
}

// databaseName is the quoted name of a test's database, and the address of another database
// of its server.
func (c *cluster) databaseName(address string) (name, server string) {
	c.t.Helper()
	u, err := url.Parse(address)
	require.NoError(c.t, err)
	name = strings.TrimPrefix(u.Path, "/")
	u.Path = "/postgres"
	return pgx.Identifier{name}.Sanitize(), u.String()
}
