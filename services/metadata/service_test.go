package metadata

import (
	"context"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/dbtest"
	"queryengine/pkg/lifecycle"
	"queryengine/pkg/lifecycle/lifecycletest"
	"queryengine/pkg/logtest"
)

const shop = `
	CREATE TABLE kind (id int PRIMARY KEY, label text NOT NULL);
	CREATE TABLE stock (id int PRIMARY KEY, label text, qty int, owner text, kind_id int REFERENCES kind);`

// track tracks the tables of shop with their relationships.
const track = `{"type":"bulk","args":[
	{"type":"pg_track_table","args":{"table":"kind"}},
	{"type":"pg_track_table","args":{"table":"stock"}},
	{"type":"pg_create_object_relationship","args":{"table":"stock","name":"kind","using":{"foreign_key_constraint_on":"kind_id"}}},
	{"type":"pg_create_array_relationship","args":{"table":"kind","name":"stocks","using":{"foreign_key_constraint_on":{"table":"stock","column":"kind_id"}}}}]}`

func TestChangesReachFollowers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	i := w.start(t)
	f := w.follow(t, true)
	i.run(t, shop)
	require.JSONEq(t, `[{"message":"success"},{"message":"success"},{"message":"success"},{"message":"success"}]`, i.ok(t, track))

	s := waitFor(t, f, i.version())
	require.Equal(t, i.export(t), exported(t, s))
	require.Len(t, s.Document.Source("default").Tables, 2)
	require.Len(t, s.Catalogs["default"].Tables, 2)
	require.Empty(t, s.Inconsistent)
	require.NoError(t, i.Status())
}

func TestAnswerComesWhenGatewaysKnow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	i := w.start(t)
	one, two := w.follow(t, true), w.follow(t, true)
	waitFor(t, one, 1)
	waitFor(t, two, 1)
	i.run(t, shop)
	for range 20 {
		i.ok(t, `{"type":"pg_track_table","args":{"table":"stock"}}`)
		require.GreaterOrEqual(t, one.Current().Version, i.version())
		require.GreaterOrEqual(t, two.Current().Version, i.version())
		i.ok(t, `{"type":"pg_untrack_table","args":{"table":"stock"}}`)
		require.GreaterOrEqual(t, one.Current().Version, i.version())
	}
}

func TestLifecycle(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	lifecycletest.Stress(t, func(t *testing.T) lifecycle.Service {
		t.Helper()
		return w.build(t)
	})
}

// TestStartSaysWhichRightIsMissing: the user may be there without any right, and the database may be one that is only read.
func TestStartSaysWhichRightIsMissing(t *testing.T) {
	t.Parallel()
	for setting, c := range map[string]struct{ value, fault, advice string }{
		"role": {dbtest.Role(t), "permission denied for database", "needs CREATE on the database (GRANT CREATE ON DATABASE ... TO ...), or " +
			"--metadata-database-url (ENGINE_GRAPHQL_METADATA_DATABASE_URL) names another"},
		"default_transaction_read_only": {"on", "in a read-only transaction", "needs a database that can be written: " +
			"--metadata-database-url (ENGINE_GRAPHQL_METADATA_DATABASE_URL) names another"},
	} {
		w := newWorld(t)
		address, err := url.Parse(w.metadataURL)
		require.NoError(t, err)
		query := address.Query()
		query.Set(setting, c.value)
		address.RawQuery = query.Encode()
		w.metadataURL = address.String()
		service := w.build(t)
		defer service.Stop()
		err = service.Start(t.Context())
		require.ErrorContains(t, err, c.fault)
		require.ErrorContains(t, err, c.advice)
	}
}

func TestStartFailsWithoutADatabase(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.metadataURL = "postgres://user:topsecret@127.0.0.1:1/none"
	w.log = new(logtest.Buffer)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	service, done := w.build(t), make(chan error, 1)
	go func() { done <- service.Start(ctx) }()
	require.Eventually(t, func() bool { return strings.Contains(w.log.String(), "connection refused") }, time.Minute, 10*time.Millisecond)
	cancel()
	err := <-done
	require.ErrorContains(t, err, "the metadata database at 127.0.0.1:1/none can't be used: connection refused")
	require.NotContains(t, err.Error(), "topsecret")

	_, err = New(Config{}, Deps{})
	require.ErrorContains(t, err, "no metadata database: set --database-url (ENGINE_GRAPHQL_DATABASE_URL)")
}
