package encode

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend/answer"
)

// FuzzRows: whatever the server sends, a row is written or refused, and nothing panics.
func FuzzRows(f *testing.F) {
	record := []byte{0, 0, 0, 1, 0, 0, 0, 23, 0, 0, 0, 4, 0, 0, 0, 7}
	f.Add(record, uint32(23))
	f.Add([]byte{0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 17, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 1, 2}, uint32(1007))
	f.Add([]byte{0, 2, 0, 1, 0, 0, 0, 2, 0, 1, 9, 0x29}, uint32(1700))
	one := answer.Cell{Type: 23, Encode: encodeInt4}
	inner := &answer.Shape{Parts: []answer.Part{{Lead: `{"a":`, Cell: one}}, Tail: "}"}
	f.Fuzz(func(t *testing.T, value []byte, oid uint32) {
		for _, kind := range []answer.Kind{answer.Value, answer.Record, answer.List} {
			w := NewWriter(false)
			s := &answer.Shape{Parts: []answer.Part{{
				Kind: kind, Cell: answer.Cell{UserTypes: firstUserOID, Encode: arrayOf(answer.AppendText)}, Shape: inner,
			}}}
			text := w.Row(nil, s, answer.Cells{Values: [][]byte{value}, Types: []uint32{oid}})
			require.Less(t, len(text), 1<<20)
		}
	})
}
