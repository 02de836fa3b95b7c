package changemessage

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/backend"
	changev1 "queryengine/proto/change/v1"
)

// sent is a change after it was on the bus.
func sent(t *testing.T, c *backend.Change) backend.Change {
	t.Helper()
	data, err := proto.Marshal(Encode(c))
	require.NoError(t, err)
	var m changev1.Change
	require.NoError(t, proto.Unmarshal(data, &m))
	return Decode(&m)
}

func text(s string) backend.Cell { return backend.Cell{State: backend.CellText, Text: s} }

var unknown = backend.Cell{State: backend.CellUnknown}

func TestEncodeAndDecode(t *testing.T) {
	t.Parallel()
	at := time.UnixMicro(1_700_000_000_123_456)
	for name, c := range map[string]backend.Change{
		"rows aren't known": {ID: "16384", Position: 77, Committed: at},
		"nothing else":      {ID: "16384"},
		"no rows":           {ID: "1", Rows: &backend.ChangedRows{Columns: []string{"id"}, Rows: []backend.ChangedRow{}}},
		"rows": {ID: "1", Position: 1 << 63, Committed: at, Rows: &backend.ChangedRows{Columns: []string{"id", "name"}, Rows: []backend.ChangedRow{
			{New: []backend.Cell{text("1"), {}}},
			{New: []backend.Cell{text(""), text("ä\x00")}},
			{Old: []backend.Cell{text("1"), text("a")}, New: []backend.Cell{text("1"), text("b")}},
			{Old: []backend.Cell{text("1"), unknown}, New: []backend.Cell{text("2"), unknown}},
			{Old: []backend.Cell{{}, text("")}, New: []backend.Cell{unknown, {}}},
			{Old: []backend.Cell{text("1"), unknown}, New: []backend.Cell{text("1"), {State: backend.CellKept}}},
			{Old: []backend.Cell{text("9"), unknown}, Transaction: 1<<40 + 1},
		}}},
	} {
		require.Equal(t, c, sent(t, &c), name)
	}
}

func TestValuesThatStayAreSentOnce(t *testing.T) {
	t.Parallel()
	cells := []backend.Cell{text("one"), text("two")}
	m := Encode(&backend.Change{Rows: &backend.ChangedRows{Columns: []string{"a", "b"}, Rows: []backend.ChangedRow{{Old: cells, New: cells}}}})
	require.Len(t, m.GetRows()[0].GetTexts(), 2)
}

// TestMessagesOfOtherVersions: what isn't understood isn't known.
func TestMessagesOfOtherVersions(t *testing.T) {
	t.Parallel()
	for name, m := range map[string]*changev1.Change{
		"without columns":     {Rows: []*changev1.Row{{Kind: changev1.Kind_KIND_INSERT}}},
		"without a kind":      {Columns: []string{"a"}, Rows: []*changev1.Row{{States: []byte{1}}}},
		"a kind to come":      {Columns: []string{"a"}, Rows: []*changev1.Row{{Kind: 9, States: []byte{1}}}},
		"too few states":      {Columns: []string{"a"}, Rows: []*changev1.Row{{Kind: changev1.Kind_KIND_UPDATE, States: []byte{1}}}},
		"too many states":     {Columns: []string{"a"}, Rows: []*changev1.Row{{Kind: changev1.Kind_KIND_INSERT, States: []byte{1, 1}}}},
		"too few texts":       {Columns: []string{"a"}, Rows: []*changev1.Row{{Kind: changev1.Kind_KIND_INSERT, States: []byte{2}}}},
		"too many texts":      {Columns: []string{"a"}, Rows: []*changev1.Row{{Kind: changev1.Kind_KIND_INSERT, States: []byte{1}, Texts: [][]byte{{1}}}}},
		"the same of nothing": {Columns: []string{"a"}, Rows: []*changev1.Row{{Kind: changev1.Kind_KIND_INSERT, States: []byte{3}}}},
	} {
		require.Nil(t, Decode(m).Rows, name)
	}
	later := Decode(&changev1.Change{Columns: []string{"a"}, Rows: []*changev1.Row{{Kind: changev1.Kind_KIND_INSERT, States: []byte{200}}}})
	require.Equal(t, unknown, later.Rows.Rows[0].New[0])
}

func TestColumns(t *testing.T) {
	t.Parallel()
	told := []backend.ToldColumn{
		{Name: "id", Type: "23", Collation: backend.CollationDeterministic, Key: 2},
		{Name: "name", Type: "25", Collation: backend.CollationBytes},
		{Name: "loose", Type: "25"},
	}
	require.Equal(t, told, DecodeColumns(EncodeColumns(told)))
	require.Equal(t, backend.CollationUnknown, DecodeColumns([]*changev1.Column{{Collation: 7}})[0].Collation)
}
