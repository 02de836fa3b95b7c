package changestream_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/changestream"
	"queryengine/pkg/backend/postgres/wire"
	"queryengine/pkg/catalog"
	"queryengine/pkg/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

const (
	// patience is how long a test waits for what has to come, tick how often it looks.
	patience = time.Minute
	tick     = 10 * time.Millisecond
)

// fixture is a database, and what was published of it.
type fixture struct {
	url  string
	db   *pgx.Conn
	pool *wire.Pool
	sink *memory
	on   changestream.Progress
}

func newFixture() *fixture {
	return &fixture{sink: &memory{}, on: changestream.Progress{
		Logger: slog.New(slog.DiscardHandler), Began: func() {}, Stored: func(int, time.Duration) {},
	}}
}

func setup(t *testing.T, schema string) *fixture {
	t.Helper()
	f := newFixture()
	f.use(t, dbtest.LogicalURL(t))
	f.exec(t, schema)
	t.Cleanup(func() { // a server has few slots
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		for ctx.Err() == nil {
			if _, err := f.db.Exec(ctx, `SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE database = current_database()`); err == nil {
				return
			}
		}
	})
	return f
}

// use makes a database the one that is published.
func (f *fixture) use(t *testing.T, url string) {
	t.Helper()
	f.url, f.db = url, connect(t, url)
	pool, err := wire.NewPool(wire.Endpoint{URL: func() (string, error) { return url, nil }}, "changestream test")
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	f.pool = pool
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	db, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close(context.Background()) })
	return db
}

func (f *fixture) exec(t *testing.T, sql string) {
	t.Helper()
	_, err := f.db.Exec(t.Context(), sql)
	require.NoError(t, err, sql)
}

// publish publishes until stop, which returns how that ended. After a fault it goes on.
func (f *fixture) publish(t *testing.T, d *changestream.Definition) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			_ = changestream.Publish(ctx, f.pool, d, f.sink, f.on)
			select {
			case <-time.After(tick):
			case <-ctx.Done():
			}
		}
	}()
	stop = sync.OnceFunc(func() {
		cancel()
		<-ended
	})
	t.Cleanup(stop)
	return stop
}

// dropped removes what publishing has left, once the server has noticed that the publisher's session is over.
func (f *fixture) dropped(t *testing.T) {
	t.Helper()
	var err error
	require.Eventually(t, func() bool {
		err = changestream.Drop(t.Context(), f.pool, definition().Name, f.on)
		return !errors.Is(err, backend.ErrRead)
	}, patience, tick)
	require.NoError(t, err)
}

// caughtUp waits until a row of the table "barrier", which everybody sees, was published.
func (f *fixture) caughtUp(t *testing.T) {
	t.Helper()
	require.Eventually(t, f.sink.ready, patience, tick) // the rows may be those of now, and changes of before come then
	var id string
	require.NoError(t, f.db.QueryRow(t.Context(), `INSERT INTO barrier DEFAULT VALUES RETURNING json_build_object('id', id)::text`).Scan(&id))
	require.Eventually(t, func() bool { return f.sink.has("barrier", id) }, patience, tick)
}

const barrierTable = `CREATE TABLE barrier (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY); ALTER TABLE barrier REPLICA IDENTITY FULL;`

var barrier = changestream.Table{
	Name: catalog.Name{Schema: "public", Name: "barrier"}, Key: []string{"id"}, Condition: "true",
	KeyObject: "json_build_object('id', r.id)", Document: "json_build_object('id', r.id)",
}

func definition(tables ...changestream.Table) *changestream.Definition {
	return &changestream.Definition{Name: changestream.Name("installation", "default", "changes"), Tables: append(tables, barrier)}
}

// memory is a Sink whose content can be looked at.
type memory struct {
	mu       sync.Mutex
	messages []changestream.Message
	// failAt, when set, is the number of messages at which storing fails once: some are stored then.
	failAt int
}

var errStore = errors.New("the store isn't there")

// Place implements changestream.Sink.
func (m *memory) Place(context.Context) (changestream.Place, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.messages) == 0 {
		return changestream.Place{}, nil
	}
	// A place is kept as text.
	text, err := json.Marshal(m.messages[len(m.messages)-1].Place)
	if err != nil {
		return changestream.Place{}, err
	}
	var p changestream.Place
	return p, json.Unmarshal(text, &p)
}

// Store implements changestream.Sink.
func (m *memory) Store(_ context.Context, messages []changestream.Message) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, message := range messages {
		if m.failAt > 0 && len(m.messages) >= m.failAt {
			m.failAt = 0
			return errStore
		}
		m.messages = append(m.messages, message)
	}
	return nil
}

func (m *memory) failOnceAt(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failAt = n
}

// dropBehind drops all messages but the first ones.
func (m *memory) dropBehind(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.messages = m.messages[:n]
}

// all are the messages that were stored.
func (m *memory) all() []changestream.Message {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.messages[:len(m.messages):len(m.messages)]
}

// count is how many messages of an operation were stored.
func (m *memory) count(op changestream.Op) int {
	n := 0
	for _, message := range m.all() {
		if message.Op == op {
			n++
		}
	}
	return n
}

// ready reports whether the rows of the last beginning are all there.
func (m *memory) ready() (ready bool) {
	for _, message := range m.all() {
		if message.Op == changestream.OpBegin || message.Op == changestream.OpReady {
			ready = message.Op == changestream.OpReady
		}
	}
	return ready
}

func (m *memory) has(table, key string) bool {
	_, found := m.state()[table][key]
	return found
}

// state is what a reader of the messages has: the documents of each table by their keys.
func (m *memory) state() map[string]map[string]string {
	state := map[string]map[string]string{}
	for _, message := range m.all() {
		name := message.Table.Name
		if state[name] == nil {
			state[name] = map[string]string{}
		}
		switch message.Op {
		case changestream.OpBegin:
			state = map[string]map[string]string{}
		case changestream.OpRow, changestream.OpInsert, changestream.OpUpdate:
			state[name][string(message.Key)] = string(message.New)
		case changestream.OpDelete:
			delete(state[name], string(message.Key))
		case changestream.OpTruncate:
			state[name] = map[string]string{}
		}
	}
	return state
}
