package answer

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMergedJoinsFindTheirKeys(t *testing.T) {
	t.Parallel()
	joined := func(key string, parts int, hidden ...string) []Member {
		list := []Member{{Key: key, Joins: []*Join{{First: 1, Parts: parts}}}}
		for _, name := range hidden {
			list = append(list, Member{Key: name, Hidden: true})
		}
		return list
	}
	merged, err := MergeJoins(joined("x", 1, "k1"), joined("x", 2, "k2", "k3"))
	require.NoError(t, err)
	merged, err = MergeJoins(merged, append([]Member{{Key: "o", Below: joined("y", 1, "k5")}}, Member{Key: "k2", Hidden: true}))
	require.NoError(t, err)
	require.Equal(t, []Member{
		{Key: "x", Joins: []*Join{{First: 1, Parts: 1}, {First: 2, Parts: 2}}},
		{Key: "k1", Hidden: true},
		{Key: "k2", Hidden: true},
		{Key: "k3", Hidden: true},
		{Key: "o", Below: joined("y", 1, "k5")},
	}, merged)
	_, err = MergeJoins(merged, []Member{{Key: "x", Below: joined("z", 1, "k6")}})
	require.EqualError(t, err, "not-supported at $: the response name 'x' is that of a relationship and of another field on one abstract type")
}
