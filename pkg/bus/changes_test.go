package bus_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/bus"
	"queryengine/pkg/bus/bustest"
)

func publishRange(t testing.TB, c *bus.Changes, from, to int64) {
	t.Helper()
	for v := from; v <= to; v++ {
		require.NoError(t, c.Publish(t.Context(), v, []byte("change "+strconv.FormatInt(v, 10))))
	}
}

// history collects what a follower gets.
type history struct {
	mu       sync.Mutex
	versions []int64
	grown    chan struct{}
}

func newHistory() *history { return &history{grown: make(chan struct{}, 1000)} }

func (h *history) take(_ context.Context, version int64, data []byte) error {
	if want := "change " + strconv.FormatInt(version, 10); string(data) != want {
		return fmt.Errorf("got %q, want %q", data, want)
	}
	h.mu.Lock()
	h.versions = append(h.versions, version)
	h.mu.Unlock()
	h.grown <- struct{}{}
	return nil
}

func (h *history) last() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.versions) == 0 {
		return 0
	}
	return h.versions[len(h.versions)-1]
}

func (h *history) waitFor(t testing.TB, version int64) {
	t.Helper()
	for h.last() < version {
		awaitSignal(t, h.grown, fmt.Sprintf("version %d did not come, only %d", version, h.last()))
	}
}

// requireExactly checks that every version came once and in order.
func (h *history) requireExactly(t testing.TB, from, to int64) {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	var want []int64
	for v := from; v <= to; v++ {
		want = append(want, v)
	}
	require.Equal(t, want, h.versions)
}

func follow(t testing.TB, c *bus.Changes, after int64) (h *history, end <-chan error) {
	t.Helper()
	h = newHistory()
	ended := make(chan error, 1)
	go func() { ended <- c.Follow(t.Context(), after, h.take) }()
	return h, ended
}

func TestChangesAreFollowedInOrder(t *testing.T) {
	t.Parallel()
	server := bustest.Server(t)
	c := bustest.Connect(t, server).Changes()
	require.NoError(t, c.Ensure(t.Context(), "db-1", 1))
	publishRange(t, c, 11, 60)
	info, err := c.Info(t.Context())
	require.NoError(t, err)
	require.Equal(t, bus.ChangesInfo{StreamID: "db-1", FirstVersion: 11, LastVersion: 60}, info)

	other := bustest.Connect(t, server).Changes()
	for after, first := range map[int64]int64{0: 11, 10: 11, 11: 12, 35: 36, 59: 60, 60: 61} {
		h, _ := follow(t, other, after)
		defer h.requireExactly(t, first, 70)
		defer h.waitFor(t, 70)
	}
	publishRange(t, c, 61, 70)
}

func TestChangesAreStoredOnce(t *testing.T) {
	t.Parallel()
	server := bustest.Server(t)
	c := bustest.Connect(t, server).Changes()
	require.NoError(t, c.Ensure(t.Context(), "db-1", 1))
	publishRange(t, c, 1, 3)
	publishRange(t, c, 1, 3)
	publishRange(t, c, 3, 5)
	h, _ := follow(t, c, 0)
	h.waitFor(t, 5)
	h.requireExactly(t, 1, 5)
}

// Two publishers that both try all versions leave each of them once and in order.
func TestChangesOfTwoPublishers(t *testing.T) {
	t.Parallel()
	server := bustest.Server(t)
	var publishers sync.WaitGroup
	for range 2 {
		c := bustest.Connect(t, server).Changes()
		require.NoError(t, c.Ensure(t.Context(), "db-1", 1))
		publishers.Go(func() { publishRange(t, c, 1, 50) })
	}
	publishers.Wait()
	h, _ := follow(t, bustest.Connect(t, server).Changes(), 0)
	h.waitFor(t, 50)
	h.requireExactly(t, 1, 50)
}

func TestFollowWaitsForTheStream(t *testing.T) {
	t.Parallel()
	server := bustest.Server(t)
	b := bustest.Connect(t, server)
	info, err := b.Changes().Info(t.Context())
	require.NoError(t, err)
	require.Zero(t, info)
	h, _ := follow(t, b.Changes(), 0)
	c := bustest.Connect(t, server).Changes()
	require.NoError(t, c.Ensure(t.Context(), "db-1", 1))
	publishRange(t, c, 1, 2)
	h.waitFor(t, 2)
	h.requireExactly(t, 1, 2)
}

func TestFollowSurvivesServerRestarts(t *testing.T) {
	t.Parallel()
	r := newRestartable(t)
	publisher, b := bustest.Connect(t, r.server), bustest.Connect(t, r.server)
	require.NoError(t, publisher.Changes().Ensure(t.Context(), "db-1", 1))
	h, _ := follow(t, b.Changes(), 0)
	next := int64(1)
	for range 3 {
		publishRange(t, publisher.Changes(), next, next+9)
		next += 10
		r.server.Stop()
		require.Error(t, publisher.Changes().Publish(t.Context(), next, nil))
		r.start(t)
		require.Eventually(t, func() bool { return publisher.Status() == nil }, patience, time.Millisecond)
	}
	publishRange(t, publisher.Changes(), next, next)
	h.waitFor(t, next)
	h.requireExactly(t, 1, next)
}

func TestFollowSurvivesALostConnection(t *testing.T) {
	t.Parallel()
	server := bustest.Server(t)
	p := newProxy(t, server.ClientURL())
	publisher := bustest.Connect(t, server).Changes()
	require.NoError(t, publisher.Ensure(t.Context(), "db-1", 1))
	h, _ := follow(t, bustest.ConnectWith(t, bus.Config{URL: p.url()}).Changes(), 0)
	for v := int64(1); v <= 100; v++ {
		publishRange(t, publisher, v, v)
		if v%30 == 0 {
			p.interrupt()
		}
	}
	h.waitFor(t, 100)
	h.requireExactly(t, 1, 100)
}

func TestFollowEndsWithItsContextAndItsHandler(t *testing.T) {
	t.Parallel()
	c := bustest.Connect(t, bustest.Server(t)).Changes()
	require.NoError(t, c.Ensure(t.Context(), "db-1", 1))
	publishRange(t, c, 1, 2)
	broken := errors.New("broken")
	err := c.Follow(t.Context(), 1, func(context.Context, int64, []byte) error { return broken })
	require.ErrorIs(t, err, broken)
	require.ErrorContains(t, err, "apply version 2")
	ctx, cancel := context.WithCancel(t.Context())
	err = c.Follow(ctx, 1, func(context.Context, int64, []byte) error { cancel(); return nil })
	require.ErrorIs(t, err, context.Canceled)
}

func TestForeignStream(t *testing.T) {
	t.Parallel()
	server := bustest.Server(t)
	one, two := bustest.Connect(t, server).Changes(), bustest.Connect(t, server).Changes()
	require.Error(t, one.Publish(t.Context(), 1, nil), "nothing was set up")
	require.NoError(t, one.Ensure(t.Context(), "db-1", 1))
	require.NoError(t, one.Ensure(t.Context(), "db-1", 1))
	publishRange(t, one, 1, 3)
	require.ErrorIs(t, two.Ensure(t.Context(), "db-2", 1), bus.ErrForeignStream)
	nobody := func(context.Context, int64, []byte) error { return errors.New("not asked for") }
	require.ErrorIs(t, two.FollowStream(t.Context(), "db-2", 0, nobody), bus.ErrForeignStream)

	h, end := follow(t, one, 0)
	h.waitFor(t, 3)
	require.NoError(t, two.Rebuild(t.Context(), "db-2", 1))
	require.ErrorIs(t, <-end, bus.ErrForeignStream)
	require.ErrorIs(t, one.Publish(t.Context(), 4, nil), bus.ErrForeignStream)
	info, err := one.Info(t.Context())
	require.NoError(t, err)
	require.Equal(t, bus.ChangesInfo{StreamID: "db-2"}, info)
}

// A stream that was rebuilt with the same identity is another one too.
func TestFollowNoticesARebuild(t *testing.T) {
	t.Parallel()
	c := bustest.Connect(t, bustest.Server(t)).Changes()
	require.NoError(t, c.Ensure(t.Context(), "db-1", 1))
	publishRange(t, c, 1, 3)
	h, end := follow(t, c, 0)
	h.waitFor(t, 3)
	require.NoError(t, c.Rebuild(t.Context(), "db-1", 1))
	publishRange(t, c, 8, 9)
	require.ErrorIs(t, <-end, bus.ErrForeignStream)
	h.requireExactly(t, 1, 3)
}

func TestChangeLargerThanAMessage(t *testing.T) {
	t.Parallel()
	server := bustest.Server(t)
	c := bustest.Connect(t, server).Changes()
	require.NoError(t, c.Ensure(t.Context(), "db-1", 1))
	large := randomBytes(20 << 20)
	for v, data := range [][]byte{[]byte("1"), large, []byte("3"), large, []byte("5")} {
		require.NoError(t, c.Publish(t.Context(), int64(v+1), data))
		require.NoError(t, c.Publish(t.Context(), int64(v+1), data))
	}
	info, err := c.Info(t.Context())
	require.NoError(t, err)
	require.Equal(t, bus.ChangesInfo{StreamID: "db-1", FirstVersion: 1, LastVersion: 5}, info)
	done := errors.New("done")
	for after := range int64(5) {
		next := after + 1
		err := bustest.Connect(t, server).Changes().Follow(t.Context(), after, func(_ context.Context, v int64, data []byte) error {
			require.Equal(t, next, v)
			if v%2 == 0 {
				require.True(t, bytes.Equal(large, data))
			} else {
				require.Equal(t, strconv.FormatInt(v, 10), string(data))
			}
			if next++; v == 5 {
				return done
			}
			return nil
		})
		require.ErrorIs(t, err, done)
	}
}

func TestSnapshots(t *testing.T) {
	t.Parallel()
	server := bustest.Server(t)
	b := bustest.Connect(t, server)
	snapshots := b.Snapshots()
	_, _, err := snapshots.Latest(t.Context())
	require.ErrorIs(t, err, bus.ErrNoSnapshot)
	require.NoError(t, b.Changes().Ensure(t.Context(), "db-1", 1))
	_, _, err = snapshots.Latest(t.Context())
	require.ErrorIs(t, err, bus.ErrNoSnapshot)

	large := randomBytes(12 << 20)
	for _, v := range []int64{4, 9, 9, 12, 20, 15, 3} {
		require.NoError(t, snapshots.Put(t.Context(), "db-1", v, bytes.NewReader(append(large, byte(v)))))
	}
	info, data := latest(t, bustest.Connect(t, server))
	require.Equal(t, bus.SnapshotInfo{StreamID: "db-1", Version: 20}, info)
	require.True(t, bytes.Equal(append(large, 20), data))

	// One of another database takes over, even with a lower version.
	require.NoError(t, snapshots.Put(t.Context(), "db-2", 2, bytes.NewReader([]byte("two"))))
	info, data = latest(t, b)
	require.Equal(t, bus.SnapshotInfo{StreamID: "db-2", Version: 2}, info)
	require.Equal(t, "two", string(data))
	for v := int64(3); v < 8; v++ {
		require.NoError(t, snapshots.Put(t.Context(), "db-2", v, bytes.NewReader(nil)))
	}
	info, data = latest(t, b)
	require.Equal(t, bus.SnapshotInfo{StreamID: "db-2", Version: 7}, info)
	require.Empty(t, data)
}

func latest(t testing.TB, b *bus.Bus) (bus.SnapshotInfo, []byte) {
	t.Helper()
	info, r, err := b.Snapshots().Latest(t.Context())
	require.NoError(t, err)
	data, err := io.ReadAll(r)
	require.NoError(t, err)
	require.NoError(t, r.Close())
	return info, data
}
