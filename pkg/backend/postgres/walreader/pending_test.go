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
