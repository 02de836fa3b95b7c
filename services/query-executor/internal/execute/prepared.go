package execute

import (
	"context"

	"go.opentelemetry.io/otel/trace"

	"queryengine/pkg/action"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/open"
	"queryengine/pkg/session"
	"queryengine/services/query-executor/internal/budget"
	"queryengine/services/query-executor/internal/call"
	"queryengine/services/query-executor/internal/introspect"
	"queryengine/services/query-executor/internal/plan"
	"queryengine/services/query-executor/internal/plan/answer"
	"queryengine/services/query-executor/internal/plan/input"
	"queryengine/services/query-executor/internal/plan/insert"
	"queryengine/services/query-executor/internal/plan/read"
	"queryengine/services/query-executor/internal/plan/validate"
	"queryengine/services/query-executor/internal/plan/write"
	"queryengine/services/query-executor/internal/schema"
	"queryengine/services/query-executor/internal/share"
)

// Prepared is a plan whose statements are rendered. It is immutable and safe for concurrent
// use, and keeps nothing of the schema that it was planned with.
type Prepared struct {
	pieces []piece
	// needs are those of all pieces.
	needs Needs
	// lookups run before anything else.
	lookups []valueLookup
	// mutates is set when statements write, and separate when each piece has a transaction.
	mutates, separate bool
	// calls is the number of root fields that remote schemas and handlers of actions answer.
	calls int
	// alone is the one call that answers all of the operation, nil for none.
	alone *callPiece
	// again is what turn.again is.
	again chan struct{}
	// live is the statement of a subscription, subscribed one that a remote schema answers.
	live       *Live
	subscribed *RemoteSubscription
}

// Prepare renders the statements of a plan. comment gives those of a root field and a source
// their comment; it is nil for none.
func Prepare(p *plan.Plan, render backend.RenderOptions, comment Commenter) (*Prepared, error) {
	out := &Prepared{pieces: []piece{&textPiece{text: `{"data":`}}, mutates: p.Mutates}
	if out.mutates {
		out.again = make(chan struct{}, 1)
	}
	for _, part := range p.Parts {
		next, err := out.piece(part, p.Live != nil, options{render, comment, part.RootField()})
		if err != nil {
			return nil, err
		}
		out.add(next)
	}
	out.add(&textPiece{text: "}"})
	if err := out.subscribe(p, render, comment); err != nil {
		return nil, err
	}
	var err error
	if out.lookups, err = newLookups(p.Lookups, options{render, comment, liveField(p)}); err != nil {
		return nil, err
	}
	out.separate = p.Separate || apart(out.pieces)
	out.alone = onlyCall(out.pieces)
	return out, nil
}

// piece prepares a part of the plan; live is set for those of a subscription.
func (p *Prepared) piece(part answer.Part, live bool, o options) (piece, error) {
	switch part := part.(type) {
	case *answer.Text:
		return &textPiece{text: part.Text, constants: part.Constants}, nil
	case *answer.Joined:
		return newJoinedPiece(part, o)
	case *answer.Introspection:
		return &introspectionPiece{&part.Query}, nil
	case *read.Query:
		if live {
			return &livePiece{}, nil
		}
		return newQueryPiece(part, o)
	case *write.Write:
		return newWritePiece(part, o)
	}
	call, joined, err := newRootCall(part, p.calls)
	if err != nil {
		return nil, err
	}
	joins, err := newJoins(joined, o)
	return &callPiece{rootCall: call, joins: joins}, err
}

// add adds a piece. A text goes to the end of the last one, when that is one too.
func (p *Prepared) add(next piece) {
	switch next := next.(type) {
	case *callPiece:
		p.calls++
	case *textPiece:
		if last, ok := p.pieces[len(p.pieces)-1].(*textPiece); ok {
			last.text += next.text
			last.constants = append(last.constants, next.constants...)
			return
		}
	}
	p.needs |= next.needs()
	p.pieces = append(p.pieces, next)
}

// subscribe prepares what only a subscription has.
func (p *Prepared) subscribe(of *plan.Plan, render backend.RenderOptions, comment Commenter) (err error) {
	if of.Live == nil {
		return nil
	}
	p.subscribed = newRemoteSubscription(p.pieces)
	if of.Live.Source != nil {
		p.live, err = newLive(of, p.pieces, options{render, comment, liveField(of)})
	}
	return err
}

// Validator asks a webhook whether the rows to be written are valid.
type Validator interface {
	Validate(ctx context.Context, s *session.Session, in validate.Input) error
}

// Run is what a run of a plan needs besides the plan.
type Run struct {
	// Role is for NeedsSchema. Introspections has answers to introspection, nil for none.
	Role           *schema.Role
	Introspections *introspect.Cache
	Session        *session.Session
	Sources        *open.Pool
	// Budget is what the request may still have done.
	Budget budget.Budget
	// Places shares the executor's slots between sources, remote schemas and actions; nil for no bound.
	Places *share.Places
	// Validator is for NeedsValidator.
	Validator Validator
	// Actions calls handlers of actions now, Calls has them called later and returns their state; both
	// are for NeedsActions.
	Actions *action.Caller
	Calls   *call.Caller
	// SetCookies gets what remotes and handlers want the client to keep, before anything is
	// written. It may be nil.
	SetCookies func(values []string)
	// Remotes is for NeedsRemotes.
	Remotes Remotes
	// Observer may be nil.
	Observer Observer
	// Tracer makes the spans of the calls, nil for none.
	Tracer trace.Tracer
	// RequestID is the client's, Operation the name of the operation.
	RequestID, Operation string
	// ReadOnly has databases refuse writes of functions, native queries and views.
	ReadOnly bool
	// Scan counts what the statements read of databases that charge for it.
	Scan backend.Scan
	// Values are the values of the variables, by index.
	Values [][]byte
	// Bound are the operands of all statements, one after the other, and Inserts the rows of
	// all inserts; Bodies are those of the calls of root fields. Bind fills them.
	Bound   [][]byte
	Inserts []*insert.Rows
	Bodies  [][]byte

	lookups map[string][][]byte
	// questions are the root fields that the schema answers.
	questions *introspect.Questions
}

// Statements are the texts of the statements that read, in their order.
func (p *Prepared) Statements() []string {
	var texts []string
	for i := range p.lookups {
		texts = append(texts, p.lookups[i].from, p.lookups[i].statement.SQL())
	}
	for _, piece := range p.pieces {
		texts = append(texts, piece.texts()...)
	}
	return texts
}

// Size is how many statements, and calls of remotes, are prepared, and how many bytes their texts
// have.
func (p *Prepared) Size() (statements, bytes int) {
	for _, piece := range p.pieces {
		switch piece := piece.(type) {
		case *queryPiece, *callPiece:
			statements++
		case *writePiece:
			for _, text := range piece.work.texts() {
				statements++
				bytes += len(text)
			}
		}
		if joins := piece.joined(); joins != nil {
			statements += len(joins.targets)
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

// Needs are what a run has to bring.
func (p *Prepared) Needs() Needs { return p.needs }

// Bind makes the operands of all statements of the values, before anything runs.
func (p *Prepared) Bind(r *Run) error {
	r.Bound, r.Inserts, r.Bodies = r.Bound[:0], nil, nil
	if p.live != nil {
		return p.live.bind(r)
	}
	for _, v := range r.Values {
		r.Budget.Allow(budget.Operands, len(v)) // each of them once
	}
	for _, piece := range p.pieces {
		bound, bodies, size := len(r.Bound), len(r.Bodies), 0
		if err := piece.bind(r); err != nil {
			return err
		}
		for _, text := range r.Bound[bound:] {
			size += len(text)
		}
		for _, body := range r.Bodies[bodies:] {
			size += len(body)
		}
		if err := r.Budget.Take(budget.Operands, size); err != nil {
			return err
		}
	}
	return nil
}

func (r *Run) bind(bindings input.Bindings) (err error) {
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
	if p.alone != nil {
		return p.writeAlone(ctx, r, out)
	}
	if p.calls > 0 {
		return p.writeBeside(ctx, r, out)
	}
	bound := r.Bound
	for _, piece := range p.pieces {
		var err error
		if bound, err = writeUncalled(ctx, piece, r, bound, out); err != nil {
			return err
		}
	}
	return nil
}

// writeUncalled writes a piece that no call answers. It returns the rest of the operands.
func writeUncalled(ctx context.Context, p piece, r *Run, bound [][]byte, out *backend.Answer) ([][]byte, error) {
	if p, ok := p.(reading); ok {
		return p.answer(ctx, r, bound, out)
	}
	return bound, nil // a root field of a subscription, which isn't answered here
}

// ask prepares what the schema answers.
func (p *Prepared) ask(r *Run) (err error) {
	if !p.needs.Has(NeedsSchema) {
		return nil
	}
	var fields []*introspect.Field
	for _, piece := range p.pieces {
		if piece, ok := piece.(*introspectionPiece); ok {
			fields = append(fields, piece.field)
		}
	}
	r.questions, err = introspect.Ask(r.Role, fields, &r.Budget, r.Introspections)
	return err
}
