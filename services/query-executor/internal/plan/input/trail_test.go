package input

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTrails(t *testing.T) {
	t.Parallel()
	paths := [][]Step{
		{{Key: "a"}, {Index: 1}, {Key: "b c"}}, {{Key: "a"}, {Index: 1}, {Key: "d"}}, {{Key: "a"}}, {}, {{Key: "b"}, {Index: 1}}, {{Key: "a"}, {Index: 0}},
	}
	var all trails
	made := make([]*trail, len(paths))
	for i, p := range paths {
		made[i] = all.of(p)
	}
	for i, p := range paths {
		require.Equal(t, Spell(p), made[i].spell())
	}
	require.Same(t, made[0].above, made[1].above, "what is the same is shared")
}
