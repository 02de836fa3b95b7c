package postgres

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/schedule"
	"queryengine/pkg/backend/postgres/wire"
	"queryengine/pkg/catalog"
	"queryengine/pkg/session"
)

const stockSQL = `
	CREATE TABLE stock (id int PRIMARY KEY, label text);
	INSERT INTO stock VALUES (1, 'a'), (2, NULL)`

func TestRunSQLResult(t *testing.T) {
	t.Parallel()
	f := newFixture(t, stockSQL, nil)
	for name, c := range map[string]struct {
		sql  string
		want [][]string
	}{
		"rows":          {"SELECT * FROM stock ORDER BY id", [][]string{{"id", "label"}, {"1", "a"}, {"2", "NULL"}}},
		"no rows":       {"SELECT id FROM stock WHERE false", [][]string{{"id"}}},
		"unnamed":       {"SELECT 1 + 0.50, 1 > 0", [][]string{{"?column?", "?column?"}, {"1.50", "t"}}},
		"last one":      {"SELECT 1; SELECT 2 AS two; -- end", [][]string{{"two"}, {"2"}}},
		"command":       {"SELECT 1; UPDATE stock SET label = label", nil},
		"returning":     {"UPDATE stock SET label = label WHERE id = 1 RETURNING id", [][]string{{"id"}, {"1"}}},
		"nothing":       {"", nil},
		"no columns":    {"SELECT FROM stock", [][]string{{}, {}, {}}},
		"copy out":      {"COPY stock TO STDOUT", nil},
		"session reset": {"SET search_path = nowhere; SET TIME ZONE 'Asia/Tokyo'", nil},
	} {
		for _, without := range []bool{false, true} {
			got, err := f.source.RunSQL(t.Context(), backend.RawSQL{SQL: c.sql, NoTransaction: without})
			require.NoError(t, err, name)
			require.Equal(t, c.want, got.Rows, name)
		}
	}
}

func TestRunSQLIsOneTransaction(t *testing.T) {
	t.Parallel()
	f := newFixture(t, stockSQL, nil)
	_, err := f.source.RunSQL(t.Context(), backend.RawSQL{SQL: "DELETE FROM stock; SELECT * FROM nothing"})

	var e *apierror.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, apierror.PostgresError, e.Code)
	require.Equal(t, 400, e.Status)
	require.Equal(t, "query execution failed", e.Message)
	require.JSONEq(t, `{
		"statement": "DELETE FROM stock; SELECT * FROM nothing", "prepared": false, "arguments": [],
		"error": {"exec_status": "FatalError", "hint": null, "description": null, "status_code": "42P01",
			"message": "relation \"nothing\" does not exist"}}`, string(e.InternalJSON()))
	require.Equal(t, "2", f.text(t, "SELECT count(*)::text FROM stock"))
}

func TestRunSQLDeferredConstraintFailsAtCommit(t *testing.T) {
	t.Parallel()
	f := newFixture(t, stockSQL+`; ALTER TABLE stock ADD UNIQUE (label) DEFERRABLE INITIALLY DEFERRED`, nil)
	_, err := f.source.RunSQL(t.Context(), backend.RawSQL{SQL: "INSERT INTO stock VALUES (3, 'a')"})
	require.ErrorContains(t, err, "query execution failed")
	require.Equal(t, "2", f.text(t, "SELECT count(*)::text FROM stock"))
}

func TestRunSQLTextMayCommit(t *testing.T) {
	t.Parallel()
	f := newFixture(t, stockSQL, nil)
	checked := false
	_, err := f.source.RunSQL(t.Context(), backend.RawSQL{
		SQL: "BEGIN; INSERT INTO stock VALUES (3, 'c'); COMMIT;",
		Check: func(ctx context.Context, introspect backend.IntrospectFunc) error {
			found, err := introspect(ctx, nil)
			checked = err == nil && found.Tables[catalog.Name{Schema: "public", Name: "stock"}] != nil
			return err
		},
	})
	require.NoError(t, err)
	require.True(t, checked)
	require.Equal(t, "3", f.text(t, "SELECT count(*)::text FROM stock"))
}

func TestRunSQLHooks(t *testing.T) {
	t.Parallel()
	f := newFixture(t, stockSQL, nil)
	name := catalog.Name{Schema: "public", Name: "crate"}
	refused := errors.New("refused")
	var before, after *catalog.Table
	request := backend.RawSQL{
		SQL: "CREATE TABLE crate (id int)",
		Before: func(ctx context.Context, introspect backend.IntrospectFunc) error {
			found, err := introspect(ctx, nil)
			if err == nil {
				before = found.Tables[name]
			}
			return err
		},
		Check: func(ctx context.Context, introspect backend.IntrospectFunc) error {
			found, err := introspect(ctx, nil)
			if err == nil {
				after = found.Tables[name]
			}
			return errors.Join(err, refused)
		},
	}
	_, err := f.source.RunSQL(t.Context(), request)
	require.ErrorIs(t, err, refused)
	require.Nil(t, before)
	require.NotNil(t, after, "the check sees what isn't committed")
	require.Equal(t, "f", f.text(t, "SELECT left((to_regclass('crate') IS NOT NULL)::text, 1)"))

	request.NoTransaction = true
	_, err = f.source.RunSQL(t.Context(), request)
	require.ErrorIs(t, err, refused)
	require.Equal(t, "t", f.text(t, "SELECT left((to_regclass('crate') IS NOT NULL)::text, 1)"))
}

func TestRunSQLWithoutTransaction(t *testing.T) {
	t.Parallel()
	f := newFixture(t, stockSQL, nil)
	const sql = "VACUUM stock; CREATE INDEX CONCURRENTLY stock_label ON stock (label); SELECT 'a;b' AS x"
	got, err := f.source.RunSQL(t.Context(), backend.RawSQL{SQL: sql, NoTransaction: true})
	require.NoError(t, err)
	require.Equal(t, [][]string{{"x"}, {"a;b"}}, got.Rows)

	_, err = f.source.RunSQL(t.Context(), backend.RawSQL{SQL: sql})
	require.ErrorContains(t, err, "query execution failed")
}

func TestRunSQLSetsTheUser(t *testing.T) {
	t.Parallel()
	f := newFixture(t, stockSQL, nil)
	s := &session.Session{Role: "clerk", Variables: map[string]string{"x-engine-role": "clerk", "x-engine-user-id": "it's"}}
	for _, r := range []backend.RawSQL{{}, {NoTransaction: true}, {ReadOnly: true}} {
		r.SQL, r.Session = "SELECT current_setting('engine.user')::json ->> 'x-engine-user-id' AS id", s
		got, err := f.source.RunSQL(t.Context(), r)
		require.NoError(t, err)
		require.Equal(t, [][]string{{"id"}, {"it's"}}, got.Rows)
	}
}

func TestRunSQLIsolation(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "", func(e *schedule.Endpoint) { e.Isolation = wire.Serializable })
	got, err := f.source.RunSQL(t.Context(), backend.RawSQL{SQL: "SHOW transaction_isolation"})
	require.NoError(t, err)
	require.Equal(t, [][]string{{"transaction_isolation"}, {"serializable"}}, got.Rows)
}

func TestRunSQLRefusesWhatWouldHang(t *testing.T) {
	t.Parallel()
	f := newFixture(t, stockSQL, nil)
	for _, sql := range []string{"SELECT 1; copy stock from stdin", "SELECT '\x00'"} {
		for _, r := range []backend.RawSQL{{SQL: sql}, {SQL: sql, NoTransaction: true}, {SQL: sql, ReadOnly: true}} {
			_, err := f.source.RunSQL(t.Context(), r)
			require.ErrorContains(t, err, "query execution failed")
		}
	}
}

func TestRunSQLCancelUndoesEverything(t *testing.T) {
	t.Parallel()
	f := newFixture(t, stockSQL, nil)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err := f.source.RunSQL(ctx, backend.RawSQL{SQL: "DELETE FROM stock; SELECT pg_sleep(60)"})
	var e *apierror.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, apierror.Timeout, e.Code)
	require.Equal(t, "2", f.text(t, "SELECT count(*)::text FROM stock"))
	require.Equal(t, "0", f.text(t, "SELECT count(*)::text FROM pg_stat_activity"+
		" WHERE datname = current_database() AND query LIKE '%pg_sleep%' AND pid <> pg_backend_pid() AND state = 'active'"))
}
