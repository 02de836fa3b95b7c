package bus

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/bus/natsserver"
	deliveryv1 "queryengine/proto/delivery/v1"
)

// TestForeignMessageInTheStream: followers skip messages that aren't changes of the stream, wherever they are, and
// the publisher learns that it has to rebuild the stream behind one.
func TestForeignMessageInTheStream(t *testing.T) {
	t.Parallel()
	for name, header := range map[string]nats.Header{
		"no version":     {},
		"bad part":       {headerStream: {"db-1"}, headerVersion: {"3"}, headerPart: {"x"}},
		"another stream": {headerStream: {"db-2"}, headerVersion: {"99"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := connected(t)
			c := b.Changes()
			require.NoError(t, c.Ensure(t.Context(), "db-1", 1))
			foreign := func() {
				_, err := b.js.PublishMsg(t.Context(), &nats.Msg{Subject: ChangesSubject, Header: header, Data: []byte("{}")})
				require.NoError(t, err)
			}
			require.NoError(t, c.Publish(t.Context(), 1, []byte("1")))
			foreign()
			require.ErrorIs(t, c.Publish(t.Context(), 2, []byte("2")), ErrStuck)
			_, err := c.Info(t.Context())
			require.ErrorIs(t, err, ErrStuck)
			for _, m := range splitChange("db-1", 2, []byte("2"), 100) {
				_, err := b.js.PublishMsg(t.Context(), m)
				require.NoError(t, err)
			}
			for after := range int64(2) {
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				done := errors.New("done")
				var got []int64
				err := c.Follow(ctx, after, func(_ context.Context, v int64, _ []byte) error {
					if got = append(got, v); v == 2 {
						return done
					}
					return nil
				})
				cancel()
				require.ErrorIs(t, err, done)
				require.Len(t, got, int(2-after))
			}
			foreign()
			require.NoError(t, c.Rebuild(t.Context(), "db-1", 1))
			require.NoError(t, c.Publish(t.Context(), 3, []byte("3")))
		})
	}
}

// TestForeignMessagesAmongTheSnapshots: answers that JetStream was made to store among the snapshots cost those, and no reader or writer.
func TestForeignMessagesAmongTheSnapshots(t *testing.T) {
	t.Parallel()
	b := connected(t)
	require.NoError(t, b.Changes().Ensure(t.Context(), "db-1", 1))
	s := b.Snapshots()
	put := func(version int64) {
		t.Helper()
		require.NoError(t, s.Put(t.Context(), "db-1", version, strings.NewReader("content")))
		require.NoError(t, s.Check(t.Context()))
	}
	for _, foreign := range []string{"", "{}", `{"name":"other"}`, "\xff"} {
		put(1)
		for i := range snapshotsKept {
			_, err := b.js.Publish(t.Context(), placeSubject(i), []byte(foreign))
			require.NoError(t, err)
		}
		_, _, err := s.Latest(t.Context())
		require.ErrorIs(t, err, ErrNoSnapshot)
		require.Error(t, s.Check(t.Context()))
		put(2)
		put(3)
		info, r, err := s.Latest(t.Context())
		require.NoError(t, err)
		require.NoError(t, r.Close())
		require.EqualValues(t, 3, info.Version)
	}

	store, err := b.js.ObjectStore(t.Context(), SnapshotsBucket)
	require.NoError(t, err)
	for i := range snapshotsKept {
		if o, err := store.GetInfo(t.Context(), placeName(i)); err == nil {
			_, err = b.js.Publish(t.Context(), "$O."+SnapshotsBucket+".C."+o.NUID, []byte("x"))
			require.NoError(t, err)
		}
	}
	require.ErrorIs(t, s.Check(t.Context()), jetstream.ErrDigestMismatch)
	put(3)
}

// TestForeignSnapshotStore: a store of another configuration, which can't be changed, is replaced.
func TestForeignSnapshotStore(t *testing.T) {
	t.Parallel()
	b := connected(t)
	_, err := b.js.CreateStream(t.Context(), jetstream.StreamConfig{Name: objectStream, Subjects: []string{"foreign"}, Storage: jetstream.MemoryStorage})
	require.NoError(t, err)
	require.NoError(t, b.Snapshots().ensure(t.Context(), 1))
	store, err := b.js.ObjectStore(t.Context(), SnapshotsBucket)
	require.NoError(t, err)
	status, err := store.Status(t.Context())
	require.NoError(t, err)
	require.Equal(t, jetstream.FileStorage, status.Storage())
}

// TestForeignQueueOfDeliveries: a stream or consumer of another configuration instead of the queue is replaced.
func TestForeignQueueOfDeliveries(t *testing.T) {
	t.Parallel()
	b := connected(t)
	d := b.Deliveries()
	passes := func() {
		t.Helper()
		identity, err := d.Ensure(t.Context(), 1)
		require.NoError(t, err)
		require.NotEmpty(t, identity)
		require.NoError(t, d.Publish(t.Context(), []Outgoing{{ID: identity, Delivery: &deliveryv1.Delivery{Kind: deliveryv1.Kind_KIND_TABLE_EVENT}}}))
		taken := 0
		require.NoError(t, d.Fetch(t.Context(), 1, func(i *Incoming) { taken++; require.NoError(t, i.Done()) }))
		require.Equal(t, 1, taken)
	}
	for _, c := range []jetstream.StreamConfig{
		{Subjects: []string{"elsewhere"}},
		{Subjects: []string{deliveriesSubject}, Retention: jetstream.WorkQueuePolicy, Metadata: map[string]string{streamIDKey: "x"}, RePublish: &jetstream.RePublish{Source: ">", Destination: "elsewhere.>"}},
		{Sources: []*jetstream.StreamSource{{Name: ChangesStream}}},
	} {
		c.Name = DeliveriesStream
		require.NoError(t, b.deleteStuck(t.Context(), DeliveriesStream))
		_, err := b.js.CreateStream(t.Context(), c)
		require.NoError(t, err)
		if c.RePublish == nil {
			require.Error(t, d.Publish(t.Context(), []Outgoing{{ID: "1", Delivery: &deliveryv1.Delivery{Kind: deliveryv1.Kind_KIND_TABLE_EVENT}}}))
		}
		_, err = d.Ensure(t.Context(), 1)
		require.NoError(t, err)
		d.consumer = nil // as after a Fetch that failed
		passes()
	}
	require.NoError(t, b.deleteStuck(t.Context(), DeliveriesStream))
	_, err := d.Ensure(t.Context(), 1)
	require.NoError(t, err)
	_, err = b.js.CreateOrUpdatePushConsumer(t.Context(), DeliveriesStream, jetstream.ConsumerConfig{Durable: deliveriesConsumer, DeliverSubject: "elsewhere", AckPolicy: jetstream.AckExplicitPolicy})
	require.NoError(t, err)
	d.consumer = nil
	require.Error(t, d.Fetch(t.Context(), 1, func(*Incoming) {}))
	passes()
}

// connected is a bus on a server of its own.
func connected(t *testing.T) *Bus {
	t.Helper()
	server, err := natsserver.Start(natsserver.Config{Dir: t.TempDir(), Port: -1, NoSync: true})
	require.NoError(t, err)
	t.Cleanup(server.Stop)
	b, err := Connect(t.Context(), Config{URL: server.ClientURL()})
	require.NoError(t, err)
	t.Cleanup(b.Close)
	return b
}
