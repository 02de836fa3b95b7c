package plan

import (
	"slices"

	"queryengine/pkg/apierror"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
	"queryengine/pkg/jsontext"
	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/plan/input"
	"queryengine/services/query-executor/internal/schema"
)

// Write is a root field that writes to a source. Exactly one of Insert and Steps is set.
type Write struct {
	Named
	Source *resolve.Source
	// Path is where the faults of its statements are.
	Path string
	// Bindings give the values of ir.Variable, by Index.
	Bindings input.Bindings
	Insert   *Insert
	// Joins are the fields of the answer that other sources give, after the transaction.
	Joins []JoinMember
	// Steps run one after the other. The answer is that of the only one, or a list of all.
	Steps []Step
	List  bool

	validation *validation
	// dropUnset is Options.DropUnset.
	dropUnset bool
}

// Step is one statement that writes.
type Step struct {
	// Mutation is nil when there is nothing to write; the answer is Empty then.
	Mutation ir.Mutation
	Empty    string
	// Reply is the answer, nil when Mutation gives it itself.
	Reply *Reply
}

// Reply is an answer that a second statement makes of the rows that were written: it shows
// rows that are related to them.
type Reply struct{ Parts []ReplyPart }

// ReplyPart is a piece of a Reply: a text, the number of rows, or rows of the Written whose
// texts are the list that the only ir.Each of it stands for.
type ReplyPart struct {
	Text  string
	Count bool
	Rows  ir.Root
}

// output is what a mutation answers: the keys of its response, or one row.
type output struct {
	table    catalog.Name
	response []ir.OutputField
	one      bool
	row      []ir.Field
}

// response plans the selection set of a response.
func (p *writePlanner) response(w *schema.Writable, s *selected) (*output, error) {
	out := &output{table: w.Catalog.Name, response: []ir.OutputField{}}
	t := w.Response()
	err := p.within(t.Name, s, func(s *selected) error {
		f, err := p.fieldOf(t, s)
		if err != nil {
			return err
		}
		field := ir.OutputField{Alias: s.Alias}
		switch {
		case f == nil:
			field.Typename = t.Name
		case f.Means == schema.AffectedRows{}:
			if err := p.scalarField(s); err != nil {
				return err
			}
			field.AffectedRows = true
			err = p.arguments(s, nil, nil)
		default:
			if err := p.arguments(s, nil, nil); err != nil {
				return err
			}
			field.IsRows = true
			field.Rows, err = p.fields(w.Table, s)
		}
		out.response = append(out.response, field)
		return err
	})
	return out, err
}

// writtenRow plans the selection set of a mutation that answers with a row.
func (p *writePlanner) writtenRow(w *schema.Writable, s *selected) (*output, error) {
	fields, err := p.fields(w.Table, s)
	return &output{table: w.Catalog.Name, one: true, row: fields}, err
}

// related says whether the answer shows related rows.
func (o *output) related() bool {
	nested := func(f ir.Field) bool { return f.Nested != nil }
	return slices.ContainsFunc(o.row, nested) || slices.ContainsFunc(o.response, func(f ir.OutputField) bool {
		return slices.ContainsFunc(f.Rows, nested)
	})
}

// direct is the answer as the statement that writes gives it.
func (o *output) direct() ir.Output {
	return ir.Output{Returning: o.row, One: o.one, Answer: o.response}
}

// reply is the answer of a second statement.
func (o *output) reply() *Reply {
	rows := ir.Rows{From: ir.Written{Table: o.table, Rows: []ir.Value{ir.Each{}}}, Estimate: -1}
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
		switch {
		case f.AffectedRows:
			parts = append(parts, ReplyPart{Text: string(text)}, ReplyPart{Count: true})
			text = text[:0]
		case f.IsRows:
			parts = append(parts, ReplyPart{Text: string(text)}, ReplyPart{Rows: &ir.Select{Rows: rows, Fields: f.Rows}})
			text = text[:0]
		default:
			text = jsontext.AppendString(text, f.Typename)
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
		switch {
		case f.AffectedRows:
			text = append(text, '0')
		case f.IsRows:
			text = append(text, "[]"...)
		default:
			text = jsontext.AppendString(text, f.Typename)
		}
	}
	return string(append(text, '}'))
}

// wholeRow is what a reply needs of a written row.
func wholeRow(table catalog.Name) ir.Field {
	t := catalog.Type{Schema: table.Schema, Name: table.Name, Kind: catalog.TypeComposite}
	return ir.Field{Expr: ir.Row{Type: t}, ExprType: t}
}

// step is the statement that mutation makes for an output.
func (o *output) step(mutation func(ir.Output) ir.Mutation) Step {
	if o.related() {
		return Step{Mutation: mutation(ir.Output{Returning: []ir.Field{wholeRow(o.table)}, Handed: true}), Reply: o.reply()}
	}
	return Step{Mutation: mutation(o.direct())}
}

// field plans a root field that writes.
func (p *writePlanner) field(name string, f *schema.Field, s *selected) error {
	switch m := f.Means.(type) {
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
func (p *writePlanner) write(name string, w *schema.Writable, plan func() (*Write, error)) error {
	p.begin(w.Source)
	p.writesTo(w)
	write, err := plan()
	if err != nil {
		return err
	}
	write.Field = name
	write.Source, write.Bindings, write.dropUnset = w.Source, p.Bindings(), p.options.DropUnset
	write.Joins = p.takeJoins()
	p.separate = p.separate || len(write.Joins) > 0
	p.answer.add(write)
	return nil
}

// writesTo notes that the plan depends on a table and on what the role may do with it.
func (p *state) writesTo(w *schema.Writable) {
	if w.Readable {
		p.reads(w.Table)
	}
	if !slices.Contains(p.writes, w) {
		p.writes = append(p.writes, w)
	}
}

// rule is the filter or check of a permission, nil for true.
func rule(e ir.BoolExp) ir.BoolExp {
	if e == nil {
		return nil
	}
	return ir.Rule{Exp: e}
}
