package input

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestArena: texts that share a piece of memory don't reach into each other, and an empty
// one isn't NULL.
func TestArena(t *testing.T) {
	t.Parallel()
	for _, texts := range []*Arena{nil, {}} {
		var want []string
		var have [][]byte
		for i := range 1000 {
			text := strings.Repeat(string(rune('a'+i%26)), i*i%(mostPiece/3))
			want, have = append(want, text), append(have, texts.copy(text))
		}
		for i := range have {
			require.NotNil(t, have[i])
			require.Equal(t, want[i], string(have[i]))
			_ = append(have[i], 'x')
		}
		for i := range have {
			require.Equal(t, want[i], string(have[i]))
		}
	}
}

// TestArenaClone: values of a driver's buffer outlive it, NULL stays NULL, and an empty one isn't NULL.
func TestArenaClone(t *testing.T) {
	t.Parallel()
	var values Arena
	buffer := []byte("first")
	first := values.Clone(buffer)
	copy(buffer, "other")
	second := values.Clone(buffer)
	large := bytes.Repeat([]byte{'x'}, mostPiece)
	kept := values.Clone(large)
	clear(large)
	_ = append(first, 'y')
	require.Equal(t, "first", string(first))
	require.Equal(t, "other", string(second))
	require.Equal(t, bytes.Repeat([]byte{'x'}, mostPiece), kept)
	require.Nil(t, values.Clone(nil))
	require.NotNil(t, values.Clone([]byte{}))
}
