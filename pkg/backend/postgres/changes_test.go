package postgres

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/schedule"
	"queryengine/pkg/backend/postgres/wire"
	"queryengine/pkg/catalog"
	"queryengine/pkg/dbtest"
)

func TestChanges(t *testing.T) {
	t.Parallel()
	f := newFixture(t, `CREATE TABLE a (id int PRIMARY KEY);
		CREATE TABLE "B b" (id int, a_id int REFERENCES a ON DELETE CASCADE);
		CREATE TABLE parted (id int) PARTITION BY RANGE (id);
		CREATE TABLE part PARTITION OF parted FOR VALUES FROM (0) TO (10);
		CREATE VIEW inner_view AS SELECT id FROM a;
		CREATE VIEW outer_view AS SELECT id FROM inner_view UNION SELECT id FROM part;
		CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1';
		CREATE VIEW calls AS SELECT f() AS id;
		CREATE MATERIALIZED VIEW kept AS SELECT id FROM a;
		CREATE TABLE secret (id int); ALTER TABLE secret ENABLE ROW LEVEL SECURITY`, nil)
	require.Nil(t, f.source.Changes())
	f.source.changeFeed = ChangeFeedNotify
	w := f.source.Changes()

	ready, changed := make(chan struct{}), make(chan string, 100)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.Listen(ctx, func() { close(ready) }, func(c backend.Change) { changed <- c.ID }) }()
	<-ready
	watch := func(names ...string) []string {
		relations := make([]catalog.Name, len(names))
		for i, n := range names {
			relations[i] = public(n)
		}
		for range 2 { // the second time it is there
			_, err := w.Watch(t.Context(), relations)
			require.NoError(t, err)
		}
		ids, err := w.Watch(t.Context(), relations)
		require.NoError(t, err)
		return ids
	}
	require.Len(t, watch("a"), 1)
	require.Len(t, watch("B b"), 1)
	require.Len(t, watch("part"), 2)
	require.Len(t, watch("outer_view"), 3)
	for _, name := range []string{"calls", "kept", "secret", "missing"} {
		_, err := w.Watch(t.Context(), []catalog.Name{public("a"), public(name)})
		require.ErrorIs(t, err, backend.ErrUnwatchable, name)
	}
	for _, c := range []struct {
		sql  string
		want []string
	}{
		{`INSERT INTO a VALUES (1), (2)`, watch("a")},
		{`INSERT INTO "B b" VALUES (1, 1)`, watch("B b")},
		{`UPDATE a SET id = 3 WHERE id = 2`, watch("a")},
		{`INSERT INTO parted VALUES (1)`, watch("part")[:1]},
		{`DELETE FROM a WHERE id = 1`, append(watch("B b"), watch("a")...)},
		{`TRUNCATE "B b"`, watch("B b")},
		{`BEGIN; INSERT INTO a VALUES (7); INSERT INTO a VALUES (8); COMMIT`, watch("a")},
	} {
		f.exec(t, c.sql)
		var got []string
		for range c.want {
			select {
			case id := <-changed:
				got = append(got, id)
			case <-time.After(10 * time.Second):
				require.Fail(t, "nothing was reported", c.sql)
			}
		}
		if len(c.want) == 1 && c.sql[:6] != "INSERT" {
			require.Equal(t, c.want, got, c.sql)
		}
		require.Subset(t, watch("a", "B b", "part"), got, c.sql)
	}
	require.Empty(t, changed, "a transaction tells once")
	stop()
	require.ErrorIs(t, <-ended, context.Canceled)
	f.exec(t, `DROP SCHEMA engine_live CASCADE`)
	require.Equal(t, "0", f.text(t, `SELECT count(*)::text FROM pg_trigger WHERE tgname = 'engine_live_changed'`))
}

// TestChangesNeedFewRights holds that the schema may be made by the owner of the database, and that
// the tables need not be the engine's.
func TestChangesNeedFewRights(t *testing.T) {
	t.Parallel()
	role := dbtest.Role(t)
	f := newFixture(t, `CREATE TABLE a (id int PRIMARY KEY);
		GRANT SELECT, TRIGGER ON a TO `+role+`; CREATE SCHEMA engine_live AUTHORIZATION `+role, nil)
	address := dbtest.With(t, f.url, "role", role)
	source, err := Open(t.Context(), Options{ChangeFeed: ChangeFeedNotify, Primary: schedule.Endpoint{Endpoint: wire.Endpoint{
		URL: func() (string, error) { return address, nil }, MaxConnections: 2,
	}}})
	require.NoError(t, err)
	defer source.Close()
	ids, err := source.Changes().Watch(t.Context(), []catalog.Name{public("a")})
	require.NoError(t, err)
	require.Len(t, ids, 1)
	require.Equal(t, role, f.text(t, `SELECT p.proowner::regrole::text FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
		WHERE t.tgname = 'engine_live_changed' AND t.tgrelid = 'a'::regclass`))
}

func TestChangesOfALostConnection(t *testing.T) {
	t.Parallel()
	f := newFixture(t, `CREATE TABLE a (id int)`, nil)
	f.source.changeFeed = ChangeFeedNotify
	ready, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- f.source.Changes().Listen(t.Context(), func() { close(ready) }, func(backend.Change) {})
	}()
	<-ready
	f.exec(t, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`)
	require.Error(t, <-ended)
}
