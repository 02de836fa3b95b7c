package execute

import (
	"context"
	"fmt"

	"go.opentelemetry.io/otel/trace"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/services/query-executor/internal/introspect"
	"queryengine/services/query-executor/internal/plan/answer"
	"queryengine/services/query-executor/internal/plan/input"
	"queryengine/services/query-executor/internal/plan/read"
	"queryengine/services/query-executor/internal/plan/write"
	"queryengine/services/query-executor/internal/share"
)

// piece is a piece of the answer. It is one of the types below, *writePiece or *callPiece.
type piece interface {
	// needs are what a run has to bring for it.
	needs() Needs
	// bind makes the operands of its statements, and the bodies of its calls.
	bind(r *Run) error
	// source is the source that its statements are for, empty for none.
	source() string
	// texts are the texts of its statements that read, each with its operands.
	texts() []string
	// joined are the joins of its answer, nil for none.
	joined() *joins
}

// reading is a piece of which nothing is written to a source and that no call answers.
type reading interface {
	piece
	// answer writes the piece. It returns the rest of the operands.
	answer(ctx context.Context, r *Run, bound [][]byte, out *backend.Answer) ([][]byte, error)
}

// textPiece is a text. Constants are the root fields in it.
type textPiece struct {
	text      string
	constants []string
}

func (p *textPiece) needs() Needs    { return 0 }
func (p *textPiece) bind(*Run) error { return nil }
func (p *textPiece) source() string  { return "" }
func (p *textPiece) texts() []string { return nil }
func (p *textPiece) joined() *joins  { return nil }

func (p *textPiece) answer(_ context.Context, _ *Run, bound [][]byte, out *backend.Answer) ([][]byte, error) { //nolint:unparam // it is one of the pieces
	out.Buf = append(out.Buf, p.text...)
	return bound, nil
}

// textOf is the text of a piece that isn't asked of anything else, else empty.
func textOf(p piece) string {
	switch p := p.(type) {
	case *textPiece:
		return p.text
	case *joinedPiece:
		return string(p.text)
	}
	return ""
}

// joinedPiece is a root field whose answer is known but for its joins.
type joinedPiece struct {
	text  []byte
	joins *joins
}

func newJoinedPiece(p *answer.Joined, o options) (*joinedPiece, error) {
	joins, err := newJoins(p.Joins, o)
	return &joinedPiece{text: p.Text, joins: joins}, err
}

func (p *joinedPiece) needs() Needs      { return p.joins.needs() }
func (p *joinedPiece) bind(r *Run) error { return p.joins.bind(r) }
func (p *joinedPiece) source() string    { return "" }
func (p *joinedPiece) texts() []string   { return p.joins.texts() }
func (p *joinedPiece) joined() *joins    { return p.joins }

func (p *joinedPiece) answer(ctx context.Context, r *Run, bound [][]byte, out *backend.Answer) ([][]byte, error) {
	if p.joins == nil {
		out.Buf = append(out.Buf, p.text...)
		return bound, nil
	}
	return bound[p.joins.operands:], p.joins.write(ctx, r, bound, p.text, out)
}

// livePiece is a root field of a subscription. The statement of the subscription answers it.
type livePiece struct{}

func (*livePiece) needs() Needs    { return 0 }
func (*livePiece) bind(*Run) error { return nil }
func (*livePiece) source() string  { return "" }
func (*livePiece) texts() []string { return nil }
func (*livePiece) joined() *joins  { return nil }

// introspectionPiece is a root field that the schema answers.
type introspectionPiece struct{ field *introspect.Field }

func (*introspectionPiece) needs() Needs    { return NeedsSchema }
func (*introspectionPiece) bind(*Run) error { return nil }
func (*introspectionPiece) source() string  { return "" }
func (*introspectionPiece) texts() []string { return nil }
func (*introspectionPiece) joined() *joins  { return nil }

func (p *introspectionPiece) answer(ctx context.Context, r *Run, bound [][]byte, out *backend.Answer) ([][]byte, error) {
	if r.Observer != nil {
		r.Observer.Introspection(ctx)
	}
	return bound, r.questions.Write(ctx, p.field, out)
}

// queryPiece is a root field that one statement answers.
type queryPiece struct {
	query
	joins *joins
}

func newQueryPiece(q *read.Query, o options) (*queryPiece, error) {
	statement, err := q.Source.Dialect.RenderQuery(q.Root, o.of(q.Source))
	if err != nil {
		return nil, fmt.Errorf("render %q: %w", q.Field, err)
	}
	joins, err := newJoins(q.Joins, o)
	return &queryPiece{joins: joins, query: query{
		field: q.Field, from: q.Source.Name, statement: statement, bindings: q.Bindings,
		label: databaseLabel(q.Source, "Query", q.Field),
	}}, err
}

func (p *queryPiece) needs() Needs   { return p.joins.needs() }
func (p *queryPiece) source() string { return p.from }
func (p *queryPiece) texts() []string {
	return append([]string{p.from, p.statement.SQL()}, p.joins.texts()...)
}
func (p *queryPiece) joined() *joins { return p.joins }

func (p *queryPiece) bind(r *Run) error {
	if err := r.bind(p.bindings); err != nil {
		return err
	}
	return p.joins.bind(r)
}

// answer runs the statement and the joins of its answer.
func (p *queryPiece) answer(ctx context.Context, r *Run, bound [][]byte, out *backend.Answer) ([][]byte, error) {
	n := p.bindings.Len()
	own, rest := bound[:n:n], bound[n:]
	if p.joins == nil {
		return rest, p.run(ctx, r, own, out)
	}
	answer := backend.NewAnswer(nil, nil, 0)
	if err := p.run(ctx, r, own, answer); err != nil {
		return nil, err
	}
	return rest[p.joins.operands:], p.joins.write(ctx, r, rest, answer.Buf, out)
}

// query is one statement.
type query struct {
	field string
	// from is the name of the source.
	from      string
	statement backend.Statement
	bindings  input.Bindings
	label     label
}

func (q *query) run(ctx context.Context, r *Run, bound [][]byte, out *backend.Answer) error {
	place, err := r.Places.Take(share.Source, q.from)
	if err != nil {
		return err
	}
	defer place.Leave()
	source, err := r.Sources.Named(q.from)
	if err != nil {
		return err
	}
	defer source.Release()
	args := r.args(bound)
	ctx, end := r.span(ctx, trace.SpanKindClient, &q.label)
	r.asks(ctx, q.field, q.statement, args)
	err = source.Query(ctx, q.statement, args, out)
	if r.ReadOnly && backend.WasWriteRefused(err) {
		err = apierror.At(err, "selectionSet", q.field)
	}
	end(err)
	return err
}

// writePiece is a root field that writes.
type writePiece struct {
	*writing
	joins *joins
}

func newWritePiece(w *write.Write, o options) (*writePiece, error) {
	rendered, err := newWrite(w, o)
	if err != nil {
		return nil, err
	}
	joins, err := newJoins(w.Joins, o)
	return &writePiece{writing: rendered, joins: joins}, err
}

func (p *writePiece) source() string  { return p.Source.Name }
func (p *writePiece) texts() []string { return p.joins.texts() }
func (p *writePiece) joined() *joins  { return p.joins }

func (p *writePiece) needs() Needs {
	if p.Validated() {
		return NeedsValidator | p.joins.needs()
	}
	return p.joins.needs()
}

func (p *writePiece) bind(r *Run) error {
	if err := r.bind(p.Bindings); err != nil {
		return err
	}
	if err := p.joins.bind(r); err != nil {
		return err
	}
	return p.work.bind(r)
}

// callPiece is a root field that a call answers.
type callPiece struct {
	rootCall
	joins *joins
}

func (p *callPiece) needs() Needs    { return p.rootCall.needs() | p.joins.needs() }
func (p *callPiece) source() string  { return "" }
func (p *callPiece) texts() []string { return append(p.rootCall.texts(), p.joins.texts()...) }
func (p *callPiece) joined() *joins  { return p.joins }

func (p *callPiece) bind(r *Run) error {
	if err := p.joins.bind(r); err != nil {
		return err
	}
	return p.rootCall.bind(r)
}

// Needs are what a run of a plan has to bring besides what every run does.
type Needs uint8

// The things that may be needed; each is the name of a member of Run.
const (
	// NeedsSchema asks for Role.
	NeedsSchema Needs = 1 << iota
	// NeedsRemotes asks for Remotes.
	NeedsRemotes
	// NeedsActions asks for Actions and Calls.
	NeedsActions
	// NeedsValidator asks for Validator.
	NeedsValidator
)

// Has reports whether n is needed.
func (l Needs) Has(n Needs) bool { return l&n == n }

// Any reports whether something of n is needed.
func (l Needs) Any(n Needs) bool { return l&n != 0 }
