package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/bus"
	"queryengine/pkg/bus/natsserver"
)

// guarded is an installation in which each service has its own user of NATS.
type guarded struct {
	*cluster
	processes map[string]*process
	passwords map[string]string
}

func newGuarded(t *testing.T, more ...bus.Permissions) *guarded {
	t.Helper()
	g := &guarded{processes: map[string]*process{}, passwords: map[string]string{}}
	var users []natsserver.User
	for _, u := range append(bus.Users(), more...) {
		g.passwords[u.User] = "password-of-" + u.User
		users = append(users, natsserver.User{Name: u.User, Password: g.passwords[u.User], Publish: u.Publish, Subscribe: u.Subscribe, NoPublish: u.NoPublish, Inbox: u.Inbox})
	}
	server, err := natsserver.Start(natsserver.Config{Dir: t.TempDir(), Port: -1, NoSync: true, Users: users})
	require.NoError(t, err)
	t.Cleanup(server.Stop)
	g.cluster = clusterOn(t, server.ClientURL())
	g.settings["ENGINE_GRAPHQL_METADATA_KEY"] = "the key of the metadata in these tests"
	return g
}

func (g *guarded) address(user string) string {
	return strings.Replace(g.settings["ENGINE_GRAPHQL_NATS_URL"], "//", "//"+user+":"+g.passwords[user]+"@", 1)
}

func (g *guarded) startAs(name string) *process {
	p := g.start(name, "NATS_URL="+g.address(name))
	g.processes[name] = p
	return p
}

// connect is a connection of a user, and what the server refused it.
func (g *guarded) connect(user, inbox string) (*nats.Conn, chan error) {
	refused := make(chan error, 100)
	nc, err := nats.Connect(g.address(user), nats.CustomInboxPrefix(inbox),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { refused <- err }))
	require.NoError(g.t, err)
	g.t.Cleanup(nc.Close)
	return nc, refused
}

// nextRefusal is the next one, nil when there is none.
func nextRefusal(refused chan error) error {
	select {
	case err := <-refused:
		return err
	case <-time.After(startLimit):
		return nil
	}
}

// requireRefused publishes and subscribes as a user that may not.
func requireRefused(t *testing.T, nc *nats.Conn, refused chan error, publish, subscribe []string) {
	t.Helper()
	for _, subject := range publish {
		require.NoError(t, nc.Publish(subject, []byte("x")))
		require.NoError(t, nc.Flush())
		require.ErrorContains(t, nextRefusal(refused), fmt.Sprintf("Publish to %q", subject))
	}
	for _, subject := range subscribe {
		_, err := nc.SubscribeSync(subject)
		require.NoError(t, err)
		require.NoError(t, nc.Flush())
		require.ErrorContains(t, nextRefusal(refused), fmt.Sprintf("Subscription to %q", subject))
	}
}

// TestUsersOfNATS has the services do all that they do with each other while each is a user that
// may use its own subjects only, then shows what the users can't do.
func TestUsersOfNATS(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	hook, actions := newWebhook(t), newActionHandler(t)
	execute(t, g.databaseURL, `CREATE TABLE item (id int PRIMARY KEY, n int NOT NULL)`)
	for _, name := range []string{metadata, executor, eventDelivery, scheduler} {
		g.startAs(name)
	}
	p := g.startAs(gateway)

	p.metadata("pg_track_table", map[string]any{"table": "item"})
	p.metadata("pg_create_event_trigger", map[string]any{
		"name": "hooked", "table": "item", "webhook": hook.url, "insert": map[string]any{"columns": "*"},
	})
	p.metadata("pg_create_event_trigger", map[string]any{
		"name": "sent", "table": "item", "webhook": "nats://events.item", "insert": map[string]any{"columns": "*"},
	})
	// What the stream may not show: a password in an address, keys in headers and addresses.
	tokens := make(chan string, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		tokens <- r.Header.Get("Authorization") + " " + r.URL.Query().Get("key")
	}))
	t.Cleanup(receiver.Close)
	p.metadata("pg_add_source", map[string]any{"name": "literal", "configuration": map[string]any{
		"connection_info": map[string]any{"database_url": withSecret(t, g.databaseURL)},
	}})
	p.metadata("pg_create_event_trigger", map[string]any{
		"name": "keyed", "table": "item", "webhook": receiver.URL + "/?key=hush2", "insert": map[string]any{"columns": "*"},
		"headers": []any{map[string]any{"name": "Authorization", "value": "hush1"}},
	})
	p.metadata("set_custom_types", map[string]any{"scalars": []any{}})
	p.metadata("create_action", map[string]any{"name": "count", "definition": map[string]any{
		"kind": "asynchronous", "handler": actions.URL + "/count", "output_type": "Int", "arguments": []any{},
	}})

	subscriber := p.subscriber(asAdmin)
	id := subscriber.subscribe(`subscription { item(order_by: {id: asc}) { n } }`, nil)
	subscriber.await(id, `{"item":[]}`)
	require.Contains(t, p.query(asAdmin, `mutation { insert_item_one(object: {id: 1, n: 5}) { n } }`).text(), `{"n":5}`)
	require.Contains(t, p.query(asAdmin, `query @cached { item { n } }`).text(), `{"n":5}`)
	require.Contains(t, p.query(asAdmin, `query @cached { item { n } }`).text(), `{"n":5}`)
	subscriber.await(id, `{"item":[{"n":5}]}`)
	hook.awaitTaken(1, startLimit)
	require.Equal(t, "hush1 hush2", <-tokens, "the services have the whole")

	called := p.enqueue(asAdmin, "count", `mutation { count }`)
	actions.may <- struct{}{}
	p.awaitAnswer(asAdmin, fmt.Sprintf(`{ count(id: %q) { output } }`, called), `{"data":{"count":{"output":42}}}`)

	p.metadata("create_scheduled_event", map[string]any{"webhook": hook.url, "schedule_at": time.Now().Format(time.RFC3339), "payload": 1})
	hook.awaitTaken(2, startLimit)
	p.metadata("create_cron_trigger", map[string]any{
		"name": "each_minute", "webhook": hook.url, "schedule": "* * * * *", "payload": map[string]any{}, "include_in_metadata": true,
	})
	hook.awaitTaken(3, time.Minute+startLimit)
	require.Equal(t, http.StatusOK, p.post("/v1/graphql/explain", asAdmin, map[string]any{"query": map[string]any{"query": "{ item { n } }"}}).status)
	large := strings.Repeat("x", 3<<20) // answers with credits, and a change in parts
	require.Contains(t, p.query(asAdmin, `{ item { n } } #`+large).text(), `{"n":5}`)
	execute(t, g.databaseURL, `CREATE TABLE big (text text); INSERT INTO big SELECT repeat('x', 1000) FROM generate_series(1, 3000)`)
	p.metadata("pg_track_table", map[string]any{"table": "big"})
	require.Greater(t, len(p.query(asAdmin, `{ big { text } }`).body), 3_000_000)

	// A newcomer starts from the snapshot, while metadata is away.
	g.processes[metadata].stop()
	g.startAs(executor)
	require.Contains(t, p.query(asAdmin, `{ item(where: {id: {_eq: 1}}) { n } }`).text(), `{"n":5}`)
	g.startAs(metadata)
	for name, process := range g.processes {
		require.NotContains(t, strings.ToLower(process.log.String()), "permissions violation", name)
	}

	nc, refused := g.connect(bus.ServiceEventDelivery, bus.InboxPrefix(bus.ServiceEventDelivery))
	requireRefused(t, nc, refused, []string{
		"engine.query.data", "engine.query.explain", "engine.metadata.apply", "engine.metadata.changes", "engine.metadata.ack",
		"$JS.API.STREAM.DELETE.METADATA", "$JS.API.STREAM.PURGE.METADATA", "$JS.API.STREAM.UPDATE.METADATA", "$O.METADATA_SNAPSHOTS.M.x",
		"$KV.QUERY_CACHE.a.b.0", "_INBOX_gateway.x.r.y.d0", "$SYS.REQ.SERVER.PING",
	}, []string{"engine.query.execute", "engine.metadata.>", "_INBOX_gateway.>", "_INBOX_metadata.>", "_INBOX.>", "engine.>", ">", "$JS.API.>"})
	nc, refused = g.connect(bus.ServiceScheduler, bus.InboxPrefix(bus.ServiceScheduler))
	requireRefused(t, nc, refused, []string{"engine.query.execute", "engine.metadata.apply", "engine.actions.enqueue", "$JS.API.CONSUMER.MSG.NEXT.DELIVERIES.event-delivery"},
		[]string{"engine.deliveries.>", "engine.query.execute"})
	nc, refused = g.connect(bus.ServiceQueryExecutor, bus.InboxPrefix(bus.ServiceQueryExecutor))
	requireRefused(t, nc, refused, []string{"engine.metadata.apply", "engine.deliveries.event", "_INBOX_scheduler.x.r.y"}, []string{"_INBOX_gateway.>"})
	nc, refused = g.connect(bus.ServiceGateway, bus.InboxPrefix(bus.ServiceGateway))
	requireRefused(t, nc, refused, []string{"engine.metadata.changes", "engine.query.check", "engine.actions.enqueue", "engine.deliveries.event"},
		[]string{"engine.query.execute", "engine.metadata.apply"})

	reader, refused := g.connect(bus.UserMetadataReader, bus.ReaderInboxPrefix)
	js, err := jetstream.New(reader, jetstream.WithDefaultTimeout(startLimit))
	require.NoError(t, err)
	stream, err := js.Stream(t.Context(), bus.ChangesStream)
	require.NoError(t, err)
	state := stream.CachedInfo().State
	require.Greater(t, state.Msgs, uint64(5))
	shown := ""
	for n := state.FirstSeq; n <= state.LastSeq; n++ {
		m, err := stream.GetMsg(t.Context(), n)
		require.NoError(t, err)
		require.True(t, json.Valid(m.Data))
		shown += string(m.Data)
	}
	require.NotContains(t, shown, "hush")
	require.Contains(t, shown, `"value":"***"`)
	require.Contains(t, shown, `application_name=***`)
	require.Contains(t, shown, `"from_env":"ENGINE_GRAPHQL_DATABASE_URL"`, "what is no secret is as it was")
	requireRefused(t, reader, refused, []string{
		"engine.query.execute", "engine.metadata.apply", "engine.metadata.changes", "$JS.API.CONSUMER.CREATE.METADATA.x",
		"$JS.API.STREAM.INFO.OBJ_METADATA_SNAPSHOTS", "$JS.API.STREAM.MSG.GET.DELIVERIES", "$JS.API.DIRECT.GET.KV_QUERY_CACHE",
	}, []string{"engine.deliveries.>", "engine.query.>", "_INBOX_gateway.>", "_INBOX.>", "$KV.>"})
	_, err = nats.Connect(g.settings["ENGINE_GRAPHQL_NATS_URL"], nats.Timeout(5*time.Second))
	require.ErrorIs(t, err, nats.ErrAuthorization, "no client connects without being a user")
}

// withSecret is an address with a parameter that is taken for a secret.
func withSecret(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	require.NoError(t, err)
	query := u.Query()
	query.Set("application_name", "hush3")
	u.RawQuery = query.Encode()
	return u.String()
}

// TestServicesNeedTheKeyOfTheMetadata: a service that can't read the changes reports why, and isn't
// ready.
func TestServicesNeedTheKeyOfTheMetadata(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	g.startAs(metadata)
	p := g.startAs(gateway)
	stranger := g.launch(executor, "NATS_URL="+g.address(executor), "METADATA_KEY=another key of the metadata in these tests")
	stranger.awaitHealthy()
	p.metadata("create_cron_trigger", map[string]any{
		"name": "keyed", "webhook": "http://127.0.0.1:1/", "schedule": "0 0 1 1 *", "payload": 1, "include_in_metadata": true,
		"headers": []any{map[string]any{"name": "Authorization", "value": "hush"}},
	})
	last := ""
	eventually(t, startLimit, func() bool {
		r, err := stranger.get("/healthz")
		last = r.text()
		return err == nil && r.status != http.StatusOK && strings.Contains(last, "--metadata-key")
	}, func() string { return "it says nothing of its key: " + last })
	require.NotContains(t, stranger.log.String(), "hush")
}
