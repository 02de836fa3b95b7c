package bus

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"
)

func TestOldServersAreRefused(t *testing.T) {
	t.Parallel()
	for version, ok := range map[string]bool{
		"": false, "2.10.22": false, "2.12.6": false, "2.12.7": true, "2.12.10-RC.1": true, "2.13.0": true, "3.0.0": true, "1.99.99": false,
	} {
		require.Equal(t, ok, checkServer(version) == nil, version)
	}
}

func TestCancellationBeforeItsRequest(t *testing.T) {
	t.Parallel()
	x := newExchanges()
	open := func(key string) context.Context {
		ctx, cancel := context.WithCancelCause(t.Context())
		x.add(&exchange{key: key, cancel: cancel})
		return ctx
	}
	x.cancel("early")
	require.Error(t, open("early").Err())
	later := open("later")
	require.NoError(t, later.Err())
	x.cancel("later")
	require.Error(t, later.Err())

	// Only the newest are remembered, so that the memory has a bound.
	x.cancel("old")
	for i := range cancelledKeys {
		x.cancel(fmt.Sprint("newer ", i))
	}
	require.Len(t, x.early, cancelledKeys)
	require.NoError(t, open("old").Err())
	require.Error(t, open("newer 0").Err())
}

func TestParseFrame(t *testing.T) {
	t.Parallel()
	call, f, ok := parseFrame("1z.d17", &nats.Msg{Reply: "address", Data: []byte("x")})
	require.True(t, ok)
	require.Equal(t, "1z", call)
	require.Equal(t, frame{kind: framePiece, number: 17, address: "address", data: []byte("x")}, f)

	call, f, ok = parseFrame("1z", &nats.Msg{Header: nats.Header{"Status": {"503"}}})
	require.True(t, ok)
	require.Equal(t, "1z", call)
	require.Equal(t, frameUnheard, f.kind)

	for _, tail := range []string{"", "1z", "1z.", "1z.d", "1z.d1.2", "1z.d-1", "1z.d99999999999"} {
		_, _, ok = parseFrame(tail, &nats.Msg{Data: []byte("x")})
		require.False(t, ok, tail)
	}
}

func TestCallToken(t *testing.T) {
	t.Parallel()
	for _, left := range []time.Duration{0, time.Millisecond, 90 * time.Second, 24 * time.Hour} {
		window, got := parseCallToken(callToken(1<<40, 7, left))
		require.Equal(t, 7, window)
		require.Equal(t, left, got)
	}
	for _, token := range []string{"", "1", "a-b-c", "1-0--5", "1--", "1-1-9223372036854775807"} {
		window, left := parseCallToken(token)
		require.Equal(t, 1, window, token)
		require.Zero(t, left, token)
	}
}

// FuzzParseChange: the stream is open to other publishers; nothing in it may panic.
func FuzzParseChange(f *testing.F) {
	f.Add("12", "2/5")
	f.Add("", "")
	f.Add("-1", "/")
	f.Add("9223372036854775808", "a/b")
	f.Fuzz(func(t *testing.T, version, part string) {
		c, err := parseChange(nats.Header{headerVersion: {version}, headerPart: {part}}, nil)
		if err == nil && part == "" {
			require.Equal(t, 1, c.part)
			require.Equal(t, 1, c.parts)
		}
	})
}

// Pause lets all replicas seem silent for d longer, as a pause of this process does.
func (b *Bus) Pause(d time.Duration) {
	b.directory.mu.Lock()
	defer b.directory.mu.Unlock()
	for _, list := range b.directory.services {
		for _, m := range list {
			m.heard.Add(-int64(d))
		}
	}
}

// WithholdBundles has this process offer what those of earlier versions do.
func (b *Bus) WithholdBundles() { b.direct.offer.Bundles = false }

// Bundles is how many bundles of requests have been sent over the direct connections that there are.
func (b *Bus) Bundles() (n uint64) {
	b.directory.mu.Lock()
	defer b.directory.mu.Unlock()
	for _, list := range b.directory.services {
		for _, m := range list {
			if w := m.line.wire.Load(); w != nil && w.requests != nil {
				w.requests.mu.Lock()
				n += w.requests.number
				w.requests.mu.Unlock()
			}
		}
	}
	return n
}
