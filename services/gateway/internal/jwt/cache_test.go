package jwt

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func id(n int) tokenID {
	var t tokenID
	copy(t[:], strconv.Itoa(n))
	return t
}

func TestCacheIsBoundedAndKeepsWhatIsUsed(t *testing.T) {
	t.Parallel()
	c, keys := newCache(), &[]*key{}
	for n := range 10 * generation {
		c.add(id(n), verified{keys: keys, payload: map[string]any{"n": n}})
		_, ok := c.find(id(0), keys)
		require.True(t, ok, "after %d others", n)
	}
	require.LessOrEqual(t, len(c.fresh)+len(c.old), 2*generation)
	_, ok := c.find(id(1), keys)
	require.False(t, ok)
	payload, ok := c.find(id(10*generation-1), keys)
	require.True(t, ok)
	require.Equal(t, map[string]any{"n": 10*generation - 1}, payload)
}

func TestCacheForgetsWithTheKeys(t *testing.T) {
	t.Parallel()
	c, keys := newCache(), &[]*key{}
	c.add(id(1), verified{keys: keys})
	_, ok := c.find(id(1), &[]*key{})
	require.False(t, ok, "another key set must verify it itself")
	c.drop(id(1))
	_, ok = c.find(id(1), keys)
	require.False(t, ok)
}
