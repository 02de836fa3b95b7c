package plan

import (
	"queryengine/pkg/apierror"
	"queryengine/pkg/ir"
	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/plan/input"
	"queryengine/services/query-executor/internal/schema"
)

// severalFields is a directive of subscriptions that lets them have several root fields.
const severalFields = "_multiple_top_level_fields"

// Live is what makes a plan that of a subscription. The queries among its parts belong to one
// source and have no bindings of their own.
type Live struct {
	Source *resolve.Source
	// Bindings give the values of ir.Variable, by Index, in all queries.
	Bindings input.Bindings
	// Cursor is set for a streaming subscription.
	Cursor *ir.Cursor
}

// live is what is known of a subscription while it is planned.
type live struct {
	// several says that there may be several root fields.
	several bool
	fields  int
	// members counts the fields of namespaces.
	members int
	// streams and queries count the root fields that sources answer.
	streams, queries int
	// calls counts those about calls of actions, lone those of them whose output leads to no table.
	calls, lone int
	// remotes counts those that remote schemas answer.
	remotes int
	source  *resolve.Source
	cursor  *ir.Cursor
}

// rootField notes a field at the root of the operation.
func (l *live) rootField(name string) error {
	if name == typename || isIntrospection(name) {
		return apierror.New(apierror.NotSupported, "Introspection at root field level is not supported over subscriptions")
	}
	l.fields++
	return nil
}

const oneField = "subscriptions must select one top level field"

// check says whether the root fields go together; nil is no subscription.
func (l *live) check() error {
	switch {
	case l == nil:
		return nil
	case l.fields > 1 && !l.several:
		return apierror.New(apierror.ValidationFailed, oneField)
	case l.lone > 0 && l.streams+l.queries > 0:
		return apierror.New(apierror.NotSupported, "async action queries with no relationships aren't expected to mix with normal source database queries")
	case l.calls > 0 && l.streams+l.queries > 0:
		return apierror.New(apierror.NotSupported, "all fields of a subscription must be from the same source")
	case l.remotes > 1 || l.remotes > 0 && l.streams+l.queries+l.calls > 0:
		return apierror.New(apierror.NotSupported, "exactly one root field is allowed for subscriptions on remote schemas")
	case l.members > 1 && !l.several:
		return apierror.New(apierror.ValidationFailed, oneField)
	case l.streams > 0 && l.queries > 0:
		return apierror.New(apierror.NotSupported, "streaming and livequery subscriptions cannot be executed in the same subscription")
	case l.streams > 1:
		return apierror.New(apierror.NotSupported, "exactly one root field is allowed for streaming subscriptions")
	}
	return nil
}

// subscription is the plan's part about the subscription, nil for other operations.
func (p *planner) subscription() *Live {
	if p.live == nil {
		return nil
	}
	l := &Live{Source: p.live.source, Cursor: p.live.cursor}
	if p.live.source != nil {
		l.Bindings = p.Bindings()
	}
	return l
}

// liveQuery plans a root field of a subscription. All of them share the bindings, for they
// are one statement.
func (p *readPlanner) liveQuery(field string, source *resolve.Source, plan func() (ir.Root, error)) error {
	if p.live.source == nil {
		p.live.source = source
		p.begin(source)
	}
	if p.live.source != source {
		return apierror.New(apierror.NotSupported, "all fields of a subscription must be from the same source")
	}
	streams := p.live.streams
	root, err := plan()
	if err != nil {
		return err
	}
	if streams == p.live.streams {
		p.live.queries++
	}
	p.answer.add(&Query{Named: Named{Field: field}, Source: source, Root: root})
	return nil
}

// stream plans the rows of a table past a cursor.
func (p *readPlanner) stream(t *schema.Table, f *schema.Field, s *selected) (ir.Root, error) {
	p.live.streams++
	query := &ir.Select{Rows: p.rows(tableRelation(t))}
	query.WithTies = true
	err := p.arguments(s, f.Args(), func(in *schema.Input, v input.Value) error {
		switch in.Means {
		case schema.ArgBatchSize:
			if query.Limit != nil {
				return nil // nothing is less than no rows
			}
			var err error
			query.Limit, err = p.Operand(in.Type, v, p.Limit(in.Type.Named))
			return err
		case schema.ArgCursor:
			return p.cursor(&query.Rows, in.Type, v)
		}
		return p.argument(&query.Rows, in, v)
	})
	if err != nil {
		return nil, err
	}
	query.Fields, err = p.fields(t, s)
	return query, err
}

// cursorColumn is a column that a stream is told to follow, and from where.
type cursorColumn struct {
	column *resolve.SelectColumn
	start  ir.Variable
	desc   bool
}

// cursor plans the argument that says where a stream begins, and in which direction it goes.
func (p *readPlanner) cursor(rows *ir.Rows, at schema.Ref, v input.Value) error {
	var columns []cursorColumn
	err := p.List(at, v, func(item schema.Ref, v input.Value) error {
		v, null, err := p.IsNull(item, v, input.LookShape)
		if err != nil || null {
			return err
		}
		first, desc := len(columns), false
		err = p.Object(item, v, func(in *schema.Input, v input.Value) error {
			if in.Means == schema.ArgInitialValue {
				return p.initialValue(in.Type, v, &columns)
			}
			v, null, err := p.IsNull(in.Type, v, input.LookValue)
			if err != nil || null {
				return err
			}
			e, err := p.Enum(in.Type, v)
			if err == nil {
				o, _ := e.Means.(schema.Order)
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
	rows.Where = both(rows.Where, ir.Compare{Left: column(c.column), Op: op, Args: []ir.Value{c.start}})
	rows.OrderBy = []ir.OrderItem{{Target: ir.OrderExpr{Expr: column(c.column)}, Desc: c.desc, NullsFirst: c.desc}}
	p.live.cursor = &ir.Cursor{Column: c.column.Column.Name, Variable: c.start.Index}
	return nil
}

// initialValue plans where a stream begins. The value moves while the stream goes on, so it
// is shared with no other use of the same variable.
func (p *readPlanner) initialValue(at schema.Ref, v input.Value, columns *[]cursorColumn) error {
	return p.Object(at, v, func(in *schema.Input, v input.Value) error {
		c, _ := in.Means.(*resolve.SelectColumn)
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
		*columns = append(*columns, cursorColumn{column: c, start: bound})
		return nil
	})
}
