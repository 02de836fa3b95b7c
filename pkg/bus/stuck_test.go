package bus_test

import (
	"bytes"
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/bus"
	"queryengine/pkg/bus/bustest"
	deliveryv1 "queryengine/proto/delivery/v1"
)

func TestMain(m *testing.M) {
	bustest.ServeIfAsked()
	os.Exit(m.Run())
}

// TestFullDisk: NATS gives up a stream that it could not write, and doesn't answer publishers. Once
// there is space again, each of the streams accepts messages without a restart.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	nats := bustest.NewProcess(t)
	b := bustest.ConnectWith(t, bus.Config{URL: nats.URL()})
	const short = 2 * time.Second // a message is stored in much less, or never
	bounded := func(f func(ctx context.Context) error) error {
		ctx, cancel := context.WithTimeout(t.Context(), short)
		defer cancel()
		return f(ctx)
	}
	require.NoError(t, b.Changes().Ensure(t.Context(), "db-1", 1))
	deliveries := b.Deliveries()
	identity, err := deliveries.Ensure(t.Context(), 1)
	require.NoError(t, err)
	change := func(ctx context.Context) error { return b.Changes().Publish(ctx, 2, []byte("change")) }
	put := func(ctx context.Context) error {
		return b.Snapshots().Put(ctx, "db-1", 2, bytes.NewReader([]byte("snapshot")))
	}
	deliver := func(ctx context.Context) error {
		return deliveries.Publish(ctx, []bus.Outgoing{{ID: "1", Delivery: &deliveryv1.Delivery{EventId: "1"}}})
	}
	require.NoError(t, deliveries.Status())

	nats.FillDisk()
	for _, write := range []func(context.Context) error{change, put, deliver} {
		err := bounded(write)
		require.Error(t, err)
		require.NotErrorIs(t, err, bus.ErrStuck, "it may be slow")
	}
	require.ErrorContains(t, deliveries.Status(), "deliveries can't be published")
	nats.MakeRoom()

	require.ErrorIs(t, bounded(change), bus.ErrStuck)
	require.NoError(t, b.Changes().Rebuild(t.Context(), "db-1", 1), "which is for who knows the history")
	require.NoError(t, change(t.Context()))

	require.ErrorIs(t, bounded(put), bus.ErrStuck)
	require.NoError(t, put(t.Context()), "the store was made again")

	require.ErrorIs(t, bounded(deliver), bus.ErrStuck)
	require.Error(t, deliveries.Status())
	again, err := deliveries.Ensure(t.Context(), 1)
	require.NoError(t, err)
	require.NotEqual(t, identity, again, "by which the scheduler knows what is to be published again")
	require.NoError(t, deliver(t.Context()))
	require.NoError(t, deliveries.Status())
}
