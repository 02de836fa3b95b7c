package store

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/dbtest"
	"queryengine/pkg/snapshot"
)

func open(t *testing.T, url string) *Store {
	t.Helper()
	s, err := Open(Config{URL: url, History: 3})
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return s
}

func setup(t *testing.T) (s *Store, v Version) {
	t.Helper()
	s = open(t, dbtest.URL(t))
	require.NoError(t, s.Migrate(t.Context()))
	v, err := s.Version(t.Context())
	require.NoError(t, err)
	return s, v
}

// commit writes a change with objects on top of v and returns the version that it makes.
func commit(t *testing.T, s *Store, v Version, objects ...snapshot.Object) Version {
	t.Helper()
	tx, err := s.Claim(t.Context(), v)
	require.NoError(t, err)
	next := Version{v.StreamID, v.Number + 1}
	require.NoError(t, tx.Commit(t.Context(), record(&snapshot.Change{
		StreamID: v.StreamID, Base: v.Number, Version: next.Number, At: time.Now(), Objects: objects,
	})))
	return next
}

func record(c *snapshot.Change) Record {
	return Record{Change: c, Undo: &snapshot.Change{Objects: []snapshot.Object{}}, Operation: "test"}
}

func set(kind snapshot.Kind, source, name, value string) snapshot.Object {
	return snapshot.Object{Kind: kind, Source: source, Name: name, Op: snapshot.OpSet, Value: json.RawMessage(value)}
}

func TestManyMayMigrateAtOnce(t *testing.T) {
	t.Parallel()
	url := dbtest.URL(t)
	var wg sync.WaitGroup
	errs := make([]error, 6)
	for i := range errs {
		s := open(t, url)
		wg.Go(func() { errs[i] = s.Migrate(t.Context()) })
	}
	wg.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
	v, err := open(t, url).Version(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 1, v.Number)
}

// TestTheSchemaMayBeMadeBefore holds that a role needs no right in the database but its schema.
func TestTheSchemaMayBeMadeBefore(t *testing.T) {
	t.Parallel()
	role := dbtest.Role(t)
	url := dbtest.URL(t)
	owner := open(t, url)
	_, err := owner.pool.Exec(t.Context(), `CREATE SCHEMA engine_catalog AUTHORIZATION `+role)
	require.NoError(t, err)
	require.NoError(t, open(t, dbtest.With(t, url, "role", role)).Migrate(t.Context()))
	var user string
	require.NoError(t, owner.pool.QueryRow(t.Context(),
		`SELECT tableowner FROM pg_tables WHERE schemaname = 'engine_catalog' AND tablename = 'engine_version'`).Scan(&user))
	require.Equal(t, role, user)
}

func TestNewerTablesAreRefused(t *testing.T) {
	t.Parallel()
	s, _ := setup(t)
	_, err := s.pool.Exec(t.Context(), `UPDATE engine_catalog.engine_version SET version = '99'`)
	require.NoError(t, err)
	require.ErrorContains(t, s.Migrate(t.Context()), fmt.Sprintf("catalog version 99, this server knows up to version %d", latest))
}

func TestCommittedObjectsAreLoaded(t *testing.T) {
	t.Parallel()
	s, v := setup(t)
	head := `{"name":"default","kind":"postgres","configuration":{"connection_info":{"database_url":"x","isolation_level":"read-committed"}}}`
	table := snapshot.Object{
		Kind: snapshot.KindTable, Source: "default", Schema: "public", Name: "t", Op: snapshot.OpSet,
		Value: json.RawMessage(`{"table":{"name":"t","schema":"public"}}`),
	}
	v = commit(t, s, v, set(snapshot.KindSource, "default", "", head), table,
		set(snapshot.KindCatalog, "default", "", `{"version":150000}`))

	loaded, err := s.Load(t.Context())
	require.NoError(t, err)
	require.Equal(t, Version{loaded.StreamID, loaded.Version}, v)
	require.Equal(t, "t", loaded.Document.Source("default").Tables[0].Table.Name)
	require.Equal(t, 150000, loaded.Catalogs["default"].Version)

	table.Op, table.Value = snapshot.OpRemove, nil
	v = commit(t, s, v, table)
	loaded, err = s.Load(t.Context())
	require.NoError(t, err)
	require.Empty(t, loaded.Document.Source("default").Tables)

	commit(t, s, v,
		snapshot.Object{Kind: snapshot.KindSource, Source: "default", Op: snapshot.OpRemove},
		snapshot.Object{Kind: snapshot.KindCatalog, Source: "default", Op: snapshot.OpRemove})
	var rows int
	require.NoError(t, s.pool.QueryRow(t.Context(), `SELECT count(*) FROM engine_catalog.metadata_object`).Scan(&rows))
	require.Zero(t, rows)
}

func TestOnlyOneCanCommitOnAVersion(t *testing.T) {
	t.Parallel()
	s, v := setup(t)
	tx, err := s.Claim(t.Context(), v)
	require.NoError(t, err)
	second := make(chan error)
	go func() {
		_, err := s.Claim(t.Context(), v)
		second <- err
	}()
	require.NoError(t, tx.Commit(t.Context(), record(&snapshot.Change{StreamID: v.StreamID, Base: 1, Version: 2})))
	err = <-second
	require.True(t, IsConflict(err))
	require.ErrorContains(t, err, "metadata resource version referenced (1) did not match current version")
}

// TestSlotsCanBeMadeWithinAClaim: PostgreSQL makes one when the transactions have ended that had a number then.
func TestSlotsCanBeMadeWithinAClaim(t *testing.T) {
	t.Parallel()
	s := open(t, dbtest.LogicalURL(t))
	require.NoError(t, s.Migrate(t.Context()))
	v, err := s.Version(t.Context())
	require.NoError(t, err)
	tx, err := s.Claim(t.Context(), v)
	require.NoError(t, err)
	defer tx.Rollback(t.Context())
	var number *string
	require.NoError(t, tx.tx.QueryRow(t.Context(), `SELECT pg_current_xact_id_if_assigned()::text`).Scan(&number))
	require.Nil(t, number)
	_, err = s.pool.Exec(t.Context(), `SELECT pg_create_logical_replication_slot('within_a_claim', 'pgoutput', true)`)
	require.NoError(t, err)
}

// TestVersionThatHasMovedIsAConflict: processes of earlier versions claim by a lock on the row, which ours doesn't wait for.
func TestVersionThatHasMovedIsAConflict(t *testing.T) {
	t.Parallel()
	s, v := setup(t)
	tx, err := s.Claim(t.Context(), v)
	require.NoError(t, err)
	_, err = s.pool.Exec(t.Context(), `UPDATE engine_catalog.metadata_version SET resource_version = 2`)
	require.NoError(t, err)
	err = tx.Commit(t.Context(), record(&snapshot.Change{StreamID: v.StreamID, Base: 1, Version: 2, Objects: []snapshot.Object{
		set(snapshot.KindAPILimits, "", "", `{"disabled":true}`),
	}}))
	require.True(t, IsConflict(err), "%v", err)
	var rows int
	require.NoError(t, s.pool.QueryRow(t.Context(), `SELECT count(*) FROM engine_catalog.metadata_object`).Scan(&rows))
	require.Zero(t, rows)
}

func TestRolledBackClaimLeavesNothing(t *testing.T) {
	t.Parallel()
	s, v := setup(t)
	tx, err := s.Claim(t.Context(), v)
	require.NoError(t, err)
	require.Error(t, tx.Commit(t.Context(), record(&snapshot.Change{StreamID: v.StreamID, Base: 1, Version: 3})))
	tx.Rollback(t.Context())
	now, err := s.Version(t.Context())
	require.NoError(t, err)
	require.Equal(t, v, now)
}

func TestOutboxKeepsOrderAndHistory(t *testing.T) {
	t.Parallel()
	s, v := setup(t)
	for range 5 {
		v = commit(t, s, v, set(snapshot.KindAPILimits, "", "", `{"disabled":true}`))
	}
	pending, err := s.Pending(t.Context(), 100)
	require.NoError(t, err)
	require.Len(t, pending, 5)
	require.EqualValues(t, 2, pending[0].Version)
	require.JSONEq(t, `{"disabled":true}`, func() string {
		c, err := snapshot.DecodeChange(pending[4].Change)
		require.NoError(t, err)
		return string(c.Objects[0].Value)
	}())

	require.NoError(t, s.Published(t.Context(), 6))
	pending, err = s.Pending(t.Context(), 100)
	require.NoError(t, err)
	require.Empty(t, pending)
	changes, err := s.Changes(t.Context(), 0, 100)
	require.NoError(t, err)
	require.Len(t, changes, 3) // History of setup
	_, kept, err := s.History(t.Context(), 3)
	require.NoError(t, err)
	require.False(t, kept)

	// Who asks knows versions up to a certain one: what is committed meanwhile doesn't count.
	for upTo, want := range map[int64]int64{5: 1, 6: 2, 9: 2} {
		n, err := s.Unpublish(t.Context(), 4, upTo)
		require.NoError(t, err)
		require.Equal(t, want, n)
	}
}

func TestForkChangesTheIdentityOnce(t *testing.T) {
	t.Parallel()
	s, v := setup(t)
	fresh, err := s.Fork(t.Context(), v.StreamID)
	require.NoError(t, err)
	require.NotEqual(t, v.StreamID, fresh)
	again, err := s.Fork(t.Context(), v.StreamID)
	require.NoError(t, err)
	require.Equal(t, fresh, again)
	_, err = s.Claim(t.Context(), v)
	require.True(t, IsConflict(err))
}

func TestCatalogState(t *testing.T) {
	t.Parallel()
	s, _ := setup(t)
	require.NoError(t, s.SetCatalogState(t.Context(), "cli", json.RawMessage(`{"a":1}`), nil))
	state, err := s.CatalogState(t.Context())
	require.NoError(t, err)
	require.JSONEq(t, `{"a":1}`, string(state.CLI))
	require.JSONEq(t, `{}`, string(state.Console))
	require.Len(t, state.ID, 36)
	require.ErrorContains(t, s.SetCatalogState(t.Context(), "x", nil, nil), "expected cli or console, but found x")

	require.NoError(t, s.SetCatalogState(t.Context(), "cli", json.RawMessage(`{"a":2}`), json.RawMessage(` {"a": 1} `)))
	err = s.SetCatalogState(t.Context(), "cli", json.RawMessage(`{"a":3}`), json.RawMessage(`{"a":1}`))
	require.ErrorContains(t, err, "another client has changed this state")
	state, err = s.CatalogState(t.Context())
	require.NoError(t, err)
	require.JSONEq(t, `{"a":2}`, string(state.CLI))
}

func TestAddressInAFileIsReadForEachConnection(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "url")
	require.NoError(t, os.WriteFile(path, []byte("postgres://nobody@127.0.0.1:1/none"), 0o600))
	s := open(t, "dynamic-from-file://"+path)
	require.Error(t, s.Ping(t.Context()))
	require.NoError(t, os.WriteFile(path, []byte(dbtest.URL(t)+"\n"), 0o600))
	require.NoError(t, s.Ping(t.Context()))
}

func TestUnreachableDatabaseIsSaidWithoutThePassword(t *testing.T) {
	t.Parallel()
	s := open(t, "postgres://user:topsecret@127.0.0.1:1/none")
	_, err := s.Version(t.Context())
	e := apierror.From(err)
	require.Equal(t, apierror.PostgresError, e.Code)
	require.Equal(t, "connection error", e.Message)
	require.NotContains(t, e.Internal, "topsecret")
	require.NotContains(t, s.Migrate(t.Context()).Error(), "topsecret")

	_, err = Open(Config{URL: "postgres://user:topsecret@host:port/none"})
	require.Error(t, err)
	require.NotContains(t, err.Error(), "topsecret")
}

func TestHistoryIsBoundedByAge(t *testing.T) {
	t.Parallel()
	url := dbtest.URL(t)
	s, err := Open(Config{URL: url, HistoryAge: 24 * time.Hour})
	require.NoError(t, err)
	t.Cleanup(s.Close)
	require.NoError(t, s.Migrate(t.Context()))
	v, err := s.Version(t.Context())
	require.NoError(t, err)
	for range 3 {
		v = commit(t, s, v)
	}
	_, err = s.pool.Exec(t.Context(), `UPDATE engine_catalog.metadata_change SET at = now() - interval '2 days' WHERE version <> 3`)
	require.NoError(t, err)
	require.NoError(t, s.Published(t.Context(), v.Number))
	kept, err := s.Versions(t.Context(), 0, 10, nil)
	require.NoError(t, err)
	numbers := make([]int64, len(kept))
	for i, e := range kept {
		numbers[i] = e.Version
	}
	require.Equal(t, []int64{4, 3}, numbers, "the newest stays, however old it is")
}
