package postgres

import (
	"context"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/schedule"
)

// TestSharedBehindLock: those behind one that waits for a lock are answered while it does.
func TestSharedBehindLock(t *testing.T) {
	t.Parallel()
	s := newSharing(t, nil)
	s.sharer.Within = 25 * time.Millisecond
	list, release := s.together(t, func() reading { return s.start(t.Context(), s.held, backend.Args{}) }, s.read("2"), s.read("3"))
	unlock := s.lock(t, "held")
	release()
	list[1].require(t, `[{"v":20}]`)
	list[2].require(t, `[{"v":30}]`)
	s.blocked(t, "1")
	answered, alone := s.shared(t)
	require.Zero(t, answered)
	require.Equal(t, 2, alone)
	unlock()
	list[0].require(t, `[{"id":1}]`)
	s.quiet(t)
}

// quiet waits until no session of the source does anything.
func (s *sharing) quiet(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool {
		return s.text(t, `SELECT count(*)::text FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'postgres test' AND state <> 'idle'`) == "0"
	}, 30*time.Second, time.Millisecond)
}

// TestSharedAheadLock: statements that wait for a round trip don't wait for long, and those after them
// not at all.
func TestSharedAheadLock(t *testing.T) {
	t.Parallel()
	s := newSharing(t, nil)
	s.sharer.Ahead = 5 * time.Millisecond
	unlock := s.lock(t, "held")
	held := s.start(t.Context(), s.held, backend.Args{})
	s.blocked(t, "1")
	var g errgroup.Group
	for i := range 40 {
		g.Go(func() error { return s.same(s.one, key1(strconv.Itoa(i+1)), fmt.Sprintf(`[{"v":%d}]`, 10*(i+1))) })
	}
	require.NoError(t, g.Wait())
	s.blocked(t, "1")
	unlock()
	held.require(t, `[{"id":1}]`)
}

func (s *sharing) same(st backend.Statement, a backend.Args, want string) error {
	out := backend.NewAnswer(nil, nil, 0)
	if err := s.source.Query(context.Background(), st, a, out); err != nil {
		return fmt.Errorf("%w %s", err, apierror.From(err).InternalJSON())
	}
	if got := string(out.Buf); got != want {
		return fmt.Errorf("got %.200s, want %.200s", got, want)
	}
	return nil
}

// TestSharedCancellation: a request that ends leaves the others alone, wherever its statement is, and the
// server cancels when no request waits for anything any more.
func TestSharedCancellation(t *testing.T) {
	t.Parallel()
	s := newSharing(t, nil)
	s.sharer.Within = 25 * time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	held := func() reading { return s.start(ctx, s.held, backend.Args{}) }
	list, release := s.together(t, held, held, s.read("2"))
	unlock := s.lock(t, "held")
	release()
	list[2].require(t, `[{"v":20}]`)
	// The first one is in front of the round trip, the second one waits on a connection of its own: and in
	// the round trip, where no request waits for it.
	s.blocked(t, "2")
	cancel()
	require.ErrorIs(t, <-list[0].err, context.Canceled)
	require.ErrorIs(t, <-list[1].err, context.Canceled)
	s.quiet(t)
	unlock()

	// Before its statement was sent, a request only has to go.
	gone, leave := context.WithCancel(t.Context())
	list, release = s.together(t, s.read("3"), s.read("4"))
	left := s.start(gone, s.one, key1("5"))
	require.Eventually(t, func() bool { return s.sharer.Waiting() == 3 }, 30*time.Second, time.Millisecond)
	leave()
	require.ErrorIs(t, <-left.err, context.Canceled)
	require.Equal(t, 2, s.sharer.Waiting())
	release()
	list[0].require(t, `[{"v":30}]`)
	list[1].require(t, `[{"v":40}]`)
}

// limited is a context whose time limit is reached when over is closed.
type limited struct {
	context.Context
	over chan struct{}
}

func (l limited) Done() <-chan struct{} { return l.over }

func (l limited) Err() error {
	select {
	case <-l.over:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// TestSharedDeadline: the time limit of a request is its own.
func TestSharedDeadline(t *testing.T) {
	t.Parallel()
	s := newSharing(t, nil)
	ctx := limited{t.Context(), make(chan struct{})}
	list, release := s.together(t, func() reading { return s.start(ctx, s.held, backend.Args{}) }, s.read("1"))
	unlock := s.lock(t, "held")
	release()
	s.blocked(t, "1")
	close(ctx.over)
	requireCode(t, <-list[0].err, apierror.Timeout, "the database did not answer within the time limit")
	s.blocked(t, "1") // the other one is behind it, and has time
	unlock()
	list[1].require(t, `[{"v":10}]`)
}

// TestSharedConnectionLost: statements of a connection that is lost run again, as those that run alone.
func TestSharedConnectionLost(t *testing.T) {
	t.Parallel()
	s := newSharing(t, nil)
	list, release := s.together(t, s.read("1"), func() reading { return s.start(t.Context(), s.held, backend.Args{}) }, s.read("2"), s.read("abc"))
	unlock := s.lock(t, "held")
	release()
	list[0].require(t, `[{"v":10}]`)
	s.blocked(t, "1")
	require.Equal(t, "1", s.text(t, `SELECT count(pg_terminate_backend(pid))::text FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`))
	list[2].require(t, `[{"v":20}]`)
	require.ErrorContains(t, <-list[3].err, "abc")
	s.blocked(t, "1") // it runs again, and waits again
	unlock()
	list[1].require(t, `[{"id":1}]`)
}

// TestSharedPool: a pool that has no connection to give is the error of all that wait for one.
func TestSharedPool(t *testing.T) {
	t.Parallel()
	s := newSharing(t, func(e *schedule.Endpoint) { e.MaxConnections = 1 })
	s.source.primary.Endpoint.PoolTimeout = 50 * time.Millisecond
	s.sharer.Ahead = 5 * time.Millisecond
	unlock := s.lock(t, "held")
	held := s.start(t.Context(), s.held, backend.Args{})
	s.blocked(t, "1")
	for _, r := range []reading{s.read("1")(), s.read("2")()} {
		requireCode(t, <-r.err, apierror.Busy, "timed out waiting for a free connection to the database")
	}
	unlock()
	held.require(t, `[{"id":1}]`)
}
