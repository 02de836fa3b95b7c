package eventreader_test

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres"
	"queryengine/pkg/backend/postgres/schedule"
	"queryengine/pkg/backend/postgres/wire"
	"queryengine/pkg/catalog"
	"queryengine/pkg/dbtest"
	"queryengine/pkg/localpg"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// patience is how long a test waits for what has to come.
const patience = time.Minute

// fixture is a database with a source on it and a connection of the test's own.
type fixture struct {
	source *postgres.Source
	url    string
	db     *pgx.Conn
	tables map[catalog.Name]*catalog.Table
	missed atomic.Int64
}

func setup(t *testing.T, url, schema string) *fixture {
	t.Helper()
	f := &fixture{url: url}
	var err error
	f.source, err = postgres.Open(t.Context(), postgres.Options{
		Primary: schedule.Endpoint{Endpoint: wire.Endpoint{URL: func() (string, error) { return url, nil }, MaxConnections: 4}}, ApplicationName: "eventreader test",
	})
	require.NoError(t, err)
	t.Cleanup(f.source.Close)
	f.db, err = pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.db.Close(context.Background()) })
	f.exec(t, schema)
	f.introspect(t)
	t.Cleanup(func() { // a server has few slots
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		for ctx.Err() == nil {
			_, err := f.db.Exec(ctx, `SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE database = current_database()`)
			if err == nil {
				return
			}
		}
	})
	return f
}

func (f *fixture) introspect(t *testing.T) {
	t.Helper()
	found, err := f.source.Introspect(t.Context(), nil)
	require.NoError(t, err)
	f.tables = found.Tables
}

func (f *fixture) exec(t *testing.T, sql string) {
	t.Helper()
	_, err := f.db.Exec(t.Context(), sql)
	require.NoError(t, err, sql)
}

func (f *fixture) text(t *testing.T, sql string) (text string) {
	t.Helper()
	require.NoError(t, f.db.QueryRow(t.Context(), sql).Scan(&text), sql)
	return text
}

// ownServer is the address of a server of the test's own, whose log can be read.
func ownServer(t *testing.T, durable bool, settings map[string]string) string {
	t.Helper()
	require.NoError(t, localpg.Ensure(t.Context(), func(string) {}))
	all := map[string]string{"wal_level": "logical"}
	maps.Copy(all, settings)
	s, err := localpg.Start(t.Context(), localpg.Config{Dir: t.TempDir(), Template: dbtest.Cluster(), Durable: durable, Settings: all})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Stop(context.Background())) })
	return s.URL("postgres")
}

// trigger is one on every operation of a table in schema public.
func (f *fixture) trigger(name, table string, log bool) backend.EventTrigger {
	o := &backend.EventOperation{}
	return backend.EventTrigger{
		Name: name, Table: f.tables[catalog.Name{Schema: "public", Name: table}], Insert: o, Update: o, Delete: o, ViaLog: log,
	}
}

func (f *fixture) install(t *testing.T, list ...backend.EventTrigger) {
	t.Helper()
	err := f.source.ChangeEventTriggers(t.Context(), backend.EventTriggerChanges{Install: list})
	if fault := (*apierror.Error)(nil); errors.As(err, &fault) {
		require.NoError(t, err, "%+v", fault.Internal)
	}
	require.NoError(t, err)
}

// read makes events until stop, which returns how that ended. While another one reads, and after a fault, it
// tries again.
func (f *fixture) read(t *testing.T) (stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		for {
			err := f.source.MakeEvents(ctx, progress(f))
			if err == nil || ctx.Err() != nil {
				ended <- err
				return
			}
			select {
			case <-time.After(tick):
			case <-ctx.Done():
			}
		}
	}()
	var once atomic.Bool
	stop = func() error {
		if once.Swap(true) {
			return nil
		}
		cancel()
		return <-ended
	}
	t.Cleanup(func() { _ = stop() })
	return stop
}

// caughtUp waits until the events of a trigger are as many as wanted.
func (f *fixture) caughtUp(t *testing.T, trigger string, wanted int) {
	t.Helper()
	var n int
	require.Eventually(t, func() bool {
		err := f.db.QueryRow(t.Context(), `SELECT count(*) FROM engine_catalog.event_log WHERE trigger_name = $1`, trigger).Scan(&n)
		return err == nil && n >= wanted
	}, patience, tick, "%d events of %s, wanted %d", n, trigger, wanted)
	require.Equal(t, wanted, n)
}

// events are those of a trigger in their order, but for what is each one's own.
func (f *fixture) events(t *testing.T, trigger string) []string {
	t.Helper()
	rows, err := f.db.Query(t.Context(), `SELECT schema_name || '.' || table_name || ' ' || payload::text || coalesce(' ' || order_key, '')
		FROM engine_catalog.event_log WHERE trigger_name = $1 ORDER BY sequence`, trigger)
	require.NoError(t, err)
	list, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return list
}

// slots is how many slots the database has.
func (f *fixture) slots(t *testing.T) string {
	t.Helper()
	return f.text(t, `SELECT count(*)::text FROM pg_replication_slots WHERE database = current_database()`)
}

func contains(list []string, part string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return strings.Contains(s, part) })
}

// tick is how often a condition is looked at.
const tick = 10 * time.Millisecond

// progress hears of what the reader does.
func progress(f *fixture) backend.EventProgress {
	return backend.EventProgress{
		Logger: slog.New(slog.DiscardHandler), Began: func() {}, Made: func(int, time.Duration) {}, Missed: func() { f.missed.Add(1) },
	}
}
