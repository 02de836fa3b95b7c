package graphqlws_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/services/query-executor/internal/graphqlws"
)

// fakeSocket is a WebSocket whose server is the test.
type fakeSocket struct {
	protocol string
	in, out  chan string
	// dead reports whether nothing answers pings.
	dead bool

	once          sync.Once
	gone          chan struct{}
	closed, pings chan struct{}
}

func newFakeSocket(protocol string) *fakeSocket {
	return &fakeSocket{
		protocol: protocol, in: make(chan string, 10), out: make(chan string, 10), gone: make(chan struct{}),
		closed: make(chan struct{}, 1), pings: make(chan struct{}, 100),
	}
}

func (s *fakeSocket) Protocol() string { return s.protocol }

func (s *fakeSocket) Read(ctx context.Context) ([]byte, error) {
	select {
	case text := <-s.in:
		return []byte(text), nil
	case <-s.gone:
		return nil, io.ErrUnexpectedEOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (s *fakeSocket) Write(_ context.Context, message []byte) error {
	s.out <- string(message)
	return nil
}

func (s *fakeSocket) Ping(ctx context.Context) error {
	select {
	case s.pings <- struct{}{}:
	default:
	}
	if !s.dead {
		return nil
	}
	<-ctx.Done()
	return ctx.Err()
}

func (s *fakeSocket) Close() {
	select {
	case s.closed <- struct{}{}:
	default:
	}
	s.Abort()
}

func (s *fakeSocket) Abort() { s.once.Do(func() { close(s.gone) }) }

const limit = 10 * time.Second

func wait[T any](t *testing.T, from <-chan T) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(limit):
		require.Fail(t, "nothing has come")
	}
	panic("not reached")
}

// start runs a subscription up to its first result; more are the server's messages from then on.
func start(ctx context.Context, t *testing.T, s *fakeSocket, silence time.Duration, take func([]byte) error, more ...string) <-chan error {
	t.Helper()
	ended := make(chan error, 1)
	go func() {
		ended <- graphqlws.Run(ctx, s, graphqlws.Options{Init: []byte(`{"a":1}`), Patience: limit, Silence: silence}, []byte(`{"query":"q"}`), take)
	}()
	require.JSONEq(t, `{"type":"connection_init","payload":{"a":1}}`, wait(t, s.out))
	s.in <- `{"type":"connection_ack"}`
	for _, text := range more {
		s.in <- text
	}
	var m struct{ Type, ID string }
	require.NoError(t, json.Unmarshal([]byte(wait(t, s.out)), &m))
	require.Equal(t, "1", m.ID)
	return ended
}

// TestSilence: a server that gives no sign of life is given up, one that answers pings isn't.
func TestSilence(t *testing.T) {
	t.Parallel()
	s := newFakeSocket("graphql-ws")
	ctx, stop := context.WithCancel(t.Context())
	ended := start(ctx, t, s, time.Millisecond, func([]byte) error { return nil })
	for range 3 {
		wait(t, s.pings)
	}
	require.Empty(t, ended)
	stop()
	require.ErrorIs(t, wait(t, ended), context.Canceled)
	require.JSONEq(t, `{"type":"stop","id":"1"}`, wait(t, s.out))
	wait(t, s.closed)

	s = newFakeSocket("graphql-ws")
	s.dead = true
	ended = start(t.Context(), t, s, time.Millisecond, func([]byte) error { return nil })
	require.ErrorContains(t, wait(t, ended), "the server of the remote schema has fallen silent")
}

// TestTaking: while a result is being taken nothing is read, so that silence means nothing.
func TestTaking(t *testing.T) {
	t.Parallel()
	s := newFakeSocket("graphql-transport-ws")
	s.dead = true
	taking, goOn := make(chan string, 1), make(chan struct{})
	const silence = 50 * time.Millisecond
	ended := start(t.Context(), t, s, silence, func(result []byte) error {
		taking <- string(result)
		<-goOn
		return errors.New("enough")
	}, `{"type":"next","id":"other","payload":0}`, `{"type":"next","id":"1","payload":{"data":1}}`)
	require.Equal(t, `{"data":1}`, wait(t, taking))
	for range 5 { // time in which it would have been given up
		select {
		case err := <-ended:
			require.Fail(t, "it was given up", err)
		case <-time.After(silence):
		}
	}
	close(goOn)
	require.EqualError(t, wait(t, ended), "enough")
	require.JSONEq(t, `{"type":"complete","id":"1"}`, wait(t, s.out))
}

func TestErrorsOfOldServers(t *testing.T) {
	t.Parallel()
	for payload, want := range map[string]string{
		`{"message":"no"}`: `[{"message":"no"}]`, `[{"message":"no"}]`: `[{"message":"no"}]`, `"no"`: `[{"message":"no"}]`, `7`: `[{"message":"7"}]`,
	} {
		s := newFakeSocket("graphql-ws")
		ended := start(t.Context(), t, s, limit, func([]byte) error { return nil })
		s.in <- `{"type":"ka"}`
		s.in <- `{"type":"error","id":"1","payload":` + payload + `}`
		var errs *graphqlws.ServerError
		require.ErrorAs(t, wait(t, ended), &errs)
		require.Equal(t, want, string(errs.List), payload)
	}
}
