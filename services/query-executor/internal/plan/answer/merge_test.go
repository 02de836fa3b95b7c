package answer

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMergedJoinsFindTheirKeys(t *testing.T) {
	t.Parallel()
	joined := func(key string, parts int, hidden ...string) []Member {
		list := []Member{{Key: key, As: "x", Join: &Join{Parts: parts}}}
		for _, name := range hidden {
			list = append(list, Member{Key: name, Hidden: true})
		}
		return list
	}
	below := func(key string, list ...Member) Member { return Member{Key: key, Below: list} }
	merged := MergeJoins(joined("k1", 1), joined("k2", 2, "k3"))
	merged = MergeJoins(merged, append([]Member{below("o", joined("k5", 1)...)}, joined("k2", 2, "k3")...))
	merged = MergeJoins(merged, []Member{below("o", joined("k6", 1)...)})
	require.Equal(t, []Member{
		joined("k1", 1)[0],
		joined("k2", 2)[0],
		{Key: "k3", Hidden: true},
		below("o", joined("k5", 1)[0], joined("k6", 1)[0]),
	}, merged)
}
