package plan

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTrails(t *testing.T) {
	t.Parallel()
	paths := [][]step{
		{{key: "a"}, {index: 1}, {key: "b c"}}, {{key: "a"}, {index: 1}, {key: "d"}}, {{key: "a"}}, {}, {{key: "b"}, {index: 1}}, {{key: "a"}, {index: 0}},
	}
	var all trails
	made := make([]*trail, len(paths))
	for i, p := range paths {
		made[i] = all.of(p)
	}
	for i, p := range paths {
		require.Equal(t, spell(p), made[i].spell())
	}
	require.Same(t, made[0].above, made[1].above, "what is the same is shared")
}
