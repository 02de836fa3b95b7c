package rowstream

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/answer"
	"queryengine/pkg/backend/postgres/rowimage"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

var (
	int4  = catalog.Type{Name: "int4", ID: "23"}
	texts = catalog.Type{Name: "text", ID: "25"}
	id    = ir.Column{Name: "id", Type: int4}
	at    = ir.Column{Name: "at", Type: int4}
	owner = ir.Column{Name: "owner", Type: texts}
	note  = ir.Column{Name: "note", Type: texts}
)

// columns are those of the changes of the tests.
var columns = []string{"note", "at", "owner", "id"}

// stream is of rows past a cursor, of one owner, in batches of a size: the values of a cohort.
func stream(change func(c *Config)) *Stream {
	value := func(i int) rowimage.Operand {
		return func(cohort [][]byte) ([][]byte, bool) { return [][]byte{cohort[i]}, true }
	}
	c := Config{
		Table: catalog.Name{Schema: "public", Name: "entry"}, Cursor: at, Key: []ir.Column{id}, Size: value(2),
		Where: ir.And{Exps: []ir.BoolExp{
			ir.Rule{Exp: ir.Compare{Left: owner, Op: ir.OpEq, Args: []ir.Value{ir.Variable{Index: 1, Type: texts}}}},
			ir.Compare{Left: at, Op: ir.OpGt, Args: []ir.Value{ir.Variable{Index: 0, Type: int4}}},
		}},
		Find:   func(v ir.Value, _ bool) rowimage.Operand { return value(v.(ir.Variable).Index) }, //nolint:forcetypeassert // fails the test
		Fields: []ir.Column{id, note},
		Shape: func(places []int) *answer.Shape {
			var b answer.Builder
			b.Text("(")
			b.Add(answer.Part{Column: places[0], Cell: answer.Cell{Encode: plain}})
			b.Text(" ")
			b.Add(answer.Part{Column: places[1], Cell: answer.Cell{Encode: plain}})
			b.Text(")")
			return b.Shape()
		},
	}
	if change != nil {
		change(&c)
	}
	return New(c)
}

func plain(dst, value []byte) ([]byte, bool) { return append(dst, value...), string(value) != "bad" }

// cells are "note at owner id", with ∅ for NULL and ? for what isn't known.
func cells(row string) []backend.Cell {
	if row == "" {
		return nil
	}
	var list []backend.Cell
	for text := range strings.FieldsSeq(row) {
		c := backend.Cell{State: backend.CellText, Text: text}
		switch text {
		case "∅":
			c = backend.Cell{}
		case "?":
			c = backend.Cell{State: backend.CellUnknown}
		}
		list = append(list, c)
	}
	return list
}

// changed are rows, each "old > new", of transactions that are numbered from 1.
func changed(list ...string) *backend.ChangedRows {
	rows := &backend.ChangedRows{Columns: columns}
	for i, text := range list {
		before, after, _ := strings.Cut(text, ">")
		rows.Rows = append(rows.Rows, backend.ChangedRow{Old: cells(strings.TrimSpace(before)), New: cells(strings.TrimSpace(after)), Transaction: uint64(i + 1)})
	}
	return rows
}

// until is a snapshot that sees the transactions before it.
type until uint64

func (u until) Sees(transaction uint64) bool { return transaction < uint64(u) }

// batches are those of a cohort, "unknown" where only the statement gives them.
func batches(t *testing.T, s *Stream, rows *backend.ChangedRows, seen until, cohort ...string) string {
	t.Helper()
	read := s.Read(rows)
	if read == nil {
		return "unread"
	}
	values := make([][]byte, len(cohort))
	for i, v := range cohort {
		if v != "∅" {
			values[i] = []byte(v)
		}
	}
	list, known := read.Batches(s.Bind(values), seen)
	if !known {
		return "unknown"
	}
	var texts []string
	for _, b := range list {
		texts = append(texts, string(b.Root)+" to "+string(b.Cursor))
	}
	return strings.Join(texts, "; ")
}

func TestBatches(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rows []string
		seen until
		want string
	}{
		"none":                       {nil, 0, ""},
		"one":                        {[]string{"> x 11 me 1"}, 0, "[(1 x)] to 11"},
		"in the order of the cursor": {[]string{"> x 30 me 1", "> y 20 me 2", "> z 25 me 3"}, 0, "[(2 y), (3 z)] to 25; [(1 x)] to 30"},
		"ties come together":         {[]string{"> x 20 me 1", "> y 11 me 2", "> z 20 me 3", "> u 21 me 4", "> v 20 me 5"}, 0, "[(2 y), (1 x), (3 z), (5 v)] to 20; [(4 u)] to 21"},
		"not past the cursor":        {[]string{"> x 10 me 1", "> y 9 me 2", "> z ∅ me 3"}, 0, ""},
		"numbers, not texts":         {[]string{"> x 9 me 1", "> y 100 me 2"}, 0, "[(2 y)] to 100"},
		"of others":                  {[]string{"> x 11 you 1", "> y 12 ∅ 2", "> z 13 me 3"}, 0, "[(3 z)] to 13"},
		"NULL is shown":              {[]string{"> ∅ 11 me 1"}, 0, "[(1 null)] to 11"},
		"seen already":               {[]string{"> x 11 me 1", "> y 12 me 2", "> z 13 me 3"}, 3, "[(3 z)] to 13"},
		"deleted again":              {[]string{"> x 11 me 1", "? ? ? 1 >"}, 0, ""},
		"hidden in the end":          {[]string{"> x 11 me 1", "? ? ? 1 > x 11 you 1"}, 0, ""},
		"shown in the end":           {[]string{"> x 11 you 1", "? ? ? 1 > y 12 me 1"}, 0, "[(1 y)] to 12"},
		"changed twice":              {[]string{"? ? ? 1 > x 11 me 1", "? ? ? 1 > y 12 me 1"}, 0, "[(1 y)] to 12"},
		"with another key":           {[]string{"> x 11 me 1", "? ? ? 1 > x 11 me 2", "> y 12 me 1"}, 0, "[(2 x), (1 y)] to 12"},
		"deleted and made again":     {[]string{"> x 11 me 1", "? ? ? 1 >", "> y 12 me 1"}, 0, "[(1 y)] to 12"},
		"moved past the cursor":      {[]string{"? ? ? 1 > x 11 me 1"}, 0, "[(1 x)] to 11"},
		"the last change is seen":    {[]string{"> x 11 me 1", "? ? ? 1 > y 12 me 1"}, 3, ""},
		"only the first is seen":     {[]string{"> x 11 me 1", "? ? ? 1 > y 12 me 1"}, 2, "[(1 y)] to 12"},
		"an owner isn't known":       {[]string{"> x 11 ? 1"}, 0, "unknown"},
		"nor past the cursor":        {[]string{"> x 10 ? 1"}, 0, ""},
		"a shown value isn't known":  {[]string{"> ? 11 me 1"}, 0, "unknown"},
		"but of another":             {[]string{"> ? 11 you 1"}, 0, ""},
		"but seen":                   {[]string{"> ? 11 me 1"}, 2, ""},
		"the cursor isn't known":     {[]string{"> x ? me 1"}, 0, "unread"},
		"a cursor like no other":     {[]string{"> x infinity me 1"}, 0, "unread"},
		"a key isn't known":          {[]string{"> x 11 me ?"}, 0, "unread"},
		"an old key isn't known":     {[]string{"? ? ? ? > x 11 me 1"}, 0, "unread"},
		"a value can't be written":   {[]string{"> bad 11 me 1"}, 0, "unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, batches(t, stream(nil), changed(c.rows...), c.seen, "10", "me", "2"))
		})
	}
}

func TestDescendingBatches(t *testing.T) {
	t.Parallel()
	s := stream(func(c *Config) {
		c.Desc, c.Where = true, ir.Compare{Left: at, Op: ir.OpLt, Args: []ir.Value{ir.Variable{Index: 0, Type: int4}}}
	})
	require.Equal(t, "[(3 z)] to 9; [(2 y)] to 8; [(1 x)] to 7",
		batches(t, s, changed("> x 7 me 1", "> y 8 me 2", "> z 9 me 3", "> u 10 me 4"), 0, "10", "me", "1"))
}

func TestSizesOfBatches(t *testing.T) {
	t.Parallel()
	rows := changed("> x 11 me 1", "> y 12 me 2", "> z 13 me 3")
	const one, two = "[(1 x)] to 11; [(2 y)] to 12; [(3 z)] to 13", "[(1 x), (2 y)] to 12; [(3 z)] to 13"
	most := stream(func(c *Config) { c.Most = 2 })
	for size, want := range map[string]string{"1": one, "2": two, "9": two, "0": "", "∅": two, "-1": "unknown", "x": "unknown"} {
		require.Equal(t, want, batches(t, most, rows, 0, "10", "me", size), size)
	}
	require.Equal(t, "unknown", batches(t, stream(nil), rows, 0, "10", "me", "∅"), "the statement doesn't take it")
	require.Equal(t, "unknown", batches(t, stream(nil), rows, 0, "∅", "me", "x"))
	require.Empty(t, batches(t, stream(nil), rows, 0, "∅", "me", "1"), "nothing is past NULL")
}

// TestRowsWithoutKey are distinguished as long as none is changed.
func TestRowsWithoutKey(t *testing.T) {
	t.Parallel()
	s := stream(func(c *Config) { c.Key = nil })
	require.Equal(t, "[(1 x), (1 x)] to 11", batches(t, s, changed("> x 11 me 1", "> x 11 me 1"), 0, "10", "me", "2"))
	require.Equal(t, "unread", batches(t, s, changed("> x 11 me 1", "x 11 me 1 >"), 0, "10", "me", "2"))
}

// TestUnknownChanges are those of another version of the engine, or with too many rows.
func TestUnknownChanges(t *testing.T) {
	t.Parallel()
	require.Nil(t, stream(nil).Read(nil))
	rows := changed("> x 11 me 1")
	rows.Rows[0].Transaction = 0
	require.Nil(t, stream(nil).Read(rows))
	rows = changed("> x 11 me 1")
	rows.Columns = []string{"note", "at", "other", "id"}
	require.Nil(t, stream(nil).Read(rows))
}

func TestFits(t *testing.T) {
	t.Parallel()
	s := stream(nil)
	require.Equal(t, []string{"owner", "at", "id", "note"}, s.Columns())
	told := func(change func(list []backend.ToldColumn) []backend.ToldColumn) bool {
		list := []backend.ToldColumn{
			{Name: "id", Type: "23", Key: 1, Collation: backend.CollationDeterministic},
			{Name: "at", Type: "23", Collation: backend.CollationDeterministic},
			{Name: "owner", Type: "25", Collation: backend.CollationDeterministic},
			{Name: "note", Type: "25"},
		}
		return s.Fits(change(list))
	}
	require.True(t, told(func(list []backend.ToldColumn) []backend.ToldColumn { return list }))
	for name, change := range map[string]func(list []backend.ToldColumn) []backend.ToldColumn{
		"a column is missing":               func(list []backend.ToldColumn) []backend.ToldColumn { return list[:3] },
		"a view":                            func([]backend.ToldColumn) []backend.ToldColumn { return nil },
		"another type":                      func(list []backend.ToldColumn) []backend.ToldColumn { list[1].Type = "20"; return list },
		"texts that are equal to others":    func(list []backend.ToldColumn) []backend.ToldColumn { list[2].Collation = 0; return list },
		"the key has more columns":          func(list []backend.ToldColumn) []backend.ToldColumn { list[0].Key = 2; return list },
		"the key has gone":                  func(list []backend.ToldColumn) []backend.ToldColumn { list[0].Key = 0; return list },
		"the key is another, of one column": func(list []backend.ToldColumn) []backend.ToldColumn { list[0].Key, list[1].Key = 0, 1; return list },
	} {
		require.False(t, told(change), name)
	}
	ordered := stream(func(c *Config) { c.Cursor = owner })
	list := []backend.ToldColumn{
		{Name: "id", Type: "23", Key: 1, Collation: backend.CollationDeterministic},
		{Name: "at", Type: "23", Collation: backend.CollationDeterministic},
		{Name: "owner", Type: "25", Collation: backend.CollationDeterministic},
		{Name: "note", Type: "25"},
	}
	require.False(t, ordered.Fits(list), "texts in the order of a language")
	list[2].Collation = backend.CollationBytes
	require.True(t, ordered.Fits(list))
	require.Nil(t, stream(func(c *Config) { c.Cursor = ir.Column{Name: "at", Type: catalog.Type{Name: "float8", ID: "701"}} }))
}
