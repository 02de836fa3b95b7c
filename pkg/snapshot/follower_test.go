package snapshot

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/bus"
	metadatav1 "queryengine/proto/metadata/v1"
)

// fakeBus is a stream that delivers what the test sends, and a store of one snapshot.
type fakeBus struct {
	mu       sync.Mutex
	snapshot *Snapshot
	streamID string
	messages chan *Change
	replaced chan struct{}
	acks     []*metadatav1.Ack
	rollCall func(proto.Message)
	// last is the newest version in the stream, as the test sets it.
	last int64
}

func newFakeBus() *fakeBus {
	return &fakeBus{streamID: "stream", messages: make(chan *Change), replaced: make(chan struct{}, 1)}
}

func (b *fakeBus) put(s *Snapshot) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.snapshot, b.streamID = s, s.StreamID
}

func (b *fakeBus) Latest(context.Context) (bus.SnapshotInfo, io.ReadCloser, error) {
	b.mu.Lock()
	s := b.snapshot
	b.mu.Unlock()
	if s == nil {
		return bus.SnapshotInfo{}, nil, bus.ErrNoSnapshot
	}
	data, err := Encode(s)
	return bus.SnapshotInfo{StreamID: s.StreamID, Version: s.Version}, io.NopCloser(bytes.NewReader(data)), err
}

func (b *fakeBus) Info(context.Context) (bus.ChangesInfo, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return bus.ChangesInfo{StreamID: b.streamID, LastVersion: b.last}, nil
}

func (b *fakeBus) FollowStream(ctx context.Context, streamID string, _ int64, h func(context.Context, int64, []byte) error) error {
	b.mu.Lock()
	foreign := streamID != b.streamID
	b.mu.Unlock()
	if foreign {
		return bus.ErrForeignStream
	}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-b.replaced:
			return bus.ErrForeignStream
		case c := <-b.messages:
			data, err := json.Marshal(c)
			if err != nil {
				return err
			}
			if err := h(ctx, c.Version, data); err != nil {
				return err
			}
		}
	}
}

func (b *fakeBus) Publish(_ bus.Topic, m proto.Message) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	ack, ok := m.(*metadatav1.Ack)
	if !ok {
		return errors.New("not an ack")
	}
	b.acks = append(b.acks, ack)
	return nil
}

func (b *fakeBus) Subscribe(_ bus.Topic, _ func() proto.Message, h func(proto.Message)) (func(), error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rollCall = h
	return func() {}, nil
}

func (b *fakeBus) countAcks() (n int, last *metadatav1.Ack) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.acks) == 0 {
		return 0, nil
	}
	return len(b.acks), b.acks[len(b.acks)-1]
}

type bundle struct {
	bus      *fakeBus
	follower *Follower
}

func setup(t *testing.T, announce bool) *bundle {
	t.Helper()
	b := &bundle{bus: newFakeBus()}
	c := Config{Changes: b.bus, Snapshots: b.bus, Service: "gateway", Instance: "i1", Retry: time.Millisecond, Heartbeat: time.Hour}
	if announce {
		c.Announcer = b.bus
	}
	b.follower = NewFollower(c)
	t.Cleanup(b.follower.Stop)
	return b
}

func waitFor(t *testing.T, f *Follower, version int64) *Snapshot {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	s, err := f.WaitFor(ctx, version)
	require.NoError(t, err)
	return s
}

func TestFollowerSurvivesShufflesRepeatsAndLosses(t *testing.T) {
	t.Parallel()
	b := setup(t, false)
	r := rand.New(rand.NewPCG(7, 8))
	s := initial(6)
	b.bus.put(s)
	require.NoError(t, b.follower.Start(t.Context()))

	var window []*Change
	for range 300 {
		next := mutate(r, s)
		change, err := Diff(s, next, at)
		require.NoError(t, err)
		s = next
		b.bus.put(s)
		window = append(window, change)
		if len(window) < 4 {
			continue
		}
		r.Shuffle(len(window), func(i, j int) { window[i], window[j] = window[j], window[i] })
		for _, c := range window[r.IntN(2):] {
			b.bus.messages <- c
			if r.IntN(3) == 0 {
				b.bus.messages <- c
			}
		}
		window = nil
	}
	// One more change that is not lost brings even a follower that missed the last ones up to date.
	next := mutate(r, s)
	change, err := Diff(s, next, at)
	require.NoError(t, err)
	b.bus.put(next)
	b.bus.messages <- change
	requireSame(t, next, waitFor(t, b.follower, next.Version))
	require.NoError(t, b.follower.Status())
}

func TestFollowerWaitsForTheFirstSnapshot(t *testing.T) {
	t.Parallel()
	b := setup(t, false)
	require.NoError(t, b.follower.Start(t.Context()))
	require.Nil(t, b.follower.Current())
	require.ErrorContains(t, b.follower.Status(), "no")
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	_, err := b.follower.WaitFor(ctx, 0)
	require.ErrorContains(t, err, "no metadata has arrived yet")

	b.bus.put(initial(1))
	require.EqualValues(t, 1, waitFor(t, b.follower, 0).Version)
}

// TestFollowerShowsNothingOlderThanTheStream: the stored snapshot is two versions behind the
// stream when the process starts.
func TestFollowerShowsNothingOlderThanTheStream(t *testing.T) {
	t.Parallel()
	b := setup(t, false)
	var seen []int64
	b.follower.Watch(func(s *Snapshot) { seen = append(seen, s.Version) })
	r := rand.New(rand.NewPCG(1, 2))
	s := initial(2)
	b.bus.put(s)
	b.bus.last = s.Version + 2
	require.NoError(t, b.follower.Start(t.Context()))
	for range 2 {
		require.Error(t, b.follower.Status())
		require.Nil(t, b.follower.Current())
		next := mutate(r, s)
		change, err := Diff(s, next, at)
		require.NoError(t, err)
		b.bus.messages <- change
		s = next
	}
	requireSame(t, s, waitFor(t, b.follower, s.Version))
	require.Eventually(t, func() bool { return b.follower.Status() == nil }, 30*time.Second, time.Millisecond)
	b.follower.Stop()
	require.Equal(t, []int64{s.Version}, seen)
}

func TestFollowerTakesTheSnapshotOfALargeChange(t *testing.T) {
	t.Parallel()
	b := setup(t, false)
	s := initial(1)
	b.bus.put(s)
	require.NoError(t, b.follower.Start(t.Context()))
	waitFor(t, b.follower, 1)

	large := initial(50)
	large.Version = 2
	b.bus.put(large)
	b.bus.messages <- &Change{StreamID: "stream", Version: 2, Base: 1, Reference: true}
	requireSame(t, large, waitFor(t, b.follower, 2))
}

func TestFollowerChangesToAnotherStream(t *testing.T) {
	t.Parallel()
	b := setup(t, false)
	s := initial(3)
	s.Version = 90
	b.bus.put(s)
	require.NoError(t, b.follower.Start(t.Context()))
	waitFor(t, b.follower, 90)

	other := initial(2)
	other.StreamID, other.Version = "restored", 4
	b.bus.put(other)
	b.bus.replaced <- struct{}{}
	require.Eventually(t, func() bool { return b.follower.Current().StreamID == "restored" }, 30*time.Second, time.Millisecond)
	requireSame(t, other, b.follower.Current())
}

func TestWatchersRunBeforeAnybodySeesTheVersion(t *testing.T) {
	t.Parallel()
	b := setup(t, true)
	var seen []int64
	b.follower.Watch(func(s *Snapshot) { seen = append(seen, s.Version) })
	s := initial(2)
	b.bus.put(s)
	require.NoError(t, b.follower.Start(t.Context()))
	waitFor(t, b.follower, 1)
	next := *s
	next.Version = 2
	change, err := Diff(s, &next, at)
	require.NoError(t, err)
	b.bus.messages <- change
	waitFor(t, b.follower, 2)
	require.Equal(t, []int64{1, 2}, seen)
}

func TestFollowerAcknowledges(t *testing.T) {
	t.Parallel()
	b := setup(t, true)
	b.bus.put(initial(1))
	require.NoError(t, b.follower.Start(t.Context()))
	waitFor(t, b.follower, 1)
	require.Eventually(t, func() bool { n, _ := b.bus.countAcks(); return n == 2 }, 30*time.Second, time.Millisecond)
	b.bus.rollCall(&metadatav1.RollCall{})
	n, ack := b.bus.countAcks()
	require.Equal(t, 3, n)
	require.Equal(t, "gateway i1 stream", ack.Service+" "+ack.Instance+" "+ack.StreamId)
	require.EqualValues(t, 1, ack.Version)

	b.follower.Stop()
	_, ack = b.bus.countAcks()
	require.True(t, ack.Leaving)
	b.follower.Stop()
	require.NotNil(t, b.follower.Current())
}

// TestFollowerCountsBeforeItsFirstSnapshot: a change that is published while a process takes its
// first snapshot must wait for that process.
func TestFollowerCountsBeforeItsFirstSnapshot(t *testing.T) {
	t.Parallel()
	b := setup(t, true)
	require.NoError(t, b.follower.Start(t.Context()))
	require.Nil(t, b.follower.Current())
	n, ack := b.bus.countAcks()
	require.Equal(t, 1, n)
	require.Zero(t, ack.GetVersion())
	b.bus.rollCall(&metadatav1.RollCall{})
	n, ack = b.bus.countAcks()
	require.Equal(t, 2, n)
	require.Equal(t, "i1", ack.GetInstance())
	require.Zero(t, ack.GetVersion())
}

// TestLargeChangeIsNoFault: neither the status nor a warning reports that a change is only a reference,
// as long as the snapshot is there. In a bubble, the follower's pause ends when the test waits, and not
// while it still stores the snapshot.
func TestLargeChangeIsNoFault(t *testing.T) {
	t.Parallel()
	synctest.Test(t, largeChangeIsNoFault)
}

func largeChangeIsNoFault(t *testing.T) {
	b := setup(t, false)
	var log bytes.Buffer
	b.follower.c.Logger = slog.New(slog.NewTextHandler(&log, nil))
	var faults []error
	b.follower.Watch(func(s *Snapshot) {
		if err := b.follower.Status(); err != nil && s.Version > 1 && s.Version < 7 {
			faults = append(faults, err)
		}
	})
	b.bus.put(initial(1))
	require.NoError(t, b.follower.Start(t.Context()))
	waitFor(t, b.follower, 1)
	for version := int64(2); version < 6; version++ {
		large := initial(50)
		large.Version = version
		b.bus.put(large)
		b.bus.messages <- &Change{StreamID: "stream", Version: version, Base: version - 1, Reference: true}
		waitFor(t, b.follower, version)
	}
	late := &Change{StreamID: "stream", Version: 7, Base: 5, Reference: true}
	b.bus.messages <- late
	b.bus.messages <- late // the snapshot isn't there, although it was looked for
	large := initial(1)
	large.Version = 7
	b.bus.put(large)
	waitFor(t, b.follower, 7)
	b.follower.Stop()
	require.Empty(t, faults)
	require.Equal(t, 1, strings.Count(log.String(), "level=WARN"), log.String())
}

func TestStopBeforeStart(t *testing.T) {
	t.Parallel()
	f := NewFollower(Config{})
	f.Stop()
	require.Nil(t, f.Current())
}
