package assembly

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/bus"
	"queryengine/pkg/bus/natsserver"
	"queryengine/pkg/dbtest"
	"queryengine/pkg/egress"
	"queryengine/pkg/lifecycle"
	"queryengine/pkg/session"
	"queryengine/pkg/snapshot"
	metadatav1 "queryengine/proto/metadata/v1"
	eventdelivery "queryengine/services/event-delivery"
	"queryengine/services/metadata"
	"queryengine/services/scheduler"
)

// patience bounds the waits of the tests.
const patience = 60 * time.Second

// clock is a clock that the test moves.
type clock struct {
	mu  sync.Mutex
	now time.Time
	// runs has it never show the same time twice.
	runs bool
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.runs {
		c.now = c.now.Add(time.Microsecond)
	}
	return c.now
}

func (c *clock) step(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// hook is a webhook that counts the calls of each event.
type hook struct {
	*httptest.Server
	mu    sync.Mutex
	calls map[string]int
	// answer decides the answer by the body, nil for 200.
	answer func(w http.ResponseWriter, body map[string]any)
}

func newHook(t *testing.T) *hook {
	t.Helper()
	h := &hook{calls: map[string]int{}}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		h.mu.Lock()
		id, _ := body["id"].(string)
		h.calls[id]++
		h.mu.Unlock()
		if h.answer != nil {
			h.answer(w, body)
		}
	}))
	t.Cleanup(h.Close)
	return h
}

func (h *hook) callsOf(id string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.calls[id]
}

// installation is NATS, a metadata database and a metadata service.
type installation struct {
	t    *testing.T
	nats *natsserver.Server
	url  string
	db   *pgxpool.Pool
	bus  *bus.Bus
}

func install(t *testing.T) *installation {
	t.Helper()
	server, err := natsserver.Start(natsserver.Config{Dir: t.TempDir(), Port: -1, NoSync: true})
	require.NoError(t, err)
	t.Cleanup(server.Stop)
	i := &installation{t: t, nats: server, url: dbtest.URL(t)}
	i.db, err = pgxpool.New(t.Context(), i.url)
	require.NoError(t, err)
	t.Cleanup(i.db.Close)
	i.bus = i.connect()
	s, err := metadata.New(metadata.Config{MetadataURL: i.url, Replicas: 1, History: 100}, metadata.Deps{
		Bus: i.bus, Logger: slog.New(slog.DiscardHandler), Env: os.LookupEnv,
	})
	require.NoError(t, err)
	i.run(s)
	return i
}

func (i *installation) connect() *bus.Bus {
	i.t.Helper()
	ctx, cancel := context.WithTimeout(i.t.Context(), patience)
	defer cancel()
	b, err := bus.Connect(ctx, bus.Config{URL: i.nats.ClientURL()})
	require.NoError(i.t, err)
	i.t.Cleanup(b.Close)
	return b
}

// run starts a service, which ends with the test when it wasn't stopped before.
func (i *installation) run(s lifecycle.Service) {
	i.t.Helper()
	ctx, cancel := context.WithTimeout(i.t.Context(), patience)
	defer cancel()
	require.NoError(i.t, s.Start(ctx))
	i.t.Cleanup(s.Stop)
}

func (i *installation) scheduler(c *clock) lifecycle.Service {
	i.t.Helper()
	s, err := scheduler.New(
		scheduler.Config{MetadataURL: i.url, Replicas: 1, Interval: 10 * time.Millisecond, Lease: 500 * time.Millisecond},
		scheduler.Deps{Bus: i.connect(), Logger: slog.New(slog.DiscardHandler), Now: c.Now})
	require.NoError(i.t, err)
	i.run(s)
	return s
}

func (i *installation) delivery(c *clock) lifecycle.Service {
	i.t.Helper()
	s, err := eventdelivery.New(
		eventdelivery.Config{MetadataURL: i.url, Replicas: 1, Concurrency: 100, Egress: egress.DefaultConfig(), StopTimeout: 5 * time.Second},
		eventdelivery.Deps{Bus: i.connect(), Logger: slog.New(slog.DiscardHandler), Env: os.LookupEnv, Now: c.Now})
	require.NoError(i.t, err)
	i.run(s)
	return s
}

// request sends a request of the metadata API that must succeed.
func (i *installation) request(kind string, args any) json.RawMessage {
	i.t.Helper()
	body, err := json.Marshal(map[string]any{"type": kind, "args": args})
	require.NoError(i.t, err)
	ctx, cancel := context.WithTimeout(i.t.Context(), patience)
	defer cancel()
	admin := &session.Session{Role: session.Admin, Variables: map[string]string{session.RoleHeader: session.Admin}}
	_, answer, err := i.bus.CallMessage(ctx, bus.MetadataApply, &metadatav1.ApplyRequest{
		Endpoint: metadatav1.ApplyRequest_ENDPOINT_V1_METADATA, Session: admin.Proto(), Body: body,
	}, func() proto.Message { return &metadatav1.ApplyHead{} }, 1<<20)
	require.NoError(i.t, err)
	return answer
}

// known waits until a service has the metadata that is in effect.
func (i *installation) known(s lifecycle.Service) {
	i.t.Helper()
	var versions struct {
		Current int64 `json:"resource_version"`
	}
	require.NoError(i.t, json.Unmarshal(i.request("list_metadata_versions", map[string]any{"limit": 1}), &versions))
	ctx, cancel := context.WithTimeout(i.t.Context(), patience)
	defer cancel()
	_, err := s.(interface{ Follower() *snapshot.Follower }).Follower().WaitFor(ctx, versions.Current) //nolint:forcetypeassert // fails the test
	require.NoError(i.t, err)
}

// number is what a query of the metadata database gives.
func (i *installation) number(sql string, args ...any) (n int) {
	i.t.Helper()
	require.NoError(i.t, i.db.QueryRow(i.t.Context(), sql, args...).Scan(&n))
	return n
}

// awaitNumber waits until a query of the metadata database gives a number.
func (i *installation) awaitNumber(want int, sql string, args ...any) {
	i.t.Helper()
	got := -1
	require.Eventually(i.t, func() bool {
		return i.db.QueryRow(i.t.Context(), sql, args...).Scan(&got) == nil && got == want
	}, patience, 5*time.Millisecond, "%s: want %d", sql, want)
}

// TestTicksOverStepsAndRestarts holds that each tick is once in the table, and is delivered
// at least once, whatever happens to clocks, schedulers, workers and the stream.
func TestTicksOverStepsAndRestarts(t *testing.T) {
	t.Parallel()
	i := install(t)
	h := newHook(t)
	i.request("create_cron_trigger", map[string]any{
		"name": "minutely", "webhook": h.URL, "schedule": "* * * * *", "include_in_metadata": true,
	})
	var first time.Time
	require.NoError(t, i.db.QueryRow(t.Context(), `SELECT min(scheduled_time) FROM engine_catalog.engine_cron_events`).Scan(&first))

	// Two schedulers, whose clocks differ, and two workers.
	early, late := &clock{now: first.Add(-time.Minute)}, &clock{now: first.Add(-90 * time.Second)}
	newest := early.Now()
	step := func(d time.Duration) {
		early.step(d)
		late.step(d)
		if now := early.Now(); now.After(newest) {
			newest = now
		}
	}
	schedulers := []lifecycle.Service{i.scheduler(early), i.scheduler(late)}
	workers := []lifecycle.Service{i.delivery(early), i.delivery(late)}
	const pending = `SELECT count(*) FROM engine_catalog.engine_cron_events WHERE status <> 'delivered' AND scheduled_time <= $1`
	settle := func() {
		// Events that the slower clock knows of are delivered, whichever scheduler is active.
		i.awaitNumber(0, pending, late.Now())
	}
	for _, d := range []time.Duration{time.Minute, 3 * time.Minute, -2 * time.Minute, 30 * time.Minute} {
		step(d)
		settle()
	}
	schedulers[0].Stop() // the other takes over
	step(20 * time.Minute)
	settle()
	workers[0].Stop()
	step(-15 * time.Minute)
	schedulers[0] = i.scheduler(early)
	step(30 * time.Minute)
	settle()

	schedulers[0].Stop()
	schedulers[1].Stop()
	step(60 * time.Minute) // ticks are missed, beyond those that were planned
	i.loseStream()
	schedulers[1] = i.scheduler(late)
	settle()
	workers[1].Stop()
	step(2 * time.Minute)
	i.delivery(early)
	settle()

	var ticks, distinct, missing int
	require.NoError(t, i.db.QueryRow(t.Context(), `SELECT count(*), count(DISTINCT scheduled_time),
		(SELECT count(*) FROM generate_series($1::timestamptz, $2::timestamptz, '1 minute') t
			WHERE NOT EXISTS (SELECT FROM engine_catalog.engine_cron_events e WHERE e.scheduled_time = t))
		FROM engine_catalog.engine_cron_events`, first, newest).Scan(&ticks, &distinct, &missing))
	require.Equal(t, distinct, ticks, "no tick is twice in the table")
	require.Zero(t, missing, "no tick is missing")
	rows, err := i.db.Query(t.Context(), `SELECT id FROM engine_catalog.engine_cron_events WHERE status = 'delivered'`)
	require.NoError(t, err)
	defer rows.Close()
	delivered := 0
	for rows.Next() {
		var id string
		require.NoError(t, rows.Scan(&id))
		require.Positive(t, h.callsOf(id), id)
		delivered++
	}
	require.NoError(t, rows.Err())
	require.GreaterOrEqual(t, delivered, int(late.Now().Sub(first)/time.Minute))
}

// loseStream restarts NATS with an empty directory: the work queue is gone with everything in it.
// (Deleting the stream is no substitute: a stream that is recreated at that moment may never accept a
// message, which is a fault of the server.)
func (i *installation) loseStream() {
	i.t.Helper()
	port := i.nats.Port()
	i.nats.Stop()
	server, err := natsserver.Start(natsserver.Config{Dir: i.t.TempDir(), Port: port, NoSync: true})
	require.NoError(i.t, err)
	i.t.Cleanup(server.Stop)
	i.nats = server
}

// TestLockedEventsOfALostStream holds that an event which was published to a stream that is
// gone is published to the next one.
func TestLockedEventsOfALostStream(t *testing.T) {
	t.Parallel()
	i := install(t)
	h := newHook(t)
	now := &clock{now: time.Now()}
	i.scheduler(now)
	i.request("create_scheduled_event", map[string]any{"webhook": h.URL, "schedule_at": now.Now().UTC().Format(time.RFC3339)})
	i.awaitNumber(1, `SELECT count(*) FROM engine_catalog.engine_scheduled_events WHERE status = 'locked'`)
	i.loseStream()
	i.delivery(now)
	i.awaitNumber(1, `SELECT count(*) FROM engine_catalog.engine_scheduled_events WHERE status = 'delivered'`)
}

// TestOneOffEventIsRetried follows one event from its first call to its last.
func TestOneOffEventIsRetried(t *testing.T) {
	t.Parallel()
	i := install(t)
	h := newHook(t)
	now := &clock{now: time.Now().Truncate(time.Second)}
	h.answer = func(w http.ResponseWriter, body map[string]any) {
		switch h.callsOf(body["id"].(string)) {
		case 1:
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(http.StatusServiceUnavailable)
		case 2:
			w.WriteHeader(http.StatusInternalServerError)
		default:
			_, _ = io.WriteString(w, `{"taken":true}`)
		}
	}
	i.scheduler(now)
	i.delivery(now)
	var created struct {
		ID string `json:"event_id"`
	}
	require.NoError(t, json.Unmarshal(i.request("create_scheduled_event", map[string]any{
		"webhook": h.URL, "schedule_at": now.Now().UTC().Format(time.RFC3339), "payload": map[string]int{"k": 1}, "comment": "once",
		"retry_conf": map[string]int{"num_retries": 1, "retry_interval_seconds": 600},
	}), &created))
	const waiting = `SELECT count(*) FROM engine_catalog.engine_scheduled_events WHERE status = 'scheduled' AND tries = $1 AND next_retry_at = $2`
	i.awaitNumber(1, waiting, 1, now.Now().Add(time.Hour))
	now.step(time.Hour)
	// Retries are used up: Retry-After is no part of them, but it counts as a try.
	i.awaitNumber(1, `SELECT count(*) FROM engine_catalog.engine_scheduled_events WHERE status = 'error' AND tries = 2`)
	require.Equal(t, 2, h.callsOf(created.ID))

	var log struct {
		Invocations []struct {
			Status   int `json:"status"`
			Response struct{ Type, Version string }
			Request  struct {
				Payload map[string]any
				Version string
			}
		}
	}
	require.NoError(t, json.Unmarshal(i.request("get_scheduled_event_invocations", map[string]any{"type": "one_off", "event_id": created.ID}), &log))
	require.Len(t, log.Invocations, 2)
	require.Equal(t, []int{500, 503}, []int{log.Invocations[0].Status, log.Invocations[1].Status})
	require.Equal(t, "client_error", log.Invocations[0].Response.Type)
	require.Equal(t, "1", log.Invocations[0].Request.Version)
	require.Equal(t, "once", log.Invocations[0].Request.Payload["comment"])
	require.NotContains(t, log.Invocations[0].Request.Payload, "name")
	require.Contains(t, log.Invocations[0].Request.Payload, "created_at")
}

// TestLateEventsAreDead holds that tolerance is about the scheduled time.
func TestLateEventsAreDead(t *testing.T) {
	t.Parallel()
	i := install(t)
	h := newHook(t)
	now := &clock{now: time.Now()}
	i.request("create_scheduled_event", map[string]any{
		"webhook": h.URL, "schedule_at": now.Now().Add(-time.Minute).UTC().Format(time.RFC3339), "retry_conf": map[string]int{"tolerance_seconds": 30},
	})
	i.request("create_scheduled_event", map[string]any{
		"webhook": "{{NO_SUCH_VARIABLE}}", "schedule_at": now.Now().Add(-time.Minute).UTC().Format(time.RFC3339),
	})
	i.scheduler(now)
	i.delivery(now)
	i.awaitNumber(1, `SELECT count(*) FROM engine_catalog.engine_scheduled_events WHERE status = 'dead' AND tries = 0`)
	i.awaitNumber(1, `SELECT count(*) FROM engine_catalog.engine_scheduled_events e
		JOIN engine_catalog.engine_scheduled_event_invocation_logs l ON l.event_id = e.id
		WHERE e.status = 'error' AND l.status = 500 AND l.request->'payload'->>'error'
			= 'Error creating the request. The value for environment variables not found: NO_SUCH_VARIABLE'`)
	require.Empty(t, h.calls)
}
