package table

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/backend"
	"queryengine/pkg/bus"
	"queryengine/pkg/metadata"
	deliveryv1 "queryengine/proto/delivery/v1"
	"queryengine/services/event-delivery/internal/delivery"
)

// kept is a queue that keeps what is published.
type kept struct{ list []bus.Outgoing }

func (k *kept) Publish(_ context.Context, list []bus.Outgoing) error {
	k.list = append(k.list, list...)
	return nil
}

// inOrder is a process that delivers the events of the ordered trigger watch.
func (c *cleanUps) inOrder(t *testing.T) (*Events, *source, *kept) {
	t.Helper()
	opened := c.open(t)
	log, ok := opened.(backend.EventLog)
	require.True(t, ok)
	q := &kept{}
	m, err := NewMetrics(prometheus.NewRegistry(), true)
	require.NoError(t, err)
	e := New(Config{Logger: slog.New(slog.DiscardHandler), Now: time.Now, Queue: q, Batch: 10, Metrics: m})
	s := newSource(&e.Config, &metadata.Source{Name: "default"}, log)
	s.learn(map[string]*trigger{"watch": {EventTrigger: &metadata.EventTrigger{Name: "watch", OrderByKey: true}, pace: newPace(10)}}, 1)
	e.sources["default"] = s
	return e, s, q
}

// TestOldMessagesOfAnOrderedTrigger holds that an event of an ordered trigger is delivered by the one
// message that its lease was published with, once: a queue that has lost its acknowledgements and
// leases gives messages again as if they were new.
func TestOldMessagesOfAnOrderedTrigger(t *testing.T) {
	t.Parallel()
	c := newCleanUps(t)
	first, s, q := c.inOrder(t)
	second, _, _ := c.inOrder(t)
	c.exec(t, `INSERT INTO stock VALUES (1)`)
	take := func() *deliveryv1.Delivery {
		t.Helper()
		n, err := s.captureOnce(t.Context())
		require.NoError(t, err)
		require.Equal(t, 1, n)
		return q.list[len(q.list)-1].Delivery
	}
	admit := func(e *Events, d *deliveryv1.Delivery, stale bool) bool {
		t.Helper()
		copied, ok := proto.Clone(d).(*deliveryv1.Delivery)
		require.True(t, ok)
		admitted, err := e.Admit(t.Context(), copied, stale)
		require.NoError(t, err)
		return admitted
	}
	d := take()
	require.True(t, admit(first, d, false))
	require.False(t, admit(second, d, false), "another process has it in hand")
	require.False(t, admit(second, d, true), "another process has it in hand")

	// Given back, it is taken again; the message of before is an old one now.
	first.Leave(d, false)
	again := take()
	require.Equal(t, d.GetEventId(), again.GetEventId())
	require.False(t, admit(second, d, false))
	require.True(t, admit(second, again, false))

	// Delivered, it doesn't come again.
	require.NoError(t, second.Record(t.Context(), []delivery.Outcome{{EventID: d.GetEventId(), Source: "default", State: delivery.Delivered}}))
	second.Leave(again, true)
	for _, e := range []*Events{first, second} {
		require.False(t, admit(e, d, false))
		require.False(t, admit(e, again, false))
	}
}
