package execute

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel/trace"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/services/query-executor/internal/plan/input"
	"queryengine/services/query-executor/internal/plan/insert"
	"queryengine/services/query-executor/internal/plan/write"
	"queryengine/services/query-executor/internal/share"
)

// writing is a root field that writes, with its statements rendered.
type writing struct {
	*write.Write
	work  work
	label label
}

// work is a write.Work with its statements rendered: *insertion or *steps.
type work interface {
	// bind prepares a run, besides the operands of all statements.
	bind(r *Run) error
	// run does the work; last reports whether nothing comes after it.
	run(ctx context.Context, t *turn, args backend.Args, last bool) error
	// texts are those of the statements, without inserts, which are made of the rows.
	texts() []string
}

// steps are statements, one after the other.
type steps struct {
	path string
	list []step
	// many reports whether the answer is a list of theirs.
	many bool
}

// step is one statement that writes; reply makes its answer where it doesn't itself.
type step struct {
	statement backend.Statement
	reply     *reply
	empty     string
	// confirmation is made before the reply; nil for none.
	confirmation *confirmation
	// before is that of write.Step.
	before backend.Statement
}

// reply is a plan.Reply whose statements are rendered.
type reply struct {
	parts []replyPart
	// first and last are the indexes of the first and the last statement, -1 for none.
	first, last int
}

type replyPart struct {
	write.ReplyPart
	statement backend.Statement
}

func newWrite(w *write.Write, o options) (*writing, error) {
	out := &writing{Write: w, label: databaseLabel(w.Source, "Mutation", w.Field)}
	var err error
	switch work := w.Work.(type) {
	case *write.Insert:
		out.work = newInsertion(w, work, o)
	case *write.Steps:
		out.work, err = newSteps(w, work, o)
	}
	return out, err
}

func newSteps(w *write.Write, of *write.Steps, o options) (*steps, error) {
	out := &steps{path: w.Path, many: of.Many}
	for _, s := range of.List {
		rendered := step{empty: s.Empty}
		var err error
		if s.Mutation != nil {
			if rendered.statement, err = w.Source.Dialect.RenderMutation(s.Mutation, o.of(w.Source)); err != nil {
				return nil, fmt.Errorf("render a mutation: %w", err)
			}
		}
		if s.Confirmation != nil {
			if rendered.confirmation, err = newConfirmation(w, s.Confirmation, o.of(w.Source)); err != nil {
				return nil, err
			}
		}
		if s.Before != nil {
			if rendered.before, err = w.Source.Dialect.RenderQuery(s.Before, o.of(w.Source)); err != nil {
				return nil, fmt.Errorf("render the rows of a deletion: %w", err)
			}
		}
		if s.Reply != nil {
			if rendered.reply, err = newReply(w, s.Reply, o); err != nil {
				return nil, err
			}
		}
		out.list = append(out.list, rendered)
	}
	return out, nil
}

func newReply(w *write.Write, r *write.Reply, o options) (*reply, error) {
	out := &reply{first: -1, last: -1}
	for i, p := range r.Parts {
		part := replyPart{ReplyPart: p}
		if p.Rows != nil {
			var err error
			if part.statement, err = w.Source.Dialect.RenderQuery(p.Rows, o.of(w.Source)); err != nil {
				return nil, fmt.Errorf("render the answer of a mutation: %w", err)
			}
			if out.last = i; out.first < 0 {
				out.first = i
			}
		}
		out.parts = append(out.parts, part)
	}
	return out, nil
}

func (*steps) bind(*Run) error { return nil }

func (w *steps) texts() []string {
	var list []string
	for _, s := range w.list {
		if s.before != nil {
			list = append(list, s.before.SQL())
		}
		if s.statement != nil {
			list = append(list, s.statement.SQL())
		}
		if s.confirmation != nil {
			list = append(list, s.confirmation.statement.SQL())
		}
		if s.reply == nil {
			continue
		}
		for _, part := range s.reply.parts {
			if part.statement != nil {
				list = append(list, part.statement.SQL())
			}
		}
	}
	return list
}

// turn is the work of one transaction. It may be done twice: see transaction.
type turn struct {
	run *Run
	tx  backend.Tx
	// again lets one transaction at a time be tried again after a deadlock.
	again chan struct{}
	// field is the current root field.
	field string
	// rowByRow reports whether nested inserts don't go table by table: that was tried.
	rowByRow bool
	// bound and inserts are the rest of Run.Bound and Run.Inserts.
	bound   [][]byte
	inserts []*insert.Rows
	// called is what came of the calls of remotes.
	// out holds the answer until the transaction is committed.
	out *backend.Answer
}

// apart reports whether pieces belong to more than one source.
func apart(pieces []piece) bool {
	first := ""
	for _, piece := range pieces {
		switch s := piece.source(); {
		case first == "":
			first = s
		case s != "" && s != first:
			return true
		}
	}
	return false
}

// mutate runs a mutation. Nothing of the answer is handed on before everything is committed.
func (p *Prepared) mutate(ctx context.Context, r *Run, out *backend.Answer) error {
	if p.needs.Has(NeedsValidator) {
		if err := p.validate(ctx, r); err != nil {
			return err
		}
	}
	t := turn{run: r, again: p.again, bound: r.Bound, inserts: r.Inserts, out: backend.NewAnswer(nil, nil, 0)}
	together := len(p.pieces)
	if p.separate {
		together = 1
	}
	for pieces := range slices.Chunk(p.pieces, together) {
		mark := len(t.out.Buf)
		if call, ok := pieces[0].(*callPiece); ok {
			if err := t.remote(ctx, call); err != nil {
				return err
			}
		} else if err := t.transaction(ctx, pieces); err != nil {
			return err
		}
		if err := t.join(ctx, pieces, mark); err != nil {
			return err
		}
	}
	out.Buf = append(out.Buf, t.out.Buf...)
	return out.Flush()
}

// validate asks the webhooks of all root fields, before a connection is taken.
func (p *Prepared) validate(ctx context.Context, r *Run) error {
	for _, piece := range p.pieces {
		w, ok := piece.(*writePiece)
		if !ok {
			continue
		}
		for _, in := range w.Inputs(r.Values) {
			if err := r.Validator.Validate(ctx, r.Session, in); err != nil {
				return err
			}
		}
	}
	return nil
}

// transaction runs pieces in one transaction. One that the database ended because of a deadlock
// is tried again.
func (t *turn) transaction(ctx context.Context, pieces []piece) error {
	last, name := -1, ""
	for i, piece := range pieces {
		if s := piece.source(); s != "" {
			last, name = i, s
		}
	}
	if last < 0 {
		t.text(pieces)
		return nil
	}
	place, err := t.run.Places.Take(share.Source, name)
	if err != nil {
		return err
	}
	defer place.Leave()
	source, err := t.run.Sources.Named(name)
	if err != nil {
		return err
	}
	defer source.Release()
	mark := len(t.out.Buf)
	var done turn
	attempt := func() error {
		return source.Mutate(ctx, t.run.Session, func(tx backend.Tx) error {
			done = *t
			done.tx = tx
			done.out.Buf = done.out.Buf[:mark]
			return done.pieces(ctx, pieces, last)
		})
	}
	for deadlocks := 0; ; {
		err = attempt()
		switch {
		case err == nil:
			done.rowByRow = false
			*t = done
			return nil
		case errors.Is(err, errOrderMatters) && !t.rowByRow:
			t.rowByRow = true
		case backend.ConflictOf(err) == backend.Deadlock && deadlocks < maxDeadlocks:
			if deadlocks++; deadlocks > 1 {
				continue
			}
			// Those that try again do it one after the other: their locks can't cross.
			select {
			case t.again <- struct{}{}:
				defer func() { <-t.again }()
			case <-ctx.Done():
				return err
			}
		default:
			return err
		}
	}
}

// maxDeadlocks is how often a transaction that the database chose to end a deadlock with is
// tried again. Nothing of it has happened, and the others are done or doing. First attempts of
// other requests go on colliding with it, almost every other time where many clients write the
// same few rows, so the bound is far above what bad luck takes; the time limit of the request
// holds before it does.
const maxDeadlocks = 50

func (t *turn) text(pieces []piece) {
	for _, piece := range pieces {
		t.out.Buf = append(t.out.Buf, textOf(piece)...)
	}
}

// pieces runs pieces in the open transaction; last is the index of the last one that has
// statements.
func (t *turn) pieces(ctx context.Context, pieces []piece, last int) error {
	for i, piece := range pieces {
		var err error
		switch p := piece.(type) {
		case *queryPiece:
			t.field = p.field
			spanned, end := t.run.span(ctx, trace.SpanKindClient, &p.label)
			err = t.query(spanned, p.statement, t.args(p.bindings), i == last)
			end(err)
		case *writePiece:
			t.field = p.Field
			spanned, end := t.run.span(ctx, trace.SpanKindClient, &p.label)
			err = p.work.run(spanned, t, t.args(p.Bindings), i == last)
			end(err)
		default:
			t.out.Buf = append(t.out.Buf, textOf(piece)...)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// args takes the operands of bindings from what is left.
func (t *turn) args(of input.Bindings) backend.Args {
	n := of.Len()
	own := t.bound[:n:n]
	t.bound = t.bound[n:]
	return t.run.args(own)
}

// query runs a statement that gives its answer itself; last reports whether nothing comes after it.
func (t *turn) query(ctx context.Context, s backend.Statement, args backend.Args, last bool) error {
	if last {
		backend.Last(t.tx)
	}
	t.run.asks(ctx, t.field, s, args)
	return t.tx.Query(ctx, s, args, t.out)
}

func (w *steps) run(ctx context.Context, t *turn, args backend.Args, last bool) error {
	if w.many {
		t.out.Buf = append(t.out.Buf, '[')
	}
	for i := range w.list {
		if i > 0 {
			t.out.Buf = append(t.out.Buf, ',')
		}
		if err := t.step(ctx, &w.list[i], args, last && i == len(w.list)-1); err != nil {
			return at(w.path, err)
		}
	}
	if w.many {
		t.out.Buf = append(t.out.Buf, ']')
	}
	return nil
}

func (t *turn) step(ctx context.Context, s *step, args backend.Args, last bool) error {
	switch {
	case s.statement == nil:
		t.out.Buf = append(t.out.Buf, s.empty...)
		return nil
	case s.reply == nil:
		return t.query(ctx, s.statement, args, last)
	}
	if s.before != nil {
		return t.removal(ctx, s, args, last)
	}
	rows, err := t.written(ctx, s, args)
	if err != nil {
		return err
	}
	if s.confirmation != nil {
		if err := s.confirmation.run(ctx, t.run, t.tx, t.field, rows, args); err != nil {
			return err
		}
	}
	affected := len(rows)
	return t.reply(ctx, s.reply, &affected, rows, args, last)
}

// removal answers for rows before it removes them, where what was removed can't be read.
func (t *turn) removal(ctx context.Context, s *step, args backend.Args, last bool) error {
	t.run.asks(ctx, t.field, s.before, args)
	found := backend.NewAnswer(nil, nil, 0)
	if err := t.tx.Query(ctx, s.before, args, found); err != nil {
		return err
	}
	var list []map[string]string
	if err := json.Unmarshal(found.Buf, &list); err != nil {
		return fmt.Errorf("read the rows of a deletion: %w", err)
	}
	rows := make([][]byte, len(list))
	for i := range list {
		rows[i] = []byte(list[i][write.BeforeKey])
	}
	affected := len(rows)
	if err := t.reply(ctx, s.reply, &affected, rows, args, false); err != nil {
		return err
	}
	if last {
		backend.Last(t.tx)
	}
	removed, err := t.written(ctx, s, args)
	if err != nil {
		return err
	}
	slices.SortFunc(rows, bytes.Compare)
	slices.SortFunc(removed, bytes.Compare)
	if !slices.EqualFunc(rows, removed, bytes.Equal) {
		return apierror.New(apierror.ConcurrentUpdate, "the rows to delete were changed at the same time")
	}
	return nil
}

// written runs a statement that writes, and returns what it hands out of each row.
func (t *turn) written(ctx context.Context, s *step, args backend.Args) ([][]byte, error) {
	var rows [][]byte
	var values input.Arena
	t.run.asks(ctx, t.field, s.statement, args)
	err := t.tx.Exec(ctx, s.statement, args, func(row [][]byte) error {
		rows = append(rows, values.Clone(row[0]))
		return nil
	})
	return rows, err
}

// reply makes the answer of the rows that were written. affected is complete when the first statement has
// run, since deferred ones run before it.
func (t *turn) reply(ctx context.Context, r *reply, affected *int, rows [][]byte, args backend.Args, last bool) error {
	args.Lists = [][][]byte{rows}
	start := len(t.out.Buf)
	if r.first >= 0 {
		if err := t.query(ctx, r.parts[r.first].statement, args, last && r.first == r.last); err != nil {
			return err
		}
	}
	var space [64]byte
	head := space[:0]
	for i := range max(r.first, 0) {
		head = r.parts[i].append(head, *affected)
	}
	t.out.Buf = slices.Insert(t.out.Buf, start, head...)
	for i := r.first + 1; i < len(r.parts); i++ {
		p := &r.parts[i]
		if p.statement == nil {
			t.out.Buf = p.append(t.out.Buf, *affected)
		} else if err := t.query(ctx, p.statement, args, last && i == r.last); err != nil {
			return err
		}
	}
	return nil
}

// append appends a part that isn't a statement.
func (p *replyPart) append(dst []byte, affected int) []byte {
	if p.Count {
		return strconv.AppendInt(dst, int64(affected), 10)
	}
	return append(dst, p.Text...)
}

// at puts the path of a root field in front of the path of a fault of its statements. A
// session variable that is missing is not its fault.
func at(path string, err error) error {
	if err == nil {
		return nil
	}
	var e *apierror.Error
	if !errors.As(err, &e) || e.Code == apierror.NotFound {
		return err
	}
	placed := *e
	placed.Path = path + strings.TrimPrefix(e.Path, "$")
	return &placed
}
