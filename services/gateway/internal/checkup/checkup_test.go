package checkup

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestThoseWhoAskAtOnceShareOneCheck(t *testing.T) {
	t.Parallel()
	var checks atomic.Int32
	enough := make(chan struct{})
	wrong := errors.New("the database is away")
	s := New(time.Second, slog.New(slog.DiscardHandler), func(context.Context) error {
		checks.Add(1)
		<-enough
		return wrong
	})
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() { require.ErrorIs(t, s.Ask(t.Context()), wrong) })
	}
	require.Eventually(t, func() bool { return checks.Load() == 1 }, 30*time.Second, time.Millisecond)
	close(enough)
	all.Wait()
	require.EqualValues(t, 1, checks.Load())
}

func TestAnAnswerCountsForAWhile(t *testing.T) {
	t.Parallel()
	var checks atomic.Int32
	s := New(time.Second, slog.New(slog.DiscardHandler), func(context.Context) error { checks.Add(1); return nil })
	now := time.Now()
	s.now = func() time.Time { return now }
	require.NoError(t, s.Ask(t.Context()))
	now = now.Add(999 * time.Millisecond)
	require.NoError(t, s.Ask(t.Context()))
	require.EqualValues(t, 1, checks.Load())
	now = now.Add(time.Millisecond)
	require.NoError(t, s.Ask(t.Context()))
	require.EqualValues(t, 2, checks.Load())
}

func TestACheckThatPanicsHasFailed(t *testing.T) {
	t.Parallel()
	s := New(0, slog.New(slog.DiscardHandler), func(context.Context) error { panic("unforeseen") })
	require.ErrorContains(t, s.Ask(t.Context()), "internal error")
	require.ErrorContains(t, s.Ask(t.Context()), "internal error", "another check is made")
}

func TestWhoLeavesDoesNotEndTheCheckOfTheOthers(t *testing.T) {
	t.Parallel()
	enough := make(chan struct{})
	s := New(time.Second, slog.New(slog.DiscardHandler), func(ctx context.Context) error {
		<-enough
		return ctx.Err()
	})
	impatient, leave := context.WithCancel(t.Context())
	leave()
	require.ErrorIs(t, s.Ask(impatient), context.Canceled)
	close(enough)
	require.NoError(t, s.Ask(t.Context()))
}
