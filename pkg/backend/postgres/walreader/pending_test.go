package walreader

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend/postgres/pgoutput"
)

// TestTransactionsAreKeptByTable holds that a transaction of any number of rows takes the room of its
// tables.
func TestTransactionsAreKeptByTable(t *testing.T) {
	t.Parallel()
	p := newPending(&interest{})
	require.NoError(t, p.Begin(pgoutput.Begin{XID: 7}))
	for i := range 100_000 {
		require.NoError(t, p.Row(uint32(i%3), nil))
	}
	require.Len(t, p.current.tables, 3)
	require.NoError(t, p.Truncate([]uint32{1, 9}))
	require.NoError(t, p.Commit(pgoutput.Commit{}))
	require.Len(t, p.transactions, 1)
	var tables []uint32
	for _, c := range p.transactions[0].tables {
		tables = append(tables, c.table)
	}
	require.ElementsMatch(t, []uint32{0, 1, 2, 9}, tables)

	require.NoError(t, p.Begin(pgoutput.Begin{XID: 8}))
	require.NoError(t, p.Commit(pgoutput.Commit{}))
	require.Len(t, p.transactions, 1, "one that changed nothing isn't kept")
}

// TestRowsOfWaitingTransactionsAreBounded: those of further transactions aren't known.
func TestRowsOfWaitingTransactionsAreBounded(t *testing.T) {
	t.Parallel()
	columns := []column{{name: "t", kind: 25}}
	p := newPending(&interest{tables: map[uint32][]column{5: columns}})
	require.NoError(t, p.Relation(&pgoutput.Relation{ID: 5, Columns: []pgoutput.Column{{Name: "t", Type: 25}}}))
	const size = 8000
	row := append([]byte{'I', 0, 0, 0, 5, 'N', 0, 1, 't', 0, 0, size >> 8, size & 0xff}, make([]byte, size)...)
	known, unknown := 0, 0
	for range 2 * mostPending / size {
		require.NoError(t, p.Begin(pgoutput.Begin{}))
		require.NoError(t, p.Row(5, row))
		require.NoError(t, p.Commit(pgoutput.Commit{}))
		if p.current.tables[0].rows != nil {
			known++
		} else {
			unknown++
		}
	}
	require.Positive(t, known)
	require.Positive(t, unknown)
	require.LessOrEqual(t, known*size, mostPending)
	require.LessOrEqual(t, p.bytes, mostPending)
}

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
		{high + ":4294967301:" + high, []uint32{0, 4, 1<<32 - 2}, []uint32{1<<32 - 1, 5, 6}},
		{"8589934600:8589934610:8589934601", []uint32{8, 10, 17, 1<<32 - 3}, []uint32{9, 18}},
	} {
		s, err := parseSnapshot(c.text)
		require.NoError(t, err)
		for _, xid := range c.sees {
			require.True(t, s.sees(xid), "%s: %d", c.text, xid)
		}
		for _, xid := range c.not {
			require.False(t, s.sees(xid), "%s: %d", c.text, xid)
		}
	}
	for _, text := range []string{"", "1:2", "a:2:", "1:a:", "1:3:x", "1:2:3:4", "1:3:,"} {
		_, err := parseSnapshot(text)
		require.Error(t, err, text)
	}
}
