package rowstream

import (
	"slices"
	"strconv"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/answer"
	"queryengine/pkg/backend/postgres/rowimage"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// Config is what a stream is made of.
type Config struct {
	Table catalog.Name
	Where ir.BoolExp
	// Cursor is the column that the rows are in the order of, which Where compares with the cursor's value, Desc
	// whether they descend.
	Cursor ir.Column
	Desc   bool
	// Key is the primary key, empty for none.
	Key []ir.Column
	// Size is the number of rows of a batch, and Most the most that the role gets; 0 for any.
	Size rowimage.Operand
	Most int
	// Find gives the operands of Where, as for rowimage.Compile.
	Find func(v ir.Value, list bool) rowimage.Operand
	// Fields give the columns of the answer. Shape makes an object of a row, of whose columns it has the places.
	Fields []ir.Column
	Shape  func(places []int) *answer.Shape
}

// Stream implements backend.LiveStream.
type Stream struct {
	table     catalog.Name
	columns   rowimage.Columns
	condition *rowimage.Condition
	// cursor and key are places of columns.
	cursor int
	desc   bool
	key    []int
	size   rowimage.Operand
	most   int
	// fields are the places of the columns that the answer has.
	fields []int
	shape  *answer.Shape
}

var _ backend.LiveStream = (*Stream)(nil)

// New makes a stream; nil where the order of the cursor's values isn't known, and for booleans, which the log has in
// another form than a statement.
func New(c Config) *Stream {
	if !rowimage.Comparable(c.Cursor.Type) || c.Cursor.Type.Name == "bool" {
		return nil
	}
	s := &Stream{table: c.Table, desc: c.Desc, size: c.Size, most: c.Most}
	s.condition = rowimage.Compile(c.Where, &s.columns, c.Find)
	s.cursor = s.columns.Add(c.Cursor, rowimage.Order)
	for _, column := range c.Key {
		s.key = append(s.key, s.columns.Add(column, rowimage.Equality))
	}
	for _, column := range c.Fields {
		s.fields = append(s.fields, s.columns.Add(column, rowimage.None))
	}
	s.shape = c.Shape(s.fields)
	return s
}

// Table implements backend.LiveStream.
func (s *Stream) Table() catalog.Name { return s.table }

// Columns implements backend.LiveStream.
func (s *Stream) Columns() []string {
	names := make([]string, len(s.columns))
	for i, c := range s.columns {
		names[i] = c.Name
	}
	return names
}

// Fits implements backend.LiveStream. The key has to be the one that the table has now: it tells rows apart.
func (s *Stream) Fits(told []backend.ToldColumn) bool {
	for i := range s.columns {
		at := slices.IndexFunc(told, func(t backend.ToldColumn) bool { return t.Name == s.columns[i].Name })
		if at < 0 || told[at].Type != s.columns[i].Type.ID || told[at].Collation < collations[s.columns[i].Collation] {
			return false
		}
		if isKey := slices.Contains(s.key, i); isKey && told[at].Key != len(s.key) {
			return false
		}
	}
	return true
}

// collations are the ones that a comparison takes.
var collations = map[rowimage.Comparison]backend.Collation{
	rowimage.None: backend.CollationUnknown, rowimage.Equality: backend.CollationDeterministic, rowimage.Order: backend.CollationBytes,
}

// cohort has the operands of a cohort and the size of its batches.
type cohort struct {
	operands rowimage.Operands
	size     int
	// known reports whether the size is.
	known bool
}

// Bind implements backend.LiveStream.
func (s *Stream) Bind(values [][]byte) backend.StreamCohort {
	c := &cohort{operands: s.condition.Bind(values)}
	c.size, c.known = s.sizeOf(values)
	return c
}

func (s *Stream) sizeOf(values [][]byte) (int, bool) {
	texts, ok := s.size(values)
	if !ok || len(texts) != 1 || texts[0] == nil {
		return s.most, ok && s.most > 0
	}
	size, err := strconv.Atoi(string(texts[0]))
	if err != nil || size < 0 {
		return 0, false
	}
	if s.most > 0 {
		size = min(size, s.most)
	}
	return size, true
}
