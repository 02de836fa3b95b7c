package xid

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSnapshotSees(t *testing.T) {
	t.Parallel()
	const high = "4294967295" // the log has 32 bits of a number: they go round
	for _, c := range []struct {
		text string
		sees []uint32
		not  []uint32
	}{
		{"10:10:", []uint32{9, 3}, []uint32{10, 11}},
		{"10:20:10,14", []uint32{9, 11, 13, 19}, []uint32{10, 14, 20, 21}},
		{"10:20:14,10", []uint32{9, 11, 13, 19}, []uint32{10, 14, 20, 21}},
		{high + ":4294967301:" + high, []uint32{0, 4, 1<<32 - 2}, []uint32{1<<32 - 1, 5, 6}},
		{"8589934600:8589934610:8589934601", []uint32{8, 10, 17, 1<<32 - 3}, []uint32{9, 18}},
	} {
		s, err := Parse(c.text)
		require.NoError(t, err)
		for _, id := range c.sees {
			require.True(t, s.Sees(s.Full(id)), "%s: %d", c.text, id)
		}
		for _, id := range c.not {
			require.False(t, s.Sees(s.Full(id)), "%s: %d", c.text, id)
		}
	}
	for _, text := range []string{"", "1:2", "a:2:", "1:a:", "1:3:x", "1:2:3:4", "1:3:,"} {
		_, err := Parse(text)
		require.Error(t, err, text)
	}
}

// TestFullNumbers: a number is the one next to those that the snapshot has, before or after them.
func TestFullNumbers(t *testing.T) {
	t.Parallel()
	s, err := Parse("4294967290:4294967301:")
	require.NoError(t, err)
	for low, full := range map[uint32]uint64{1<<32 - 6: 4294967290, 1<<32 - 1: 4294967295, 0: 4294967296, 5: 4294967301, 9: 4294967305} {
		require.Equal(t, full, s.Full(low))
	}
	later, err := Parse("12884901900:12884901901:")
	require.NoError(t, err)
	require.False(t, s.Sees(later.Full(3)), "the same bits two rounds later")
	require.True(t, s.Sees(s.Full(3)))
}
