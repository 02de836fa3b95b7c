package bus_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/bus"
	"queryengine/pkg/bus/bustest"
)

func TestCacheIsShared(t *testing.T) {
	t.Parallel()
	s := bustest.Server(t)
	one := bustest.QueryCache(t, bustest.Connect(t, s), 1<<20)
	other := bustest.QueryCache(t, bustest.Connect(t, s), 1<<20)
	_, _, err := one.Get(t.Context(), "f", "k")
	require.ErrorIs(t, err, bus.ErrNoEntry)
	before := time.Now()
	require.NoError(t, one.Put(t.Context(), "f", "k", []byte("first"), time.Minute))
	body, expires, err := other.Get(t.Context(), "f", "k")
	require.NoError(t, err)
	require.Equal(t, "first", string(body))
	require.WithinDuration(t, before.Add(time.Minute), expires, 10*time.Second)
	require.NoError(t, other.Put(t.Context(), "f", "k", nil, time.Minute))
	body, _, err = one.Get(t.Context(), "f", "k")
	require.NoError(t, err)
	require.Empty(t, body)
}

func TestCacheEntriesLargerThanAMessage(t *testing.T) {
	t.Parallel()
	s := bustest.Server(t)
	c := bustest.QueryCache(t, bustest.ConnectWith(t, bus.Config{URL: s.ClientURL(), FrameSize: 1000}), 1<<20)
	for _, size := range []int{979, 980, 981, 100_000} {
		want := bytes.Repeat([]byte("0123456789"), size/10+1)[:size]
		require.NoError(t, c.Put(t.Context(), "f", "k", want, time.Minute))
		got, _, err := c.Get(t.Context(), "f", "k")
		require.NoError(t, err)
		require.True(t, bytes.Equal(want, got), "%d bytes", size)
	}
}

func TestCacheEntriesEnd(t *testing.T) {
	t.Parallel()
	c := bustest.QueryCache(t, bustest.Connect(t, bustest.Server(t)), 1<<20)
	require.NoError(t, c.Put(t.Context(), "f", "k", []byte("x"), time.Second))
	require.Eventually(t, func() bool {
		_, _, err := c.Get(t.Context(), "f", "k")
		return err != nil
	}, patience, 50*time.Millisecond)
}

func TestCacheIsBounded(t *testing.T) {
	t.Parallel()
	c := bustest.QueryCache(t, bustest.Connect(t, bustest.Server(t)), 100_000)
	for i := range 20 {
		require.NoError(t, c.Put(t.Context(), "f", string(rune('a'+i)), make([]byte, 20_000), time.Minute))
	}
	_, _, err := c.Get(t.Context(), "f", "a")
	require.ErrorIs(t, err, bus.ErrNoEntry, "the oldest made room")
	_, _, err = c.Get(t.Context(), "f", "t")
	require.NoError(t, err)
}

func TestCacheIsCleared(t *testing.T) {
	t.Parallel()
	c := bustest.QueryCache(t, bustest.Connect(t, bustest.Server(t)), 1<<20)
	fill := func() {
		for _, k := range []string{"a", "b"} {
			for _, f := range []string{"f", "g"} {
				require.NoError(t, c.Put(t.Context(), f, k, []byte("x"), time.Minute))
			}
		}
	}
	left := func() (keys string) {
		for _, f := range []string{"f", "g"} {
			for _, k := range []string{"a", "b"} {
				if _, _, err := c.Get(t.Context(), f, k); err == nil {
					keys += f + k + " "
				}
			}
		}
		return keys
	}
	for _, clear := range []struct{ family, key, left string }{{"", "a", "fb gb "}, {"f", "", "ga gb "}, {"", "", ""}} {
		fill()
		require.NoError(t, c.Clear(t.Context(), clear.family, clear.key))
		require.Equal(t, clear.left, left())
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	require.True(t, bus.IsToken("0a9f"))
	for _, s := range []string{"", "*", ">", "a.b", "a b", "a\n"} {
		require.False(t, bus.IsToken(s), s)
	}
}
