// Package write plans what is written to sources: inserts with related rows and upserts, updates and
// deletions, with their checks and presets and with what they answer. What an insert is when it is
// planned is package insert.
package write

import (
	"slices"

	"queryengine/pkg/apierror"
	"queryengine/pkg/ir"
	"queryengine/pkg/jsontext"
	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/plan/answer"
	"queryengine/services/query-executor/internal/plan/input"
	"queryengine/services/query-executor/internal/plan/insert"
	"queryengine/services/query-executor/internal/plan/read"
	"queryengine/services/query-executor/internal/plan/validate"
	"queryengine/services/query-executor/internal/plan/walk"
	"queryengine/services/query-executor/internal/schema"
)

// Write is a root field that writes to a source.
type Write struct {
	answer.Named
	Source *resolve.Source
	// Path is where the faults of its statements are.
	Path string
	// Bindings give the values of ir.Variable, by Index.
	Bindings input.Bindings
	Work     Work
	// Joins are the fields of the answer that other sources give, after the transaction.
	Joins []answer.Member
}

// Work is what a root field does: *Insert or *Steps.
type Work interface {
	// validated reports whether a webhook has to be called first, and inputs are what such ones are
	// asked about for these values of the variables.
	validated() bool
	inputs(values [][]byte) []validate.Input
}

// Steps are statements that run one after the other.
type Steps struct {
	List []Step
	// Many reports whether the answer is a list with those of all steps, and not that of the only one.
	Many bool

	// validation is nil when no webhook is called.
	validation *validation
}

// Step is one statement that writes.
type Step struct {
	// Mutation is nil when there is nothing to write; the answer is Empty then.
	Mutation ir.Mutation
	Empty    string
	// Reply is the answer, nil when Mutation gives it itself.
	Reply *Reply
	// Confirmation is made before Reply; nil for none.
	Confirmation *Confirmation
	// Before finds the rows of Reply where that is made before they are removed; nil where it is made of what Mutation gives back. It has
	// what Mutation gives back as its only field.
	Before *ir.Select
}

// Reply is an answer that a second statement makes of the rows that were written: it shows
// rows that are related to them.
type Reply struct{ Parts []ReplyPart }

// ReplyPart is a piece of a Reply: a text, the number of rows, or rows of the Written whose
// texts are the list that the only ir.Each of it stands for.
type ReplyPart struct {
	Text  string
	Count bool
	Rows  *ir.Select
}

// output is what a mutation answers: the keys of its response, or one row.
type output struct {
	of       *schema.Writable
	response []ir.OutputField
	one      bool
	row      []ir.Field
	// visible is the condition on the rows that are shown, nil for all that were written.
	visible ir.BoolExp
}

// newOutput returns an output without fields.
func (p *Planner) newOutput(w *schema.Writable) *output {
	out := &output{of: w}
	if p.Options.FilterReturning {
		out.visible = p.Visible(w.Table)
	}
	return out
}

// response plans the selection set of a response.
func (p *Planner) response(w *schema.Writable, s *walk.Selected) (*output, error) {
	out := p.newOutput(w)
	out.response = []ir.OutputField{}
	t := w.Response()
	err := p.Within(t.Name, s, func(s *walk.Selected) error {
		f, err := p.FieldOf(t, s)
		if err != nil {
			return err
		}
		field := ir.OutputField{Alias: s.Alias}
		switch {
		case f == nil:
			field.Value = ir.Typename(t.Name)
		case f.Meaning == schema.AffectedRows{}:
			if err := p.ScalarField(s); err != nil {
				return err
			}
			field.Value = ir.AffectedRows{}
			err = p.Arguments(s, nil, nil)
		default:
			if err := p.Arguments(s, nil, nil); err != nil {
				return err
			}
			var fields []ir.Field
			fields, err = p.Fields(w.Table, s)
			field.Value = ir.Returning(fields)
		}
		out.response = append(out.response, field)
		return err
	})
	return out, err
}

// writtenRow plans the selection set of a mutation that answers with a row.
func (p *Planner) writtenRow(w *schema.Writable, s *walk.Selected) (*output, error) {
	out := p.newOutput(w)
	out.one = true
	var err error
	out.row, err = p.Fields(w.Table, s)
	return out, err
}

// reads reports whether the answer shows more than the written rows themselves: related rows, and what functions make of rows. The
// statement that writes would show these as they were before.
func (o *output) reads() bool {
	reading := func(f ir.Field) bool {
		own := true
		ir.Reads(f.Value, func(ir.From, *ir.Call) bool {
			own = false
			return false
		})
		return !own
	}
	return o.visible != nil || slices.ContainsFunc(o.row, reading) || slices.ContainsFunc(o.response, func(f ir.OutputField) bool {
		rows, _ := f.Value.(ir.Returning)
		return slices.ContainsFunc(rows, reading)
	})
}

// objects are the rows of an answer that reads nothing, nil if they have global ids: these are sealed in answers alone.
func (o *output) objects() [][]ir.Field {
	lists := [][]ir.Field{o.row}
	if !o.one {
		lists = [][]ir.Field{}
		for _, f := range o.response {
			if rows, ok := f.Value.(ir.Returning); ok {
				lists = append(lists, rows)
			}
		}
	}
	for _, fields := range lists {
		if slices.ContainsFunc(fields, func(f ir.Field) bool { _, ok := f.Value.(*ir.NodeID); return ok }) {
			return nil
		}
	}
	return lists
}

// direct is the answer as the statement that writes gives it.
func (o *output) direct() ir.Output {
	return ir.Output{Returning: o.row, One: o.one, Answer: o.response}
}

// reply is the answer of a second statement.
func (o *output) reply() *Reply {
	rows := ir.Rows{From: written(o.of), Where: o.visible, Estimate: -1}
	if o.one {
		return &Reply{Parts: []ReplyPart{{Rows: &ir.Select{Rows: rows, Fields: o.row, One: true}}}}
	}
	var parts []ReplyPart
	text := []byte{'{'}
	for i, f := range o.response {
		if i > 0 {
			text = append(text, ", "...)
		}
		text = append(jsontext.AppendString(text, f.Alias), " : "...)
		switch v := f.Value.(type) {
		case ir.AffectedRows:
			parts = append(parts, ReplyPart{Text: string(text)}, ReplyPart{Count: true})
			text = text[:0]
		case ir.Returning:
			parts = append(parts, ReplyPart{Text: string(text)}, ReplyPart{Rows: &ir.Select{Rows: rows, Fields: v}})
			text = text[:0]
		case ir.Typename:
			text = jsontext.AppendString(text, string(v))
		}
	}
	return &Reply{Parts: append(parts, ReplyPart{Text: string(text) + "}"})}
}

// empty is the answer when nothing was to be written. One row is an empty object, as on the
// wire of the established engine.
func (o *output) empty() string {
	text := []byte{'{'}
	for i, f := range o.response {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(jsontext.AppendString(text, f.Alias), ':')
		switch v := f.Value.(type) {
		case ir.AffectedRows:
			text = append(text, '0')
		case ir.Returning:
			text = append(text, "[]"...)
		case ir.Typename:
			text = jsontext.AppendString(text, string(v))
		}
	}
	return string(append(text, '}'))
}

// step is the statement that mutation makes for an output.
func (o *output) step(mutation func(ir.Output) ir.Mutation) Step {
	if o.reads() {
		return o.twice(mutation)
	}
	return Step{Mutation: mutation(o.direct())}
}

// twice is step with a second statement for the answer.
func (o *output) twice(mutation func(ir.Output) ir.Mutation) Step {
	return Step{Mutation: mutation(ir.Output{Returning: []ir.Field{rowRef(o.of)}, Handed: true}), Reply: o.reply()}
}

// Field plans a root field that writes.
func (p *Planner) Field(name string, f *schema.Field, s *walk.Selected) error {
	switch m := f.Meaning.(type) {
	case schema.InsertRows:
		return p.write(name, m.Writable, func() (*Write, error) { return p.insert(m.Writable, f, s, false) })
	case schema.InsertRow:
		return p.write(name, m.Writable, func() (*Write, error) { return p.insert(m.Writable, f, s, true) })
	case schema.UpdateRows:
		return p.write(name, m.Writable, func() (*Write, error) { return p.update(m.Writable, f, s, p.response) })
	case schema.UpdateByPK:
		return p.write(name, m.Writable, func() (*Write, error) { return p.update(m.Writable, f, s, p.writtenRow) })
	case schema.UpdateMany:
		return p.write(name, m.Writable, func() (*Write, error) { return p.updateMany(m.Writable, f, s) })
	case schema.DeleteRows:
		return p.write(name, m.Writable, func() (*Write, error) { return p.deleteRows(m.Writable, f, s, p.response) })
	case schema.DeleteByPK:
		return p.write(name, m.Writable, func() (*Write, error) { return p.deleteRows(m.Writable, f, s, p.writtenRow) })
	}
	return apierror.New(apierror.NotSupported, "this field can't be executed")
}

// write plans one root field that writes.
func (p *Planner) write(name string, w *schema.Writable, plan func() (*Write, error)) error {
	p.Begin(w.Source)
	p.WritesTo(w)
	write, err := plan()
	if err != nil {
		return err
	}
	write.Field = name
	write.Source, write.Bindings = w.Source, p.Bindings()
	write.Joins = p.TakeJoins()
	p.Separate = p.Separate || len(write.Joins) > 0
	p.Answer.Add(write)
	return nil
}

// Planner plans what is written to sources.
type Planner struct {
	*read.Planner
	// Before are the inserts of a plan for the same operation that had too few nodes, Trees those of
	// this one.
	Before, Trees []*insert.Tree
}
