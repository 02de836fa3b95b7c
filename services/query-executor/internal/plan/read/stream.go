package read

import (
	"queryengine/pkg/apierror"
	"queryengine/pkg/ir"
	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/plan/answer"
	"queryengine/services/query-executor/internal/plan/input"
	"queryengine/services/query-executor/internal/plan/walk"
	"queryengine/services/query-executor/internal/schema"
)

// liveQuery plans a root field of a subscription. All of them share the bindings, for they
// are one statement.
func (p *Planner) liveQuery(field string, source *resolve.Source, plan func() (ir.Root, error)) error {
	if p.Live.Source == nil {
		p.Live.Source = source
		p.Begin(source)
	}
	if p.Live.Source != source {
		return apierror.New(apierror.NotSupported, "all fields of a subscription must be from the same source")
	}
	streams := p.Live.Streams
	root, err := plan()
	if err != nil {
		return err
	}
	if streams == p.Live.Streams {
		p.Live.Queries++
	}
	p.Answer.Add(&Query{Named: answer.Named{Field: field}, Source: source, Root: root})
	return nil
}

// Stream plans the rows of a table past a cursor.
func (p *Planner) Stream(t *schema.Table, f *schema.Field, s *walk.Selected) (ir.Root, error) {
	p.Live.Streams++
	query := &ir.Select{Rows: p.Rows(TableRelation(t))}
	query.WithTies = true
	err := p.Arguments(s, f.Args(), func(in *schema.Input, v input.Value) error {
		switch in.Meaning {
		case schema.ArgBatchSize:
			if query.Limit != nil {
				return nil // nothing is less than no rows
			}
			var err error
			query.Limit, err = p.Operand(in.Type, v, p.Limit(in.Type.Named))
			return err
		case schema.ArgCursor:
			return p.cursor(t, &query.Rows, in.Type, v)
		}
		return p.Argument(&query.Rows, in, v)
	})
	if err != nil {
		return nil, err
	}
	query.Fields, err = p.Fields(t, s)
	return query, err
}

// cursorColumn is a column that a stream follows, and from where.
type cursorColumn struct {
	column *resolve.SelectColumn
	start  ir.Variable
	desc   bool
}

// cursor plans the argument with the position that a stream begins at and its direction.
func (p *Planner) cursor(t *schema.Table, rows *ir.Rows, at schema.Ref, v input.Value) error {
	var columns []cursorColumn
	err := p.List(at, v, func(item schema.Ref, v input.Value) error {
		v, null, err := p.IsNull(item, v, input.LookShape)
		if err != nil || null {
			return err
		}
		first, desc := len(columns), false
		err = p.Object(item, v, func(in *schema.Input, v input.Value) error {
			if in.Meaning == schema.ArgInitialValue {
				return p.initialValue(in.Type, v, &columns)
			}
			v, null, err := p.IsNull(in.Type, v, input.LookValue)
			if err != nil || null {
				return err
			}
			e, err := p.Enum(in.Type, v)
			if err == nil {
				o, _ := e.Meaning.(schema.Order)
				desc = o.Desc
			}
			return err
		})
		for i := range columns[first:] {
			columns[first+i].desc = desc
		}
		return err
	})
	switch {
	case err != nil:
		return err
	case len(columns) == 0:
		p.Pop() // the fault is in the arguments together
		return p.Fail("one streaming column field is expected")
	case len(columns) > 1:
		p.Pop()
		return p.Fail("multiple column cursors are not supported yet")
	}
	c := columns[0]
	op := ir.OpGt
	if c.desc {
		op = ir.OpLt
	}
	rows.Where = Both(rows.Where, ir.Compare{Left: Column(c.column), Op: op, Args: []ir.Value{c.start}})
	rows.OrderBy = []ir.OrderItem{{Target: ir.OrderExpr{Expr: Column(c.column)}, Desc: c.desc, NullsFirst: c.desc}}
	p.Live.Cursor = &ir.Cursor{Column: c.column.Column.Name, Variable: c.start.Index, Key: keyOf(t)}
	return nil
}

// keyOf is the primary key of a table, whatever the role may see of it.
func keyOf(t *schema.Table) (key []ir.Column) {
	if t.Catalog.PrimaryKey == nil {
		return nil
	}
	for _, name := range t.Catalog.PrimaryKey.Columns {
		c := t.Catalog.Column(name)
		if c == nil {
			return nil
		}
		key = append(key, ir.Column{Name: c.Name, Type: c.Type})
	}
	return key
}

// initialValue plans where a stream begins. The value moves while the stream goes on, so it
// is shared with no other use of the same variable.
func (p *Planner) initialValue(at schema.Ref, v input.Value, columns *[]cursorColumn) error {
	return p.Object(at, v, func(in *schema.Input, v input.Value) error {
		c, ok := in.Meaning.(schema.Column)
		if !ok {
			return p.Fail("a stream needs a column")
		}
		of := p.Column(c.Column.Type, in.Type)
		of.Nullable = true
		start, err := p.Unshared(in.Type, v, of)
		if err != nil {
			return err
		}
		bound, ok := start.(ir.Variable)
		if !ok {
			return p.Fail("unexpected value")
		}
		*columns = append(*columns, cursorColumn{column: c.SelectColumn, start: bound})
		return nil
	})
}
