package lifecycle_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/lifecycle"
	"queryengine/pkg/lifecycle/lifecycletest"
)

type member struct {
	lifecycle.State
	name string
	fail error
	log  *[]string
}

func (m *member) Name() string { return m.name }

func (m *member) Start(context.Context) error {
	return m.State.Start(func() error {
		*m.log = append(*m.log, "start "+m.name)
		return m.fail
	})
}

func (m *member) Stop() { m.State.Stop(func() { *m.log = append(*m.log, "stop "+m.name) }) }

func TestGroupOrder(t *testing.T) {
	t.Parallel()
	var log []string
	g := lifecycle.NewGroup("all", &member{name: "a", log: &log}, &member{name: "b", log: &log})
	require.NoError(t, g.Start(t.Context()))
	require.NoError(t, g.Status())
	g.Stop()
	require.Equal(t, []string{"start a", "start b", "stop b", "stop a"}, log)
}

func TestGroupStopsWhatIsUpWhenOneFails(t *testing.T) {
	t.Parallel()
	var log []string
	broken := errors.New("no database")
	g := lifecycle.NewGroup("all",
		&member{name: "a", log: &log}, &member{name: "b", log: &log, fail: broken}, &member{name: "c", log: &log})
	err := g.Start(t.Context())
	require.ErrorIs(t, err, broken)
	require.EqualError(t, err, "start b: no database")
	require.Equal(t, []string{"start a", "start b", "stop a"}, log)
	select {
	case <-g.Started():
		t.Fatal("a group that failed says it is started")
	default:
	}
}

// TestGroupsSayTheNameOfAServiceOnce: a group is called as the service that it adds to.
func TestGroupsSayTheNameOfAServiceOnce(t *testing.T) {
	t.Parallel()
	var log []string
	inner := lifecycle.NewGroup("a", &member{name: "a", log: &log, fail: errors.New("no port")})
	require.EqualError(t, lifecycle.NewGroup("all", inner).Start(t.Context()), "start a: no port")
}

// Health is requested while a service comes up or goes down, which may take a while.
func TestStatusNeverWaits(t *testing.T) {
	t.Parallel()
	var s lifecycle.State
	require.ErrorIs(t, s.Status(), lifecycle.ErrNotStarted)
	broken := errors.New("no database")
	require.ErrorIs(t, s.Start(func() error { return broken }), broken)
	require.ErrorIs(t, s.Status(), lifecycle.ErrNotStarted)
	require.NoError(t, s.Start(func() error {
		require.ErrorIs(t, s.Status(), lifecycle.ErrStarting)
		return nil
	}))
	require.NoError(t, s.Status())
	s.Stop(func() { require.ErrorIs(t, s.Status(), lifecycle.ErrStopping) })
	require.ErrorIs(t, s.Status(), lifecycle.ErrStopped)
	require.ErrorIs(t, s.Start(func() error { return nil }), lifecycle.ErrStopped)
}

func TestGroupSaysWhoIsIll(t *testing.T) {
	t.Parallel()
	var log []string
	inner := &member{name: "executor", log: &log}
	g := lifecycle.NewGroup("all", inner)
	require.NoError(t, g.Start(t.Context()))
	inner.Stop()
	require.EqualError(t, g.Status(), "executor: stopped")
}

func TestGroupKeepsThePromises(t *testing.T) {
	t.Parallel()
	lifecycletest.Stress(t, func(*testing.T) lifecycle.Service {
		var log []string
		return lifecycle.NewGroup("all", &member{name: "a", log: &log}, &member{name: "b", log: &log})
	})
}
