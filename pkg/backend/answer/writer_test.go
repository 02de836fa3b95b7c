package answer

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/ir"
)

// textFormat is the form of a driver that gives all values as text and without types, and
// records as fields with "," between, lists as records with ";" between.
type textFormat struct{}

func (textFormat) Record(values [][]byte, types []uint32, record []byte) ([][]byte, []uint32, bool) {
	if len(record) == 0 {
		return values, types, false
	}
	for field := range strings.SplitSeq(string(record), ",") {
		if field == "-" {
			values = append(values, nil)
		} else {
			values = append(values, []byte(field))
		}
	}
	return values, types, true
}

func (textFormat) List(list []byte) (int, []byte, bool) {
	if len(list) == 0 {
		return 0, nil, true
	}
	return strings.Count(string(list), ";") + 1, list, true
}

func (textFormat) Next(rest []byte) (record, after []byte, ok bool) {
	before, behind, _ := strings.Cut(string(rest), ";")
	return []byte(before), []byte(behind), true
}

func (textFormat) True(value []byte) bool { return string(value) == "1" }

func (textFormat) Encoder(uint32, bool) Encoder { return nil }

func number(dst, value []byte) ([]byte, bool) {
	n, err := strconv.ParseInt(string(value), 10, 64)
	return strconv.AppendInt(dst, n, 10), err == nil
}

func row(values ...string) Cells {
	c := Cells{Values: make([][]byte, len(values))}
	for i, v := range values {
		if v != "-" {
			c.Values[i] = []byte(v)
		}
	}
	return c
}

// track is the shape of rows with an id and a name, from the given columns.
func track(id, name int) *Shape {
	var b Builder
	b.Text("{")
	b.Key(0, "id", Compact)
	b.Add(Part{Column: id, Cell: Cell{Encode: number}})
	b.Key(1, "name", Compact)
	b.Add(Part{Column: name, Cell: Cell{Encode: AppendText}})
	b.Text("}")
	return b.Shape()
}

func write(t *testing.T, s *Shape, r Cells) string {
	t.Helper()
	w := Writer{Format: textFormat{}}
	text := w.Row(nil, s, r)
	require.NoError(t, w.Err)
	return string(text)
}

func TestRowOfADriverWithoutTypes(t *testing.T) {
	t.Parallel()
	require.Equal(t, `{"id":7,"name":"a \"b\""}`, write(t, track(0, 1), row("7", `a "b"`)))
	require.Equal(t, `{"id":7,"name":null}`, write(t, track(0, 1), row("7", "-")))

	nested := func(kind Kind) *Shape {
		return &Shape{Parts: []Part{{Lead: `{"tracks" : `, Kind: kind, Shape: track(0, 1)}}, Tail: "}"}
	}
	require.Equal(t, `{"tracks" : [{"id":1,"name":"a"}, {"id":2,"name":null}]}`, write(t, nested(List), row("1,a;2,-")))
	require.Equal(t, `{"tracks" : []}`, write(t, nested(List), row("")))
	require.Equal(t, `{"tracks" : []}`, write(t, nested(List), row("-")))
	require.Equal(t, `{"tracks" : {"id":1,"name":"a"}}`, write(t, nested(Record), row("1,a")))
	require.Equal(t, `{"tracks" : null}`, write(t, nested(Record), row("-")))

	joined := &Shape{Parts: []Part{{Kind: Object, Column: 2, Shape: track(0, 1)}}}
	require.Equal(t, `{"id":1,"name":"a"}`, write(t, joined, row("1", "a", "1")))
	require.Equal(t, `null`, write(t, joined, row("-", "-", "-")))
}

func TestPageOfRows(t *testing.T) {
	t.Parallel()
	page := func(last, after bool) *Shape {
		return &Shape{Parts: []Part{{Kind: PageOfRows, Page: &Page{
			Size: 2, Last: last, Excluded: 1, After: after,
			Cursor: &Shape{Parts: []Part{{Cell: Cell{Encode: number}}}},
			Parts: []PagePart{
				{Lead: `{"edges" : `, Edges: track(0, 1)},
				{Lead: `, "more" : `, Info: ir.HasNextPage},
				{Lead: `, "less" : `, Info: ir.HasPreviousPage},
				{Lead: `, "end" : `, Info: ir.EndCursor},
			},
			Tail: "}",
		}}}}
	}
	const edges = `{"edges" : [{"id":1,"name":"a"}, {"id":2,"name":"b"}], `
	require.Equal(t, edges+`"more" : true, "less" : true, "end" : "Mg=="}`, write(t, page(false, true), row("1,a;2,b;3,c", "1")))
	require.Equal(t, edges+`"more" : false, "less" : false, "end" : "Mg=="}`, write(t, page(false, true), row("1,a;2,b", "0")))
	require.Equal(t, edges+`"more" : true, "less" : true, "end" : "Mg=="}`, write(t, page(true, false), row("2,b;1,a;0,z", "1")))
	require.Equal(t, `{"edges" : [], "more" : false, "less" : false, "end" : ""}`, write(t, page(false, true), row("-", "0")))
}

func TestMalformedRowsAreRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		shape *Shape
		row   Cells
	}{
		"a missing column":        {track(0, 1), row("1")},
		"no number":               {track(0, 1), row("one", "a")},
		"an empty record":         {&Shape{Parts: []Part{{Kind: Record, Shape: track(0, 1)}}}, row("")},
		"a record in a list":      {&Shape{Parts: []Part{{Kind: List, Shape: track(0, 1)}}}, row("1,a;")},
		"a type without encoder":  {track(0, 1), Cells{Values: [][]byte{{'1'}, {'a'}}, Types: []uint32{9, 0}}},
		"a malformed page record": {&Shape{Parts: []Part{{Kind: PageOfRows, Page: &Page{Size: -1, Excluded: -1, Parts: []PagePart{{Edges: track(0, 1)}}}}}}, row("1")},
	} {
		w := Writer{Format: textFormat{}}
		w.Row(nil, c.shape, c.row)
		require.Error(t, w.Err, name)
		w.Reset()
		require.Equal(t, `{"id":1,"name":"a"}`, string(w.Row(nil, track(0, 1), row("1", "a"))), name)
		require.NoError(t, w.Err, name)
	}
}

func TestOutputOfAMutation(t *testing.T) {
	t.Parallel()
	o := Output{
		Parts: []OutputPart{{Lead: `{"affected_rows" : `, Count: true}, {Lead: `, "returning" : `, Shape: track(0, 1)}},
		Tail:  "}",
	}
	w := Writer{Format: textFormat{}}
	done := o.Begin()
	done.Add(&w, row("1", "a"))
	done.Add(&w, row("2", "-"))
	require.Equal(t, `{"affected_rows" : 2, "returning" : [{"id":1,"name":"a"}, {"id":2,"name":null}]}`, string(done.Append(nil, 2)))
	none := o.Begin()
	require.Equal(t, `{"affected_rows" : 0, "returning" : []}`, string(none.Append(nil, 0)))

	one := Output{Parts: []OutputPart{{Shape: track(0, 1), One: true}}}
	first := one.Begin()
	first.Add(&w, row("1", "a"))
	first.Add(&w, row("2", "b"))
	require.Equal(t, `{"id":1,"name":"a"}`, string(first.Append(nil, 2)))
	nothing := one.Begin()
	require.Equal(t, `null`, string(nothing.Append(nil, 0)))
	require.NoError(t, w.Err)
}
