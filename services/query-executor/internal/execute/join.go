package execute

import (
	"bytes"
	"context"
	"fmt"

	"go.opentelemetry.io/otel/trace"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/jsontext"
	"queryengine/pkg/jsonwalk"
	"queryengine/services/query-executor/internal/join"
	"queryengine/services/query-executor/internal/plan/answer"
	"queryengine/services/query-executor/internal/plan/input"
)

// joins are the joins of one answer, with their statements rendered.
type joins struct {
	members []join.Member
	targets []target
	// operands is the number of bindings of all targets; from holds where those of each one
	// begin.
	operands int
	from     []int
}

// target answers the keys of a join.
type target interface {
	bindings() input.Bindings
	// texts tell it from targets with other requests.
	texts() []string
	// needs are what a run has to bring to ask it.
	needs() Needs
	// ask gets the JSON value for each key; bound are the operands of bindings.
	ask(ctx context.Context, r *Run, bound [][]byte, keys join.Keys) ([][]byte, error)
}

// newJoins prepares the joins of an answer; nil for none.
func newJoins(list []answer.Member, o options) (*joins, error) {
	if len(list) == 0 {
		return nil, nil //nolint:nilnil // nothing to join is no fault
	}
	out := &joins{}
	var err error
	out.members, err = out.add(list, o)
	return out, err
}

func (j *joins) add(list []answer.Member, o options) ([]join.Member, error) {
	members := make([]join.Member, len(list))
	for i, m := range list {
		below, err := j.add(m.Below, o)
		if err != nil {
			return nil, err
		}
		members[i] = join.Member{Key: m.Key, Below: below, As: m.As, Hidden: m.Hidden, Whole: m.Whole}
		if m.Join == nil {
			continue
		}
		if members[i].Join, err = j.join(m.Join, o); err != nil {
			return nil, err
		}
	}
	return members, nil
}

func (j *joins) join(p *answer.Join, o options) (*join.Join, error) {
	t, err := newTarget(p, o)
	if err != nil {
		return nil, err
	}
	prepared := &join.Join{Parts: p.Parts, Nulls: p.Nulls, Target: len(j.targets)}
	j.targets = append(j.targets, t)
	j.from = append(j.from, j.operands)
	j.operands += t.bindings().Len()
	prepared.Below, err = j.add(p.Joins, o)
	return prepared, err
}

func newTarget(j *answer.Join, o options) (target, error) {
	if j.Remote != nil {
		return &remoteTarget{j.Remote}, nil
	}
	statement, err := j.Query.Source.Dialect.RenderQuery(j.Query.Root, o.of(j.Query.Source))
	if err != nil {
		return nil, fmt.Errorf("render a join: %w", err)
	}
	return &sourceTarget{
		query: query{
			field: o.field, from: j.Query.Source.Name, statement: statement, bindings: j.Query.Bindings,
			label: databaseLabel(j.Query.Source, "Query", o.field),
		},
		columns: j.Query.Columns, keys: j.Query.Keys,
	}, nil
}

// count is the number of operands.
func (j *joins) count() int {
	if j == nil {
		return 0
	}
	return j.operands
}

// needs are those of all targets.
func (j *joins) needs() (all Needs) {
	if j == nil {
		return 0
	}
	for _, t := range j.targets {
		all |= t.needs()
	}
	return all
}

// texts are those of all targets.
func (j *joins) texts() (list []string) {
	if j == nil {
		return nil
	}
	for _, t := range j.targets {
		list = append(list, t.texts()...)
	}
	return list
}

// bind makes the operands of all targets.
func (j *joins) bind(r *Run) error {
	if j == nil {
		return nil
	}
	for _, t := range j.targets {
		if err := r.bind(t.bindings()); err != nil {
			return err
		}
	}
	return nil
}

// write writes an answer with its joins in place; bound begins with the operands.
func (j *joins) write(ctx context.Context, r *Run, bound [][]byte, answer []byte, out *backend.Answer) error {
	ctx, end := r.span(ctx, trace.SpanKindInternal, &joinsLabel)
	err := join.Write(ctx, answer, j.members, &asker{joins: j, run: r, bound: bound}, out)
	end(err)
	return err
}

// join joins the answer of a piece that has joins, which is the only one of its transaction. That is
// committed: what is written stays, whatever the outcome of the joins.
func (t *turn) join(ctx context.Context, pieces []piece, mark int) error {
	joins := pieces[0].joined()
	if joins == nil {
		return nil
	}
	answer := bytes.Clone(t.out.Buf[mark:])
	t.out.Buf = t.out.Buf[:mark]
	bound := t.bound
	t.bound = bound[joins.operands:]
	return joins.write(ctx, t.run, bound, answer, t.out)
}

// asker asks the targets in one run.
type asker struct {
	*joins
	run   *Run
	bound [][]byte
}

// Ask asks one target.
func (a *asker) Ask(ctx context.Context, target int, keys join.Keys) ([][]byte, error) {
	t, from := a.targets[target], a.from[target]
	to := from + t.bindings().Len()
	ctx, end := a.run.span(ctx, trace.SpanKindInternal, &joinStepLabel)
	answers, err := t.ask(ctx, a.run, a.bound[from:to:to], keys)
	end(err)
	return answers, err
}

// sourceTarget is a statement for one source.
type sourceTarget struct {
	query
	columns []string
	keys    []backend.Key
}

func (t *sourceTarget) bindings() input.Bindings { return t.query.bindings }

func (t *sourceTarget) needs() Needs { return 0 }

func (t *sourceTarget) texts() []string { return []string{t.from, t.statement.SQL()} }

func (t *sourceTarget) ask(ctx context.Context, r *Run, bound [][]byte, keys join.Keys) ([][]byte, error) {
	out := backend.NewAnswer(nil, nil, 0)
	if err := t.run(ctx, r, append(bound, t.rows(keys)), out); err != nil {
		return nil, err
	}
	answers := make([][]byte, 0, keys.Len())
	c := jsonwalk.NewCursor(out.Buf)
	err := c.Array(func() error {
		return c.Object(func([]byte) error {
			value, err := c.Value()
			answers = append(answers, value)
			return err
		})
	})
	if err != nil {
		return nil, apierror.New(apierror.Unexpected, "the answer to a join is malformed").WithInternal(err.Error())
	}
	return answers, nil
}

// rows are the keys as ir.Keys takes them.
func (t *sourceTarget) rows(keys join.Keys) []byte {
	text := []byte{'['}
	for i := range keys.Len() {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, '{')
		for n, v := range keys.Key(i) {
			if n > 0 {
				text = append(text, ',')
			}
			text = append(append(jsontext.AppendString(text, t.columns[n]), ':'), t.keys[n].JSON(v)...)
		}
		text = append(text, '}')
	}
	return append(text, ']')
}
