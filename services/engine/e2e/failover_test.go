package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/dbtest"
	"queryengine/pkg/localpg"
)

// failover is an installation whose source has a standby server. Its address leads to one of them.
type failover struct {
	*publishedCluster
	primary, standby *localpg.Server
	source           *link
	worker           *process
	hook             *webhook
	all              *subscriber
	watch            string
}

// installFailover starts it with subscribers, a trigger and a publication, all of them by the log.
func installFailover(t *testing.T) *failover {
	t.Helper()
	f := &failover{publishedCluster: &publishedCluster{cluster: newCluster(t)}, hook: newWebhook(t)}
	f.startServers()
	f.databaseURL = f.source.url
	f.settings["ENGINE_GRAPHQL_DATABASE_URL"] = f.databaseURL
	f.start(metadata)
	f.start(executor)
	f.worker = f.start(eventDelivery)
	f.gateway = f.start(gateway, "CLOSE_WEBSOCKETS_ON_METADATA_CHANGE=false", "ENABLED_APIS=metadata,graphql,developer")
	f.track()
	f.gateway.metadata("pg_add_source", map[string]any{"name": "default", "replace_configuration": true, "configuration": map[string]any{
		"connection_info": map[string]any{"database_url": map[string]any{"from_env": "ENGINE_GRAPHQL_DATABASE_URL"}},
		"change_feed":     "log",
	}})
	f.gateway.metadata("pg_create_event_trigger", map[string]any{
		"name": "item_made", "table": "item", "webhook": f.hook.url, "via": "log", "insert": map[string]any{"columns": "*"},
		"retry_conf": map[string]any{"num_retries": 1000, "interval_sec": 1, "timeout_sec": 5},
	})
	f.publish()
	conn, err := nats.Connect(f.nats.ClientURL())
	require.NoError(t, err)
	t.Cleanup(conn.Close)
	f.js, err = jetstream.New(conn)
	require.NoError(t, err)
	f.all = f.gateway.subscriber(asAdmin)
	f.watch = f.all.subscribe(`subscription { item_aggregate { aggregate { count sum { id } } } }`, nil)
	return f
}

// startServers starts the servers, which the test has for itself.
func (f *failover) startServers() {
	f.t.Helper()
	require.NoError(f.t, localpg.Ensure(f.t.Context(), func(string) {}))
	settings := map[string]string{"wal_level": "logical"}
	stop := func(s *localpg.Server) func() { return func() { _ = s.Stop(context.Background()) } }
	var err error
	f.primary, err = localpg.Start(f.t.Context(), localpg.Config{Dir: f.t.TempDir(), Template: dbtest.Cluster(), Settings: settings})
	require.NoError(f.t, err)
	f.t.Cleanup(stop(f.primary))
	execute(f.t, f.primary.URL("postgres"), `CREATE TABLE item (id int PRIMARY KEY, owner text, note text, secret text);
		ALTER TABLE item REPLICA IDENTITY FULL`)
	f.standby, err = f.primary.Standby(f.t.Context(), localpg.Config{Dir: f.t.TempDir(), Settings: settings})
	require.NoError(f.t, err)
	f.t.Cleanup(stop(f.standby))
	f.source = newLink(f.t, f.primary.URL("postgres"))
}

// insert makes rows in one of the servers.
func (f *failover) insert(s *localpg.Server, first, last int) {
	f.t.Helper()
	execute(f.t, s.URL("postgres"), fmt.Sprintf(`INSERT INTO item SELECT i, 'me', 'n', 's' FROM generate_series(%d, %d) i`, first, last))
}

// awaitEvents waits until the events of rows were delivered.
func (f *failover) awaitEvents(first, last int) {
	f.t.Helper()
	var made int
	eventually(f.t, publishedLimit, func() bool {
		f.hook.mu.Lock()
		defer f.hook.mu.Unlock()
		made = 0
		for id := first; id <= last; id++ {
			if f.hook.rows[id] {
				made++
			}
		}
		return made == last-first+1
	}, func() string { return fmt.Sprintf("%d of the events of %d to %d were delivered", made, first, last) })
}

// awaitSubscriber waits until the subscriber has the rows of a server.
func (f *failover) awaitSubscriber(s *localpg.Server) {
	f.t.Helper()
	url := s.URL("postgres")
	f.all.await(f.watch, fmt.Sprintf(`{"item_aggregate": {"aggregate": {"count": %d, "sum": {"id": %d}}}}`,
		number(f.t, url, `SELECT count(*) FROM item`), number(f.t, url, `SELECT coalesce(sum(id), 0) FROM item`)))
}

// epoch is that of the last message of the publication.
func (f *failover) epoch() string {
	f.t.Helper()
	s, err := f.js.Stream(f.t.Context(), "CHANGES-default-items")
	require.NoError(f.t, err)
	m, err := s.GetMsg(f.t.Context(), s.CachedInfo().State.LastSeq)
	require.NoError(f.t, err)
	var body struct{ Epoch string }
	require.NoError(f.t, json.Unmarshal(m.Data, &body))
	require.NotEmpty(f.t, body.Epoch)
	return body.Epoch
}

// TestSourceFailsOver has the primary server of a source die and its standby take over, which doesn't have the last changes of
// the primary, nor its slots. Subscribers and readers of the publication have what the new primary has; the events of
// changes that it made before its log was read are missed, and are reported as such.
func TestSourceFailsOver(t *testing.T) {
	t.Parallel()
	f := installFailover(t)
	f.insert(f.primary, 1, 50)
	f.awaitEvents(1, 50)
	f.awaitSubscriber(f.primary)
	f.awaitSame("id owner note")
	before := f.epoch()

	// From here on, what the primary commits is lost with it.
	eventually(t, publishedLimit, func() bool {
		return number(t, f.standby.URL("postgres"), `SELECT count(*) FROM item`) == 50
	}, func() string { return "the standby server lags" })
	executeAlone(t, f.standby.URL("postgres"), `ALTER SYSTEM SET primary_conninfo = ''`)
	executeAlone(t, f.standby.URL("postgres"), `SELECT pg_reload_conf()`)
	eventually(t, publishedLimit, func() bool {
		return number(t, f.primary.URL("postgres"), `SELECT count(*) FROM pg_stat_replication WHERE application_name = 'walreceiver'`) == 0
	}, func() string { return "the standby server follows" })
	f.insert(f.primary, 51, 60)
	f.awaitEvents(51, 60)
	f.awaitSubscriber(f.primary)
	f.awaitSame("id owner note")

	// The address leads to the standby server before it is promoted.
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_ = f.primary.Stop(gone) // at once
	f.source.move(t, f.standby.URL("postgres"))
	eventually(t, publishedLimit, func() bool { return strings.Contains(f.worker.log.String(), "the server is a standby server") },
		func() string { return "the standby server isn't noticed" })
	f.awaitSubscriber(f.standby)
	executeAlone(t, f.standby.URL("postgres"), `SELECT pg_promote()`)
	f.insert(f.standby, 101, 110)

	f.awaitSubscriber(f.standby)
	f.awaitSame("id owner note")
	require.NotEqual(t, before, f.epoch(), "it begins again")
	gaps := func() int { return strings.Count(f.worker.log.String(), "changes in between make no events") }
	eventually(t, publishedLimit, func() bool { return gaps() > 0 }, func() string { return "the gap isn't reported" })
	f.insert(f.standby, 111, 160)
	f.awaitEvents(111, 160)
	f.awaitSubscriber(f.standby)
	f.awaitSame("id owner note")
	require.Equal(t, 1, gaps())
	for _, trouble := range strings.Split(f.all.trouble(), "\n") {
		if trouble != "" {
			require.Contains(t, trouble, `"type":"next"`, "the subscription goes on")
			require.Contains(t, trouble, "connection error", "a run that met no server")
		}
	}
}
