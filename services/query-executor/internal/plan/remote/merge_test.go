package remote

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
