package pool_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/services/event-delivery/internal/pool"
)

// none is a queue without work, which waits for it.
func none(taking context.Context, _ int, _ func(pool.Piece)) error {
	<-taking.Done()
	return nil
}

// once is a queue of these pieces, with nothing behind them.
func once(pieces ...pool.Piece) func(context.Context, int, func(pool.Piece)) error {
	return func(taking context.Context, n int, run func(pool.Piece)) error {
		if len(pieces) == 0 {
			return none(taking, n, run)
		}
		n = min(n, len(pieces))
		for _, p := range pieces[:n] {
			run(p)
		}
		pieces = pieces[n:]
		return nil
	}
}

func TestStopWaitsForWorkInProgress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var cancelled, ended bool
		p := pool.New(pool.Config{Slots: 2, Take: once(func(taking, work context.Context) {
			<-taking.Done()
			time.Sleep(30 * time.Second)
			cancelled, ended = work.Err() != nil, true
		})})
		besideEnded := false
		p.Beside(func(work context.Context) {
			<-work.Done()
			besideEnded = true
		})
		p.Start()
		synctest.Wait()
		start := time.Now()
		p.Stop(time.Minute)
		require.Equal(t, 30*time.Second, time.Since(start))
		require.True(t, ended)
		require.False(t, cancelled, "the patience was longer than the work")
		require.True(t, besideEnded)
	})
}

func TestStopCancelsWhatTakesLonger(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		returned := false
		p := pool.New(pool.Config{Slots: 1, Take: once(func(_, work context.Context) {
			<-work.Done()
			time.Sleep(time.Second) // what it takes to give the work back
			returned = true
		})})
		p.Start()
		synctest.Wait()
		start := time.Now()
		p.Stop(10 * time.Second)
		require.Equal(t, 11*time.Second, time.Since(start))
		require.True(t, returned, "nothing is in progress after Stop")
	})
}

func TestStopBeforeStartAndTwice(t *testing.T) {
	t.Parallel()
	p := pool.New(pool.Config{Slots: 1, Take: none})
	p.Stop(0)
	p.Start()
	p.Stop(time.Minute)
	p.Stop(time.Minute)
}

// TestStopEndsWaiting: for a slot, for work and after a fault.
func TestStopEndsWaiting(t *testing.T) {
	t.Parallel()
	fault := func(context.Context, int, func(pool.Piece)) error { return errors.New("the queue is away") }
	nothing := func(context.Context, int, func(pool.Piece)) error { return nil }
	full := once(func(_, work context.Context) { <-work.Done() }, func(_, _ context.Context) { t.Error("there was no slot for it") })
	for name, c := range map[string]pool.Config{
		"slot":  {Take: full},
		"work":  {Take: none},
		"idle":  {Take: nothing, Idle: func(taking context.Context) { <-taking.Done() }},
		"fault": {Take: fault},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c.Slots, c.Logger = 1, slog.New(slog.DiscardHandler)
				p := pool.New(c)
				p.Start()
				time.Sleep(10 * time.Second)
				start := time.Now()
				p.Stop(0)
				require.Zero(t, time.Since(start))
			})
		})
	}
}

func TestSlotsBoundTheWork(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const pieces, slots, batch = 20, 4, 3
		var running, most, ended atomic.Int32
		piece := func(_, _ context.Context) {
			most.Store(max(most.Load(), running.Add(1)))
			time.Sleep(time.Second)
			running.Add(-1)
			ended.Add(1)
		}
		queue := make([]pool.Piece, pieces)
		for i := range queue {
			queue[i] = piece
		}
		take := once(queue...)
		p := pool.New(pool.Config{Slots: slots, Batch: batch, Take: func(taking context.Context, n int, run func(pool.Piece)) error {
			if n < 1 || n > batch {
				t.Errorf("%d pieces were requested", n)
			}
			return take(taking, n, run)
		}})
		p.Start()
		time.Sleep(time.Minute)
		require.EqualValues(t, pieces, ended.Load())
		require.EqualValues(t, slots, most.Load(), "all slots are used")
		p.Stop(0)
	})
}

func TestFaultsOfTheQueue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		faults := 3
		done := 0
		p := pool.New(pool.Config{
			Slots: 1, Logger: slog.New(slog.NewTextHandler(&log, nil)), Failing: "no work can be taken",
			Take: func(taking context.Context, n int, run func(pool.Piece)) error {
				if faults--; faults >= 0 {
					return errors.New("the queue is away")
				}
				if done++; done > 1 {
					return none(taking, n, run)
				}
				run(func(_, _ context.Context) {})
				return nil
			},
		})
		p.Start()
		start := time.Now()
		time.Sleep(10 * time.Second)
		p.Stop(0)
		require.Equal(t, 2, done, "it goes on when the queue is back")
		require.Equal(t, 1, bytes.Count(log.Bytes(), []byte("no work can be taken")), log.String())
		require.Equal(t, 10*time.Second, time.Since(start))
	})
}
