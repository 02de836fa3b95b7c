package delivery

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/bus"
	"queryengine/pkg/bus/bustest"
	"queryengine/pkg/egress"
	deliveryv1 "queryengine/proto/delivery/v1"
)

const patience = 60 * time.Second

// memory is a kind whose events are in memory.
type memory struct {
	target *Target
	// broken makes Record fail that many times.
	broken atomic.Int32

	mu    sync.Mutex
	ended map[string]int
	calls int
}

func (m *memory) Admit(context.Context, *deliveryv1.Delivery, bool) (bool, error) { return true, nil }

func (m *memory) Leave(*deliveryv1.Delivery, bool) {}

func (m *memory) Prepare(d *deliveryv1.Delivery) (*Attempt, *Outcome) {
	if d.GetTrigger() == "" {
		return nil, &Outcome{EventID: d.GetEventId(), State: Dead}
	}
	return &Attempt{EventID: d.GetEventId(), Version: "1", Body: []byte("{}"), Target: m.target}, nil
}

func (m *memory) Record(_ context.Context, outcomes []Outcome) error {
	if m.broken.Add(-1) >= 0 {
		return errors.New("the database is away")
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	for _, o := range outcomes {
		m.ended[o.EventID]++
	}
	return nil
}

func (m *memory) count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.ended)
}

func startWorker(t *testing.T, b *bus.Bus, kind Kind) *Worker {
	t.Helper()
	client, err := egress.New(egress.DefaultConfig())
	require.NoError(t, err)
	t.Cleanup(client.Close)
	w := New(Config{
		Queue: b.Deliveries(), Replicas: 1, Kinds: map[deliveryv1.Kind]Kind{deliveryv1.Kind_KIND_CRON: kind}, Client: client,
		Concurrency: 8, Logger: slog.New(slog.DiscardHandler), Now: time.Now,
		Await: func(context.Context, int64) error { return nil },
	})
	w.Start()
	return w
}

func publish(t *testing.T, b *bus.Bus, n int, trigger string) {
	t.Helper()
	queue := b.Deliveries()
	_, err := queue.Ensure(t.Context(), 1)
	require.NoError(t, err)
	list := make([]bus.Outgoing, n)
	for i := range list {
		id := trigger + strconv.Itoa(i)
		list[i] = bus.Outgoing{ID: id, Delivery: &deliveryv1.Delivery{Kind: deliveryv1.Kind_KIND_CRON, EventId: id, Trigger: trigger}}
	}
	require.NoError(t, queue.Publish(t.Context(), list))
	require.NoError(t, queue.Publish(t.Context(), list), "the same again does nothing")
}

func TestWorkerRecordsEachDeliveryOnce(t *testing.T) {
	t.Parallel()
	b := bustest.Connect(t, bustest.Server(t))
	s := answering(t, http.StatusOK, "")
	m := &memory{target: &Target{URL: s.URL, Timeout: patience}, ended: map[string]int{}}
	m.broken.Store(1)
	w := startWorker(t, b, m)
	publish(t, b, 50, "called")
	publish(t, b, 50, "")
	require.Eventually(t, func() bool { return m.count() == 100 }, patience, 5*time.Millisecond)
	w.Stop(patience)
	for id, n := range m.ended {
		require.Equal(t, 1, n, id)
	}
	require.Less(t, m.calls, 100, "outcomes are written in batches")
}

// TestStoppedWorkerReleasesWhatItHolds holds that a delivery whose webhook doesn't answer
// goes to another worker when its worker is stopped.
func TestStoppedWorkerReleasesWhatItHolds(t *testing.T) {
	t.Parallel()
	b := bustest.Connect(t, bustest.Server(t))
	var calls atomic.Int32
	called := make(chan struct{}, 1)
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // a server notices that a client has gone when all is read
		if calls.Add(1) == 1 {
			called <- struct{}{}
			<-r.Context().Done() // until the worker gives up
		}
	}))
	t.Cleanup(s.Close)
	m := &memory{target: &Target{URL: s.URL, Timeout: patience}, ended: map[string]int{}}
	first := startWorker(t, b, m)
	publish(t, b, 1, "slow")
	<-called
	first.Stop(0)
	require.Zero(t, m.count())
	second := startWorker(t, b, m)
	require.Eventually(t, func() bool { return m.count() == 1 }, patience, 5*time.Millisecond)
	second.Stop(patience)
	require.EqualValues(t, 2, calls.Load())
}
