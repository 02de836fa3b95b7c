package plan

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/services/query-executor/internal/remote"
)

func membersOf(keys string) []remote.Member {
	var list []remote.Member
	for _, key := range strings.Fields(keys) {
		list = append(list, remote.Member{Key: key})
	}
	return list
}

// TestMergedMembersKeepTheirOrder: the members of each type are in the order that they were
// selected in.
func TestMergedMembersKeepTheirOrder(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		lists []string
		want  string
	}{
		{nil, ""},
		{[]string{"a b c"}, "a b c"},
		{[]string{"a b a"}, "a b"},
		{[]string{"b c", "a b d"}, "a b c d"},
		{[]string{"a p", "q", "a q"}, "a p q"},
		{[]string{"q", "a p", "a q"}, "a p q"},
		{[]string{"a b", "b a"}, "a b"}, // no order is right for both
		{[]string{"x a b y", "b a", "y z"}, "x a b y z"},
	} {
		var lists [][]remote.Member
		for _, keys := range tt.lists {
			lists = append(lists, membersOf(keys))
		}
		var got []string
		for _, m := range mergeMembers(lists) {
			got = append(got, m.Key)
		}
		require.Equal(t, tt.want, strings.Join(got, " "), tt.lists)
	}
	below := func(keys string) []remote.Member {
		return []remote.Member{{Key: "o", Below: &remote.Shape{Members: membersOf(keys)}}}
	}
	require.Equal(t, below("a b c"), mergeMembers([][]remote.Member{below("b c"), below("a b")}))
}

func TestMergedJoinsFindTheirKeys(t *testing.T) {
	t.Parallel()
	joined := func(key string, parts int, hidden ...string) []JoinMember {
		list := []JoinMember{{Key: key, Joins: []*Join{{First: 1, Parts: parts}}}}
		for _, name := range hidden {
			list = append(list, JoinMember{Key: name, Hidden: true})
		}
		return list
	}
	merged, err := mergeJoins(joined("x", 1, "k1"), joined("x", 2, "k2", "k3"))
	require.NoError(t, err)
	merged, err = mergeJoins(merged, append([]JoinMember{{Key: "o", Below: joined("y", 1, "k5")}}, JoinMember{Key: "k2", Hidden: true}))
	require.NoError(t, err)
	require.Equal(t, []JoinMember{
		{Key: "x", Joins: []*Join{{First: 1, Parts: 1}, {First: 2, Parts: 2}}},
		{Key: "k1", Hidden: true},
		{Key: "k2", Hidden: true},
		{Key: "k3", Hidden: true},
		{Key: "o", Below: joined("y", 1, "k5")},
	}, merged)
	_, err = mergeJoins(merged, []JoinMember{{Key: "x", Below: joined("z", 1, "k6")}})
	require.EqualError(t, err, "not-supported at $: the response name 'x' is that of a relationship and of another field on one abstract type")
}
