package guard_test

import (
	"bytes"
	"errors"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/guard"
)

func TestDo(t *testing.T) {
	t.Parallel()
	var lines bytes.Buffer
	log := slog.New(slog.NewTextHandler(&lines, nil))
	fault := errors.New("no")
	require.Equal(t, fault, guard.Do(log, "panic in a test", func() error { return fault }))
	require.NoError(t, guard.Do(log, "panic in a test", func() error { return nil }))
	require.True(t, guard.Run(log, "panic in a test", func() {}))
	require.Empty(t, lines.String())
	err := guard.Do(log, "panic in a test", func() error { panic("what") })
	require.Equal(t, "internal error", apierror.From(err).Message)
	require.Nil(t, apierror.From(err).Internal, "nothing of it leaves the process")
	require.Contains(t, lines.String(), `msg="panic in a test" panic=what stack=`)
	require.Contains(t, lines.String(), "TestDo")
	require.False(t, guard.Run(log, "panic in a test", func() { panic(fault) }))
}

func TestGroup(t *testing.T) {
	t.Parallel()
	fault := errors.New("no")
	g, ctx := guard.WithContext(t.Context())
	g.SetLimit(1)
	g.Go(func() error { return fault })
	g.Go(func() error { return nil })
	require.Equal(t, fault, g.Wait())
	require.Error(t, ctx.Err())

	g, ctx = guard.WithContext(t.Context())
	ended := false
	g.Go(func() error {
		<-ctx.Done() // the panic of another part
		ended = true
		return ctx.Err()
	})
	g.Go(func() error { panic("what") })
	defer func() {
		p, _ := recover().(error)
		require.ErrorContains(t, p, "what, in a part of a request")
		require.ErrorContains(t, p, "TestGroup", "it has the stack of the part")
		require.True(t, ended, "the others have ended")
	}()
	_ = g.Wait()
	require.Fail(t, "not reached")
}
