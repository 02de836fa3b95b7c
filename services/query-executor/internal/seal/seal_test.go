package seal_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/services/query-executor/internal/seal"
)

var (
	oldSecret = strings.Repeat("o", 32)
	newSecret = strings.Repeat("n", 40)
)

func keys(t *testing.T, secrets string) *seal.Keys {
	t.Helper()
	k, err := seal.New(secrets)
	require.NoError(t, err)
	require.NotNil(t, k)
	return k
}

func TestSealed(t *testing.T) {
	t.Parallel()
	s := keys(t, oldSecret).For("id", "clerk")
	text := []byte(`[1, "public", "article", 4711]`)
	sealed := s.Seal([]byte("before"), text)
	require.Equal(t, "before", string(sealed[:6]))
	sealed = sealed[6:]
	require.NotContains(t, string(sealed), "4711")
	require.NotContains(t, string(sealed), "article")
	opened, ok := s.Open(sealed)
	require.True(t, ok)
	require.Equal(t, string(text), string(opened))

	require.Equal(t, sealed, keys(t, oldSecret).For("id", "clerk").Seal(nil, text), "an equal text in another process")
	other := s.Seal(nil, []byte(`[1, "public", "article", 5]`))
	require.Len(t, other, len(sealed), "the length does not tell the size of a number")
	require.NotEqual(t, sealed[:12], other[:12], "another text has another nonce")
	require.NotEqual(t, sealed, keys(t, oldSecret).For("id", "guest").Seal(nil, text))
}

func TestOpensNothingElse(t *testing.T) {
	t.Parallel()
	k := keys(t, oldSecret)
	s := k.For("id", "clerk")
	sealed := s.Seal(nil, []byte(`[1]`))
	for _, other := range []*seal.Sealer{
		k.For("id", "guest"), k.For("idc", "lerk"), k.For("id"), k.For("id", "clerk", ""), keys(t, newSecret).For("id", "clerk"),
	} {
		_, ok := other.Open(sealed)
		require.False(t, ok)
	}
	for i := range sealed {
		tampered := bytes.Clone(sealed)
		tampered[i] ^= 1
		_, ok := s.Open(tampered)
		require.False(t, ok, i)
		_, ok = s.Open(sealed[:i])
		require.False(t, ok, i)
	}
	_, ok := s.Open(slices.Concat(sealed, []byte{0}))
	require.False(t, ok)
}

func TestKeysRotate(t *testing.T) {
	t.Parallel()
	text := []byte(`{"id" : 1}`)
	before, between, after := keys(t, oldSecret).For("x"), keys(t, oldSecret+", "+newSecret).For("x"), keys(t, newSecret+","+oldSecret).For("x")
	require.Equal(t, before.Seal(nil, text), between.Seal(nil, text))
	for _, sealed := range [][]byte{before.Seal(nil, text), after.Seal(nil, text)} {
		for _, s := range []*seal.Sealer{between, after} {
			opened, ok := s.Open(sealed)
			require.True(t, ok)
			require.Equal(t, text, opened)
		}
	}
	_, ok := keys(t, newSecret).For("x").Open(before.Seal(nil, text))
	require.False(t, ok, "a key that was taken away opens nothing")
}

func TestSecrets(t *testing.T) {
	t.Parallel()
	none, err := seal.New("")
	require.NoError(t, err)
	require.Nil(t, none)
	_, err = seal.New(oldSecret + ",short")
	require.ErrorContains(t, err, "32 characters")
}
