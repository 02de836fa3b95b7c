package eventlog_test

import (
	"io"
	"net"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres"
	"queryengine/pkg/backend/postgres/schedule"
	"queryengine/pkg/backend/postgres/wire"
)

// deafening is a proxy in front of a database that can keep what the database answers to itself.
type deafening struct {
	deaf    atomic.Bool
	clients chan net.Conn
}

// through is the address of a database by way of the proxy.
func (d *deafening) through(t *testing.T, address string) string {
	t.Helper()
	config, err := pgconn.ParseConfig(address)
	require.NoError(t, err)
	network, target := pgconn.NetworkAddress(config.Host, config.Port)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial(network, target)
			if err != nil {
				_ = client.Close()
				continue
			}
			go func() { _, _ = io.Copy(server, client); _ = server.Close() }()
			go d.answer(client, server)
			d.clients <- client
		}
	}()
	u, err := url.Parse(address)
	require.NoError(t, err)
	u.Host, u.RawQuery = listener.Addr().String(), "sslmode=disable"
	return u.String()
}

func (d *deafening) answer(client io.WriteCloser, server io.Reader) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := server.Read(buffer)
		if err != nil {
			_ = client.Close()
			return
		}
		if !d.deaf.Load() {
			_, _ = client.Write(buffer[:n])
		}
	}
}

// TestOutcomesAreRecordedOnce holds that an outcome which was committed while its connection was lost
// may be written again: neither tries nor invocations become more, and a process that has taken the
// event in the meantime keeps it.
func TestOutcomesAreRecordedOnce(t *testing.T) {
	t.Parallel()
	f := newEventFixture(t, `CREATE TABLE stock (id int PRIMARY KEY)`)
	f.install(t, false, f.all("watch", "stock"))
	f.exec(t, `INSERT INTO stock SELECT generate_series(1, 2)`)
	wanted := []backend.EventDemand{{Trigger: "watch", Size: 10}}
	taken, err := f.source.TakeEvents(t.Context(), wanted, 10)
	require.NoError(t, err)
	require.Len(t, taken, 2)
	status := 200
	outcomes := []backend.EventOutcome{
		{ID: taken[0].ID, State: backend.EventDelivered, Invocation: "first", Status: &status, Request: []byte(`1`), Response: []byte(`2`)},
		{ID: taken[1].ID, State: backend.EventWaiting, RetryAt: time.Now().Add(-time.Second), Invocation: "second", Request: []byte(`1`), Response: []byte(`2`)},
	}

	d := &deafening{clients: make(chan net.Conn, 1)}
	address := d.through(t, f.url)
	distant, err := postgres.Open(t.Context(), postgres.Options{
		Primary:         schedule.Endpoint{Endpoint: wire.Endpoint{URL: func() (string, error) { return address, nil }, MaxConnections: 1}},
		ApplicationName: "postgres test",
	})
	require.NoError(t, err)
	t.Cleanup(distant.Close)
	require.NoError(t, distant.RecordEvents(t.Context(), nil), "it is connected")
	client := <-d.clients
	d.deaf.Store(true)
	failed := make(chan error, 1)
	go func() { failed <- distant.RecordEvents(t.Context(), outcomes) }()
	const invocations = `SELECT count(*)::text FROM engine_catalog.event_invocation_logs`
	require.Eventually(t, func() bool { return f.text(t, invocations) == "2" }, 30*time.Second, 5*time.Millisecond)
	require.NoError(t, client.Close())
	require.Error(t, <-failed)

	again, err := f.source.TakeEvents(t.Context(), wanted, 10)
	require.NoError(t, err)
	require.Len(t, again, 1, "its retry was due")
	require.NoError(t, f.source.RecordEvents(t.Context(), outcomes))
	require.Equal(t, "2", f.text(t, invocations))
	require.Equal(t, "1 true f, 1 false t", f.text(t, `SELECT string_agg(tries || ' ' || delivered || ' ' || left((locked IS NOT NULL)::text, 1), ', '
		ORDER BY delivered DESC) FROM engine_catalog.event_log`))
}

// TestRedeliveredEventsSayThatTheyWereTaken holds that an event which is requested again can be recognized
// from the one that was delivered, over all of its retries.
func TestRedeliveredEventsSayThatTheyWereTaken(t *testing.T) {
	t.Parallel()
	f := newEventFixture(t, `CREATE TABLE stock (id int PRIMARY KEY)`)
	f.install(t, false, f.all("watch", "stock"))
	f.exec(t, `INSERT INTO stock VALUES (1)`)
	taken, refused := 200, 500
	for i, step := range []struct {
		before int
		status *int
		state  backend.EventState
		again  bool
	}{
		{before: 0, status: &refused, state: backend.EventWaiting},
		{before: 0, status: &taken, state: backend.EventDelivered, again: true},
		{before: 1, status: nil, state: backend.EventWaiting},
		{before: 1, status: &taken, state: backend.EventDelivered, again: true},
		{before: 2, status: &taken, state: backend.EventDelivered},
	} {
		events, err := f.source.TakeEvents(t.Context(), []backend.EventDemand{{Trigger: "watch", Size: 1}}, 1)
		require.NoError(t, err)
		require.Len(t, events, 1)
		require.Equal(t, step.before, events[0].Taken, "step %d", i)
		pending, err := f.source.PendingEvents(t.Context(), []string{events[0].ID})
		require.NoError(t, err)
		require.Len(t, pending, 1)
		require.Equal(t, step.before, pending[0].Taken, "step %d", i)
		require.NoError(t, f.source.RecordEvents(t.Context(), []backend.EventOutcome{{
			ID: events[0].ID, State: step.state, RetryAt: time.Now().Add(-time.Second), Invocation: string(rune('a' + i)),
			Status: step.status, Request: []byte(`1`), Response: []byte(`2`),
		}}))
		if step.again {
			require.NoError(t, f.source.RedeliverEvent(t.Context(), events[0].ID))
		}
	}
}
