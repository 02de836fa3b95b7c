package execute

import (
	"fmt"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
	"queryengine/services/query-executor/internal/plan"
	"queryengine/services/query-executor/internal/plan/input"
	"queryengine/services/query-executor/internal/plan/read"
)

// Live is the statement of a subscription, and what becomes of its results. It is immutable
// and safe for concurrent use.
type Live struct {
	// Source is the name of the source, Field that of the first root field.
	Source    string
	Field     string
	Statement backend.LiveStatement
	// Streaming reports whether the subscription follows a cursor, and Cursor which of a cohort's
	// values that is.
	Streaming bool
	Cursor    int
	// Tables are all that the results depend on; nil when that is not known.
	Tables []catalog.Name
	// Columns are those of the tables that results depend on: an update that keeps them doesn't matter. It is nil
	// when they aren't known.
	Columns map[catalog.Name][]string
	// Match decides which rows of one of the tables matter, nil for all.
	Match backend.LiveMatch
	// Stream gives the rows of a stream from changes of its table; nil where only the statement does.
	Stream   backend.LiveStream
	bindings input.Bindings
	pieces   []piece
	// column is the name of the cursor's column.
	column string
	// key identifies a subscription: see Key.
	key   string
	label label
}

// Key is the same for subscriptions that are run together: they have the same statement, and
// answers that look the same.
func (l *Live) Key() string { return l.key }

// ReadOnly is the subscription with the writes of what its statement calls refused; itself where there can't be any.
func (l *Live) ReadOnly() *Live {
	s, ok := l.Statement.(backend.ReadOnlyLive)
	if !ok || s.ReadOnly() == l.Statement {
		return l
	}
	c := *l
	c.Statement = s.ReadOnly()
	c.key = strings.TrimSuffix(l.key, l.Statement.Key()) + c.Statement.Key()
	return &c
}

// Live is the statement of a subscription; nil for other operations, and for a subscription
// that selects nothing.
func (p *Prepared) Live() *Live { return p.live }

func newLive(p *plan.Plan, pieces []piece, o options) (*Live, error) {
	renderer, ok := p.Live.Source.Dialect.(backend.LiveRenderer)
	if !ok {
		return nil, apierror.New(apierror.NotSupported, "subscriptions on this source are not supported")
	}
	l := ir.Live{Cursor: p.Live.Cursor}
	for _, part := range p.Parts {
		if q, ok := part.(*read.Query); ok {
			l.Roots = append(l.Roots, q.Root)
		}
	}
	statement, err := renderer.RenderLive(l, o.of(p.Live.Source))
	if err != nil {
		return nil, fmt.Errorf("render a subscription: %w", err)
	}
	out := &Live{
		Source: p.Live.Source.Name, Field: liveField(p), Statement: statement, Streaming: l.Cursor != nil,
		bindings: p.Live.Bindings, pieces: pieces, label: databaseLabel(p.Live.Source, "Subscription", o.field),
	}
	if out.Streaming {
		out.column = l.Cursor.Column
		for i, c := range statement.Columns() {
			if c.Variable == l.Cursor.Variable {
				out.Cursor = i
			}
		}
	}
	found := findTables(l.Roots)
	if settings, _ := backend.BoundBySession(p.Live.Source.Dialect); settings != "" {
		found.known = false // policies may read other tables
	}
	out.Tables = found.list()
	if out.Tables != nil {
		out.Columns = columnsOf(l.Roots)
	}
	if m, ok := statement.(backend.LiveMatcher); ok && out.Tables != nil {
		// Where the table is read in another place, too, other rows of it may matter there.
		if match := m.Match(); match != nil && found.times[match.Table()] == 1 {
			out.Match = match
		}
	}
	if s, ok := statement.(backend.LiveStreamer); ok && out.Tables != nil {
		if stream := s.Stream(); stream != nil && found.times[stream.Table()] == 1 {
			out.Stream = stream
		}
	}
	var key strings.Builder
	for _, piece := range pieces {
		fmt.Fprintf(&key, "%q,", textOf(piece))
	}
	out.key = out.Source + "\x00" + key.String() + "\x00" + statement.Key()
	return out, nil
}

func (l *Live) bind(r *Run) error { return r.bind(l.bindings) }

// Values are the values of the cohort that a subscriber belongs to, after Bind.
func (l *Live) Values(r *Run) ([][]byte, error) {
	return l.Statement.Bind(r.args(r.Bound))
}

// AppendAnswer makes an answer of the root fields of a result.
func (l *Live) AppendAnswer(dst []byte, roots [][]byte) []byte {
	n := 0
	for _, piece := range l.pieces {
		if _, ok := piece.(*livePiece); ok {
			dst = append(dst, roots[n]...)
			n++
			continue
		}
		dst = append(dst, textOf(piece)...)
	}
	return dst
}
