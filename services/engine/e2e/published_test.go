package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/bus"
	"queryengine/pkg/dbtest"
)

const publishedLimit = 3 * time.Minute

// publishedCluster is an installation that publishes the changes of a table as the role clerk sees it.
type publishedCluster struct {
	*cluster
	gateway *process
	js      jetstream.JetStream
}

func newPublished(t *testing.T) *publishedCluster {
	t.Helper()
	c := &publishedCluster{cluster: newCluster(t)}
	c.fill()
	c.start(metadata)
	c.start(executor)
	c.gateway = c.start(gateway)
	c.track()
	conn, err := nats.Connect(c.nats.ClientURL(), nats.MaxReconnects(-1), nats.ReconnectWait(100*time.Millisecond))
	require.NoError(t, err)
	t.Cleanup(conn.Close)
	c.js, err = jetstream.New(conn)
	require.NoError(t, err)
	return c
}

// fill makes the source.
func (c *publishedCluster) fill() {
	c.t.Helper()
	c.databaseURL = dbtest.LogicalURL(c.t)
	c.settings["ENGINE_GRAPHQL_DATABASE_URL"] = c.databaseURL
	c.t.Cleanup(func() { // a server has few slots; by now nothing reads them
		executeAlone(c.t, c.databaseURL, `SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots
			WHERE database = current_database() AND NOT active`)
	})
	execute(c.t, c.databaseURL, `CREATE TABLE item (id int PRIMARY KEY, owner text, note text, secret text);
		ALTER TABLE item REPLICA IDENTITY FULL;
		INSERT INTO item SELECT i, CASE WHEN i % 3 = 0 THEN 'you' ELSE 'me' END, 'first', 's' FROM generate_series(1, 700) i`)
}

func (c *publishedCluster) track() {
	c.t.Helper()
	c.gateway.metadata("pg_track_table", map[string]any{"table": "item"})
	c.permit("id", "owner", "note")
}

// permit makes the permission of the role clerk.
func (c *publishedCluster) permit(columns ...string) {
	c.t.Helper()
	c.gateway.metadata("pg_create_select_permission", map[string]any{"table": "item", "role": "clerk", "permission": map[string]any{
		"columns": columns, "filter": map[string]any{"owner": "X-Engine-User-Id"},
	}})
}

// showColumns changes the permission of the role clerk.
func (c *publishedCluster) showColumns(columns ...string) {
	c.t.Helper()
	var document map[string]any
	require.NoError(c.t, json.Unmarshal([]byte(c.gateway.metadata("export_metadata", map[string]any{}).text()), &document))
	at := any(document)
	for _, key := range []string{"sources", "tables", "select_permissions"} {
		list, _ := at.(map[string]any)[key].([]any)
		require.Len(c.t, list, 1)
		at = list[0]
	}
	permission, _ := at.(map[string]any)["permission"].(map[string]any)
	permission["columns"] = columns
	c.gateway.metadata("replace_metadata", document)
}

func (c *publishedCluster) publish() {
	c.t.Helper()
	c.gateway.metadata("pg_publish_changes", map[string]any{
		"name": "items", "tables": []string{"item"}, "role": "clerk", "session_variables": map[string]string{"x-engine-user-id": "me"},
	})
}

func (c *publishedCluster) number(sql string) int { return number(c.t, c.databaseURL, sql) }

func (c *publishedCluster) awaitGone() {
	c.t.Helper()
	eventually(c.t, publishedLimit, func() bool {
		_, err := c.js.Stream(c.t.Context(), "CHANGES-default-items")
		return err != nil && c.number(`SELECT (SELECT count(*) FROM pg_replication_slots WHERE database = current_database())
			+ (SELECT count(*) FROM pg_publication)`) == 0
	}, func() string { return "the slot, the publication or the stream are still there" })
}

// published is what a reader of the stream has.
type published struct {
	Op       string
	Key, New json.RawMessage
}

// state reads the whole stream and gives the rows by their keys, and whether they are all there.
func (c *publishedCluster) state() (rows map[string]string, ready bool) {
	c.t.Helper()
	s, err := c.js.Stream(c.t.Context(), "CHANGES-default-items")
	if err != nil {
		return nil, false
	}
	last := s.CachedInfo().State.LastSeq
	rows = map[string]string{}
	if s.CachedInfo().State.Msgs == 0 {
		return rows, false
	}
	consumer, err := s.OrderedConsumer(c.t.Context(), jetstream.OrderedConsumerConfig{})
	if err != nil {
		return nil, false
	}
	running, err := consumer.Messages()
	require.NoError(c.t, err)
	defer running.Stop()
	for first := true; ; first = false {
		m, err := running.Next(jetstream.NextMaxWait(publishedLimit))
		if err != nil {
			return nil, false
		}
		var p published
		require.NoError(c.t, json.Unmarshal(m.Data(), &p))
		require.True(c.t, !first || p.Op == "begin", "the first message is a beginning")
		require.NotContains(c.t, string(m.Data()), "secret")
		switch p.Op {
		case "begin":
			rows, ready = map[string]string{}, false
		case "ready":
			ready = true
		case "row":
			rows[string(p.Key)] = string(p.New)
		case "insert":
			require.True(c.t, !ready || rows[string(p.Key)] == "", "%s is inserted twice", p.Key)
			rows[string(p.Key)] = string(p.New)
		case "update":
			rows[string(p.Key)] = string(p.New)
		case "delete":
			delete(rows, string(p.Key))
		case "truncate":
			clear(rows)
		}
		if at, err := m.Metadata(); err != nil || at.Sequence.Stream >= last {
			require.NoError(c.t, err)
			return rows, ready
		}
	}
}

// seen is what the role sees in a query, in the form of state; nil while no query is answered.
func (c *publishedCluster) seen(fields string) map[string]string {
	c.t.Helper()
	a := c.gateway.query(map[string]string{
		"X-Engine-Admin-Secret": secret, "X-Engine-Role": "clerk", "X-Engine-User-Id": "me",
	}, `{item {`+fields+`}}`)
	if a.status != http.StatusOK { // the services are connecting to NATS again
		return nil
	}
	var body struct {
		Data struct{ Item []json.RawMessage }
	}
	require.NoError(c.t, json.Unmarshal([]byte(a.text()), &body), a.text())
	rows := map[string]string{}
	for _, raw := range body.Data.Item {
		var row struct{ ID int }
		require.NoError(c.t, json.Unmarshal(raw, &row))
		rows[fmt.Sprintf(`{"id":%d}`, row.ID)] = string(raw)
	}
	return rows
}

// awaitSame waits until a reader has what the role sees.
func (c *publishedCluster) awaitSame(fields string) {
	c.t.Helper()
	var rows, want map[string]string
	eventually(c.t, publishedLimit, func() bool {
		ready := false
		if rows, ready = c.state(); !ready {
			return false
		}
		want = c.seen(fields)
		return want != nil && sameRows(want, rows)
	}, func() string { return fmt.Sprintf("a reader has %d rows, the role %d", len(rows), len(want)) })
}

func sameRows(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for key, row := range a {
		var x, y map[string]any
		if json.Unmarshal([]byte(row), &x) != nil || json.Unmarshal([]byte(b[key]), &y) != nil || fmt.Sprint(x) != fmt.Sprint(y) {
			return false
		}
	}
	return true
}

// write runs random transactions.
func (c *publishedCluster) write(seed uint64, transactions int) {
	c.t.Helper()
	db, err := pgx.Connect(c.t.Context(), c.databaseURL)
	require.NoError(c.t, err)
	defer func() { _ = db.Close(c.t.Context()) }()
	random := rand.New(rand.NewPCG(seed, 1))
	for range transactions {
		sql := "BEGIN;"
		for range 1 + random.IntN(4) {
			id, owner := 1+random.IntN(800), []string{"me", "you"}[random.IntN(2)]
			sql += []string{
				fmt.Sprintf("INSERT INTO item VALUES (%d, '%s', 'n%d', 's') ON CONFLICT (id) DO UPDATE SET note = excluded.note;", id, owner, random.IntN(99)),
				fmt.Sprintf("UPDATE item SET owner = '%s', note = 'u%d' WHERE id = %d;", owner, random.IntN(99), id),
				fmt.Sprintf("DELETE FROM item WHERE id = %d;", id),
				fmt.Sprintf("UPDATE item SET id = %d WHERE id = %d AND NOT EXISTS (SELECT FROM item WHERE id = %d);", id+1000, id, id+1000),
			}[random.IntN(4)]
		}
		_, err := db.Exec(c.t.Context(), sql+[]string{"COMMIT", "COMMIT", "ROLLBACK"}[random.IntN(3)])
		require.NoError(c.t, err)
	}
}

// TestPublishedChanges has a reader of the stream follow what a role sees while rows change, event-delivery is killed
// and NATS is restarted. Then the permission changes, and at last nothing is published any more.
func TestPublishedChanges(t *testing.T) {
	t.Parallel()
	c := newPublished(t)
	worker := c.start(eventDelivery)
	c.publish()
	c.write(1, 150)
	c.awaitSame("id owner note")

	worker.kill()
	c.write(2, 150)
	other := c.start(eventDelivery)
	c.awaitSame("id owner note")

	c.start(eventDelivery) // stands by
	c.write(3, 50)
	c.stopNATS()
	c.write(4, 50)
	c.startNATS()
	other.kill()
	c.write(5, 50)
	execute(t, c.databaseURL, `DELETE FROM item WHERE id < 20; INSERT INTO item VALUES (1, 'me', 'last', 's')`)
	c.awaitSame("id owner note")
	s, err := c.js.Stream(t.Context(), "CHANGES-default-items")
	require.NoError(t, err)
	first, err := s.GetMsg(t.Context(), 1)
	require.NoError(t, err, "nothing began again")
	require.Equal(t, "begin", first.Header.Get("Engine-Op"))

	execute(t, c.databaseURL, `TRUNCATE item; INSERT INTO item VALUES (7, 'me', 'after', 's'), (8, 'you', 'after', 's')`)
	c.awaitSame("id owner note")

	refused := c.gateway.post("/v1/metadata", asAdmin, map[string]any{
		"type": "pg_drop_select_permission", "args": map[string]any{"table": "item", "role": "clerk"},
	})
	require.Contains(t, refused.text(), "cannot continue due to newly found inconsistent metadata")
	c.showColumns("id", "note")
	c.awaitSame("id note")
	c.gateway.metadata("pg_unpublish_changes", map[string]any{"name": "items"})
	c.awaitGone()
}

// TestUnpublishedWhileNobodyPublishes has event-delivery find what it has to remove when it starts.
func TestUnpublishedWhileNobodyPublishes(t *testing.T) {
	t.Parallel()
	c := newPublished(t)
	worker := c.start(eventDelivery)
	c.publish()
	c.awaitSame("id owner note")
	worker.kill()
	c.gateway.metadata("pg_unpublish_changes", map[string]any{"name": "items"})
	c.start(eventDelivery)
	c.awaitGone()
}

// TestPublishedChangesWithUsersOfNATS has each service be a user with rights of its own, and a reader who may do
// nothing else.
func TestPublishedChangesWithUsersOfNATS(t *testing.T) {
	t.Parallel()
	const stream, inbox = "CHANGES-default-items", "_INBOX_search"
	g := newGuarded(t, bus.ChangesReader("search", bus.PublishedName{Source: "default", Name: "items"}))
	c := &publishedCluster{cluster: g.cluster}
	c.fill()
	g.startAs(metadata)
	worker := g.startAs(eventDelivery)
	c.gateway = g.startAs(gateway)
	c.track()
	c.publish()

	conn, refused := g.connect("search", inbox)
	followed, err := conn.SubscribeSync("changes.default.items.>")
	require.NoError(t, err)
	c.js, err = jetstream.New(conn, jetstream.WithDefaultTimeout(startLimit))
	require.NoError(t, err)
	var first, last *jetstream.RawStreamMsg
	eventually(t, publishedLimit, func() bool {
		s, err := c.js.Stream(t.Context(), stream)
		if err != nil || s.CachedInfo().State.Msgs == 0 {
			return false
		}
		if first, err = s.GetMsg(t.Context(), 1); err != nil {
			return false
		}
		last, err = s.GetMsg(t.Context(), s.CachedInfo().State.LastSeq)
		return err == nil && last.Header.Get("Engine-Op") == "ready"
	}, func() string { return "the rows aren't all there: " + worker.log.String() })
	require.Equal(t, "begin", first.Header.Get("Engine-Op"))
	execute(t, c.databaseURL, `UPDATE item SET note = 'for all to see' WHERE id = 1`)
	for {
		m, err := followed.NextMsg(publishedLimit)
		require.NoError(t, err)
		if m.Header.Get("Engine-Op") == "update" {
			require.Contains(t, string(m.Data), "for all to see")
			break
		}
	}
	requireRefused(t, conn, refused, []string{
		"changes.default.items.public.item", "$JS.API.STREAM.DELETE." + stream, "$JS.API.DIRECT.GET.METADATA", "$JS.API.CONSUMER.CREATE." + stream + ".x",
	}, []string{"changes.>", "engine.>"})

	c.gateway.metadata("pg_unpublish_changes", map[string]any{"name": "items"})
	c.awaitGone()
	require.NotContains(t, worker.log.String(), "ermissions violation")
}
