// Package lifecycletest holds services to what pkg/lifecycle promises of them.
package lifecycletest

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/lifecycle"
)

// Stress starts and stops services that build makes, in the orders that go wrong: Stop
// before Start, twice, from several goroutines, and while Start is under way.
func Stress(t *testing.T, build func(t *testing.T) lifecycle.Service) {
	t.Helper()

	t.Run("StopBeforeStart", func(t *testing.T) {
		s := build(t)
		s.Stop()
		s.Stop()
		require.Error(t, s.Start(t.Context()), "a stopped service must not start again")
	})

	t.Run("StartStopTwice", func(t *testing.T) {
		s := build(t)
		require.Error(t, s.Status(), "a service that was not started can't be healthy")
		require.NoError(t, s.Start(t.Context()))
		require.NoError(t, s.Start(t.Context()))
		select {
		case <-s.Started():
		default:
			t.Fatal("Started is not closed after Start")
		}
		s.Stop()
		s.Stop()
		require.Error(t, s.Status(), "a stopped service can't be healthy")
	})

	t.Run("Concurrent", func(t *testing.T) {
		s := build(t)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() { _ = s.Start(context.Background()) }) // any outcome is right, a hang or a race is not
			wg.Go(func() { s.Stop() })
			wg.Go(func() { _ = s.Status() })
		}
		done := make(chan struct{})
		go func() { wg.Wait(); s.Stop(); close(done) }()
		select {
		case <-done:
		case <-time.After(time.Minute):
			t.Fatal("starting and stopping at once hangs")
		}
	})
}
