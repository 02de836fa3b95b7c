package changes

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/backend/kind"
	"queryengine/pkg/bus"
	"queryengine/pkg/bus/bustest"
	"queryengine/pkg/bus/natsserver"
	"queryengine/pkg/dbtest"
	"queryengine/pkg/logtest"
	"queryengine/pkg/metadata"
	"queryengine/pkg/snapshot"
	changev1 "queryengine/proto/change/v1"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

const patience = 30 * time.Second

// fixture is a source, with those who listen to its changes.
type fixture struct {
	t    *testing.T
	nats *natsserver.Server
	bus  *bus.Bus
	db   *pgx.Conn
	told chan *changev1.Told
	url  string
}

func setup(t *testing.T, url string) *fixture {
	t.Helper()
	f := &fixture{t: t, nats: bustest.Server(t), told: make(chan *changev1.Told, 1000), url: url}
	f.bus = bustest.Connect(t, f.nats)
	var err error
	f.db, err = pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.db.Close(context.Background()) })
	f.exec(`CREATE TABLE album (id int PRIMARY KEY)`)
	stop, err := f.bus.Subscribe(bus.ChangesTold, func() proto.Message { return &changev1.Told{} }, func(m proto.Message) {
		f.told <- m.(*changev1.Told) //nolint:forcetypeassert // fails the test
	})
	require.NoError(t, err)
	t.Cleanup(stop)
	return f
}

func (f *fixture) exec(sql string) {
	f.t.Helper()
	_, err := f.db.Exec(f.t.Context(), sql)
	require.NoError(f.t, err)
}

// slots counts those of this database.
func (f *fixture) slots() (n int) {
	f.t.Helper()
	require.NoError(f.t, f.db.QueryRow(f.t.Context(), `SELECT count(*) FROM pg_replication_slots WHERE database = current_database()`).Scan(&n))
	return n
}

// version is the metadata with the source.
func (f *fixture) version(feed string) *snapshot.Snapshot {
	c, err := json.Marshal(map[string]any{
		"connection_info": map[string]any{"database_url": f.url, "isolation_level": "read-committed"}, "change_feed": feed,
	})
	require.NoError(f.t, err)
	source := &metadata.Source{Name: "shop", Kind: "postgres", Configuration: c}
	return &snapshot.Snapshot{StreamID: "one of " + f.url, Version: 1, Document: &metadata.Document{Sources: []*metadata.Source{source}}}
}

// process starts what a process of event-delivery has for it.
type process struct {
	*Readers
	log *logtest.Buffer
	reg *prometheus.Registry
}

func (f *fixture) process() *process {
	f.t.Helper()
	b := bustest.Connect(f.t, f.nats)
	p := &process{log: &logtest.Buffer{}, reg: prometheus.NewRegistry()}
	p.Readers = New(Config{
		Bus: b, Open: kind.All(func(string) (string, bool) { return "", false }, "test").Open, Logger: slog.New(slog.NewTextHandler(p.log, nil)), Metrics: NewMetrics(p.reg),
	})
	service, err := b.Register(f.t.Context(), bus.ServiceInfo{Name: bus.ServiceEventDelivery, Version: "0.0.1"})
	require.NoError(f.t, err)
	require.NoError(f.t, p.Register(service))
	require.NoError(f.t, p.Start())
	p.Follow(f.version("log"))
	f.t.Cleanup(p.Stop)
	return p
}

func (f *fixture) want() {
	f.t.Helper()
	require.NoError(f.t, f.bus.Publish(bus.ChangesWanted, &changev1.Wanted{Source: "shop"}))
}

// next waits for a message that is as wanted; the source stays wanted.
func (f *fixture) next(wanted func(*changev1.Told) bool) *changev1.Told {
	f.t.Helper()
	limit := time.After(patience)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case m := <-f.told:
			if wanted(m) {
				return m
			}
		case <-tick.C:
			f.want()
		case <-limit:
			require.Fail(f.t, "not told")
		}
	}
}

func (f *fixture) watch(m *changev1.Told, name string) (*changev1.WatchHead, error) {
	head, _, err := f.bus.CallMessage(f.t.Context(), bus.ChangesWatch(m.GetInstance()), &changev1.WatchRequest{
		Source: "shop", Reading: m.GetReading(), Relations: []*changev1.Relation{{Schema: "public", Name: name}},
	}, func() proto.Message { return &changev1.WatchHead{} }, 0)
	out, _ := head.(*changev1.WatchHead)
	return out, err
}

func tablesOf(m *changev1.Told) (list []string) {
	for _, c := range m.GetChanges() {
		list = append(list, c.GetTable())
	}
	return list
}

func reads(m *changev1.Told) bool { return !m.GetEnded() }

// TestOneProcessReads has two: one reads, and reports changes; the other takes over when it stops.
func TestOneProcessReads(t *testing.T) {
	t.Parallel()
	f := setup(t, dbtest.LogicalURL(t))
	first, second := f.process(), f.process()
	require.Zero(t, f.slots(), "no executor has asked")
	began := f.next(reads)
	require.NotEmpty(t, began.GetReading())
	require.Equal(t, 1, f.slots())

	head, err := f.watch(began, "album")
	require.NoError(t, err)
	require.Len(t, head.GetTables(), 1)
	none, err := f.watch(began, "missing")
	require.NoError(t, err)
	require.True(t, none.GetUnwatchable())
	for n := range uint64(3) {
		f.exec(`INSERT INTO album SELECT coalesce(max(id), 0) + 1 FROM album`)
		m := f.next(func(m *changev1.Told) bool { return len(m.GetChanges()) > 0 })
		require.Equal(t, head.GetTables(), tablesOf(m))
		require.Equal(t, []any{n + 1, began.GetReading(), began.GetInstance()}, []any{m.GetNumber(), m.GetReading(), m.GetInstance()})
	}
	beat := f.next(reads)
	require.EqualValues(t, 3, beat.GetNumber(), "without a change the number stays")

	reader, other := first, second
	if began.GetInstance() == second.Bus.Instance() {
		reader, other = second, first
	}
	expected := "# HELP engine_change_log_readers Logs of sources that this process reads.\n# TYPE engine_change_log_readers gauge\nengine_change_log_readers{source_name=\"shop\"} 1\n"
	require.NoError(t, testutil.GatherAndCompare(reader.reg, strings.NewReader(expected), "engine_change_log_readers"))
	require.NoError(t, testutil.GatherAndCompare(other.reg, strings.NewReader(""), "engine_change_log_readers"))
	lagged, err := testutil.GatherAndCount(reader.reg, "engine_change_log_lag_seconds")
	require.NoError(t, err)
	require.Equal(t, 1, lagged)
	reader.Stop()
	f.next(func(m *changev1.Told) bool { return m.GetEnded() && m.GetReading() == began.GetReading() })
	after := f.next(reads)
	require.Equal(t, other.Bus.Instance(), after.GetInstance())
	require.NotEqual(t, began.GetReading(), after.GetReading())
	_, err = f.watch(began, "album")
	require.Error(t, err, "that reading has ended")
	head, err = f.watch(after, "album")
	require.NoError(t, err)
	f.exec(`DELETE FROM album`)
	require.Equal(t, head.GetTables(), tablesOf(f.next(func(m *changev1.Told) bool { return len(m.GetChanges()) > 0 })))

	other.Follow(f.version(""))
	f.next(func(m *changev1.Told) bool { return m.GetEnded() })
	require.Eventually(t, func() bool { return f.slots() == 0 }, patience, 20*time.Millisecond, "a source that isn't read keeps nothing")
}

// TestReadingBeginsAnew after the server has ended it.
func TestReadingBeginsAnew(t *testing.T) {
	t.Parallel()
	f := setup(t, dbtest.LogicalURL(t))
	p := f.process()
	began := f.next(reads)
	_, err := f.watch(began, "album")
	require.NoError(t, err)
	for _, fault := range []string{
		`SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE database = current_database()`,
		`DROP PUBLICATION engine_live; INSERT INTO album VALUES (1)`,
	} {
		f.exec(fault)
		f.next(func(m *changev1.Told) bool { return m.GetEnded() && m.GetReading() == began.GetReading() })
		began = f.next(reads)
		_, err := f.watch(began, "album")
		require.NoError(t, err)
		f.exec(`DELETE FROM album; INSERT INTO album VALUES (2)`)
		f.next(func(m *changev1.Told) bool { return len(m.GetChanges()) > 0 && m.GetReading() == began.GetReading() })
	}
	require.Contains(t, p.log.String(), "its subscriptions are polled")
}

// TestReadingIsRefused: one line tells why, however often it is tried.
func TestReadingIsRefused(t *testing.T) {
	t.Parallel()
	f := setup(t, dbtest.URL(t))
	p := f.process()
	tries := func() int { return strings.Count(p.log.String(), "wal_level") }
	require.Eventually(t, func() bool {
		f.want()
		return tries() > 0
	}, patience, 20*time.Millisecond)
	r := p.reader("shop")
	for range 3 {
		require.Error(t, r.read())
	}
	require.Equal(t, 1, tries())
	require.Empty(t, slices.DeleteFunc(drain(f.told), func(m *changev1.Told) bool { return m.GetEnded() }))
}

func drain[T any](c chan T) (list []T) {
	for {
		select {
		case v := <-c:
			list = append(list, v)
		default:
			return list
		}
	}
}
