package execute

import (
	"context"
	"fmt"

	"go.opentelemetry.io/otel/trace"

	"queryengine/pkg/action"
	"queryengine/pkg/backend"
	"queryengine/pkg/session"
	"queryengine/services/query-executor/internal/budget"
	"queryengine/services/query-executor/internal/call"
	"queryengine/services/query-executor/internal/introspect"
	"queryengine/services/query-executor/internal/plan"
	"queryengine/services/query-executor/internal/schema"
	"queryengine/services/query-executor/internal/share"
	"queryengine/services/query-executor/internal/sources"
)

// Prepared is a plan whose statements are rendered. It is immutable and safe for concurrent
// use, and keeps nothing of the schema that it was planned with.
type Prepared struct {
	pieces []piece
	// lookups are asked before anything else.
	lookups []valueLookup
	// introspects says that a run needs the schema of the role.
	introspects bool
	// mutates says that statements write, separate that each has a transaction, and
	// validates that webhooks are asked before.
	mutates, separate, validates bool
	// remotes is the number of root fields that remote schemas and handlers of actions answer.
	remotes int
	// alone says that one remote answers all of the operation.
	alone bool
	// callsRemotes says that a run calls remotes, for root fields or for joins.
	callsRemotes bool
	// callsActions is plan.Plan.CallsActions.
	callsActions bool
	// again is what turn.again is.
	again chan struct{}
	// live is the statement of a subscription, feed one that a remote schema answers.
	live *Live
	feed *Feed
}

// piece is a piece of the answer: a text, a statement, a root field that writes, one of a
// subscription, one that a remote schema or an action answers, or an introspection.
type piece struct {
	text       string
	constants  []string // the root fields in text
	query      *query
	write      *write
	remote     rootCall
	introspect *introspect.Field
	// joins are those of its answer, nil for none.
	joins *joins
	// root is a root field of a subscription.
	root bool
}

// bindings are those of the statements of a piece.
func (p *piece) bindings() plan.Bindings {
	switch {
	case p.query != nil:
		return p.query.bindings
	case p.write != nil:
		return p.write.Bindings
	}
	return plan.Bindings{}
}

// query is one statement.
type query struct {
	field     string
	source    string
	statement backend.Statement
	bindings  plan.Bindings
	label     label
}

// Prepare renders the statements of a plan. comment gives those of a root field and a source
// their comment; it is nil for none.
func Prepare(p *plan.Plan, render backend.RenderOptions, comment Commenter) (*Prepared, error) {
	out := &Prepared{pieces: []piece{{text: `{"data":`}}, mutates: p.Mutates, separate: p.Separate}
	if out.mutates {
		out.again = make(chan struct{}, 1)
	}
	for _, part := range p.Parts {
		if err := out.add(part, p.Live != nil, options{render, comment, part.RootField()}); err != nil {
			return nil, err
		}
	}
	out.text("}")
	if p.Live != nil {
		out.feed = newFeed(out.pieces)
	}
	if p.Live != nil && p.Live.Source != nil {
		var err error
		if out.live, err = newLive(p, out.pieces, options{render, comment, liveField(p)}); err != nil {
			return nil, err
		}
	}
	var err error
	if out.lookups, err = newLookups(p.Lookups, options{render, comment, liveField(p)}); err != nil {
		return nil, err
	}
	out.separate = out.separate || apart(out.pieces)
	out.alone = isAlone(out.pieces)
	out.callsRemotes, out.callsActions = len(p.Remotes) > 0, p.CallsActions
	return out, nil
}

// add prepares a part of the plan; live is set for those of a subscription.
func (p *Prepared) add(part plan.Part, live bool, o options) (err error) {
	var next piece
	switch part := part.(type) {
	case *plan.Text:
		p.text(part.Text, part.Constants...)
		return nil
	case *plan.Introspection:
		p.introspects = true
		next.introspect = &part.Field
	case *plan.Query:
		if live {
			next.root = true
			break
		}
		if next.query, err = newQuery(part, o); err == nil {
			next.joins, err = newJoins(part.Joins, o)
		}
	case *plan.Write:
		p.validates = p.validates || part.Validated()
		if next.write, err = newWrite(part, o); err == nil {
			next.joins, err = newJoins(part.Joins, o)
		}
	case *plan.Joined:
		next.text = string(part.Text)
		next.joins, err = newJoins(part.Joins, o)
	case *plan.RemoteQuery:
		next.remote = newRemoteQuery(part, p.remotes)
		next.joins, err = newJoins(part.Joins, o)
	case *plan.ActionCall:
		if next.remote, err = newActionCall(part, p.remotes); err == nil {
			next.joins, err = newJoins(part.Joins, o)
		}
	case *plan.QueuedCall:
		next.remote = &queuedCall{part, p.remotes}
	case *plan.CallResult:
		next.remote = &callResult{part, p.remotes}
		next.joins, err = newJoins(part.Joins, o)
	}
	if next.remote != nil {
		p.remotes++
	}
	p.pieces = append(p.pieces, next)
	return err
}

// newQuery renders a statement that reads.
func newQuery(q *plan.Query, o options) (*query, error) {
	statement, err := q.Source.Dialect.RenderQuery(q.Root, o.of(q.Source))
	if err != nil {
		return nil, fmt.Errorf("render %q: %w", q.Field, err)
	}
	return &query{
		field: q.Field, source: q.Source.Name, statement: statement, bindings: q.Bindings,
		label: databaseLabel(q.Source, "Query", q.Field),
	}, nil
}

// text adds a text, with root fields in it, to the last piece, when that is one too.
func (p *Prepared) text(s string, fields ...string) {
	last := &p.pieces[len(p.pieces)-1]
	if last.query == nil && last.write == nil && last.introspect == nil && last.remote == nil && last.joins == nil && !last.root {
		last.text += s
		last.constants = append(last.constants, fields...)
		return
	}
	p.pieces = append(p.pieces, piece{text: s, constants: fields})
}

// Validator asks a webhook whether what is to be written is in order.
type Validator interface {
	Validate(ctx context.Context, s *session.Session, in plan.Input) error
}

// Run is what a run of a plan needs besides the plan.
type Run struct {
	// Role is only needed by plans that introspect. Introspections has their answers, nil for none.
	Role           *schema.Role
	Introspections *introspect.Cache
	Session        *session.Session
	Sources        *sources.Manager
	// Budget is what the request may still have done.
	Budget budget.Budget
	// Places are those that whoever answers takes one of; nil for no bound.
	Places *share.Places
	// Validator is only needed by plans that validate.
	Validator Validator
	// Actions is only needed by plans that call handlers of actions.
	Actions *action.Caller
	// Calls is only needed by plans that have them called later, or tell what became of that.
	Calls *call.Caller
	// SetCookies gets what remotes and handlers want the client to keep, before anything is
	// written. It may be nil.
	SetCookies func(values []string)
	// Remotes is only needed by plans that call remotes.
	Remotes Remotes
	// Observer may be nil.
	Observer Observer
	// Tracer makes the spans of the calls, nil for none.
	Tracer trace.Tracer
	// RequestID is that of the client's request.
	RequestID string
	// Values are the values of the variables, by index.
	Values [][]byte
	// Bound are the operands of all statements, one after the other, and Inserts the rows of
	// all inserts; Bodies are those of the calls of root fields. Bind fills them.
	Bound   [][]byte
	Inserts []*plan.InsertRows
	Bodies  [][]byte

	lookups map[string][][]byte
	// questions are the root fields that the schema answers.
	questions *introspect.Questions
}

// Statements are the texts of the statements that read, in their order.
func (p *Prepared) Statements() []string {
	var texts []string
	for i := range p.lookups {
		texts = append(texts, p.lookups[i].source, p.lookups[i].statement.SQL())
	}
	for i := range p.pieces {
		if q := p.pieces[i].query; q != nil {
			texts = append(texts, q.source, q.statement.SQL())
		}
		if q := p.pieces[i].remote; q != nil {
			texts = append(texts, q.texts()...)
		}
		if joins := p.pieces[i].joins; joins != nil {
			for _, t := range joins.targets {
				texts = append(texts, t.texts()...)
			}
		}
	}
	return texts
}

// Size is how many statements, and calls of remotes, are prepared, and how many bytes their texts
// have.
func (p *Prepared) Size() (statements, bytes int) {
	for i := range p.pieces {
		piece := &p.pieces[i]
		if piece.query != nil || piece.remote != nil {
			statements++
		}
		if piece.joins != nil {
			statements += len(piece.joins.targets)
		}
		if piece.write != nil {
			for _, text := range piece.write.texts() {
				statements++
				bytes += len(text)
			}
		}
	}
	for _, text := range p.Statements() {
		bytes += len(text)
	}
	if p.live != nil {
		statements++
		bytes += len(p.live.Statement.SQL())
	}
	return statements + len(p.lookups), bytes
}

// Introspects reports whether a run needs the schema of the role.
func (p *Prepared) Introspects() bool { return p.introspects }

// Validates reports whether a run asks webhooks.
func (p *Prepared) Validates() bool { return p.validates }

// CallsActions reports whether a run has to do with handlers of actions.
func (p *Prepared) CallsActions() bool { return p.callsActions }

// CallsRemotes reports whether a run calls remotes.
func (p *Prepared) CallsRemotes() bool { return p.callsRemotes }

// Bind makes the operands of all statements of the values, before anything runs.
func (p *Prepared) Bind(r *Run) error {
	r.Bound, r.Inserts, r.Bodies = r.Bound[:0], nil, nil
	if p.live != nil {
		return p.live.bind(r)
	}
	for _, v := range r.Values {
		r.Budget.Allow(budget.Operands, len(v)) // each of them once
	}
	for i := range p.pieces {
		if err := p.pieces[i].bind(r); err != nil {
			return err
		}
	}
	return nil
}

// bind makes the operands of a piece, and the bodies of its calls.
func (p *piece) bind(r *Run) error {
	bound, bodies, size := len(r.Bound), len(r.Bodies), 0
	if err := r.bind(p.bindings()); err != nil {
		return err
	}
	if err := p.joins.bind(r); err != nil {
		return err
	}
	if p.remote != nil {
		if err := p.remote.bind(r); err != nil {
			return err
		}
	}
	if p.write != nil && p.write.Insert != nil {
		rows, err := p.write.Insert.Read(r.Values)
		if err != nil {
			return err
		}
		r.Inserts = append(r.Inserts, rows)
		size = rows.Size()
	}
	for _, text := range r.Bound[bound:] {
		size += len(text)
	}
	for _, body := range r.Bodies[bodies:] {
		size += len(body)
	}
	return r.Budget.Take(budget.Operands, size)
}

func (r *Run) bind(bindings plan.Bindings) (err error) {
	r.Bound, err = bindings.Append(r.Bound, r.Values)
	return err
}

// Write runs the statements and writes the answer, after Bind. Nothing of an answer that
// fails was written as long as out.Sent is 0.
func (p *Prepared) Write(ctx context.Context, r *Run, out *backend.Answer) error {
	if err := p.ask(r); err != nil {
		return err
	}
	if err := p.look(ctx, r); err != nil {
		return err
	}
	if p.mutates {
		return p.mutate(ctx, r, out)
	}
	if p.alone {
		return p.writeAlone(ctx, r, out)
	}
	if p.remotes > 0 {
		return p.writeBeside(ctx, r, out)
	}
	bound := r.Bound
	for i := range p.pieces {
		var err error
		if bound, err = p.pieces[i].answer(ctx, r, bound, out); err != nil {
			return err
		}
	}
	return nil
}

// ask prepares what the schema answers.
func (p *Prepared) ask(r *Run) (err error) {
	if !p.introspects {
		return nil
	}
	var fields []*introspect.Field
	for i := range p.pieces {
		if f := p.pieces[i].introspect; f != nil {
			fields = append(fields, f)
		}
	}
	r.questions, err = introspect.Ask(r.Role, fields, &r.Budget, r.Introspections)
	return err
}

// answer writes a piece that no remote answers. It gives back what is left of the operands.
func (p *piece) answer(ctx context.Context, r *Run, bound [][]byte, out *backend.Answer) ([][]byte, error) {
	switch {
	case p.query != nil:
		return p.run(ctx, r, bound, out)
	case p.introspect != nil:
		if r.Observer != nil {
			r.Observer.Introspection(ctx)
		}
		return bound, r.questions.Write(ctx, p.introspect, out)
	}
	if p.joins != nil {
		return bound[p.joins.operands:], p.joins.write(ctx, r, bound, []byte(p.text), out)
	}
	out.Buf = append(out.Buf, p.text...)
	return bound, nil
}

// run runs a statement and the joins of its answer. It gives back what is left of the operands.
func (p *piece) run(ctx context.Context, r *Run, bound [][]byte, out *backend.Answer) ([][]byte, error) {
	n := p.query.bindings.Len()
	own, rest := bound[:n:n], bound[n:]
	if p.joins == nil {
		return rest, p.query.run(ctx, r, own, out)
	}
	answer := backend.NewAnswer(nil, nil, 0)
	if err := p.query.run(ctx, r, own, answer); err != nil {
		return nil, err
	}
	return rest[p.joins.operands:], p.joins.write(ctx, r, rest, answer.Buf, out)
}

func (q *query) run(ctx context.Context, r *Run, bound [][]byte, out *backend.Answer) error {
	place, err := r.Places.Take(share.Source, q.source)
	if err != nil {
		return err
	}
	defer place.Leave()
	source, err := r.Sources.Use(q.source)
	if err != nil {
		return err
	}
	defer source.Release()
	args := r.args(bound)
	r.asks(ctx, q.field, q.statement, args)
	ctx, end := r.span(ctx, trace.SpanKindClient, &q.label)
	err = source.Query(ctx, q.statement, args, out)
	end(err)
	return err
}
