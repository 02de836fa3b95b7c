package relay

import (
	"slices"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
	"queryengine/pkg/jsonwalk"
	"queryengine/services/query-executor/internal/plan/input"
	"queryengine/services/query-executor/internal/plan/read"
	"queryengine/services/query-executor/internal/plan/walk"
	"queryengine/services/query-executor/internal/schema"
)

// paging are the arguments that say which page of a connection is wanted. A size that is not
// given is -1.
type paging struct {
	first, last   int
	after, before []byte // nil when not given
}

// Connection plans a page of rows. When they come from a function, its arguments go to c.
func (p *Planner) Connection(r read.Relation, s *walk.Selected, inputs []schema.Input, c *read.Call) (*ir.Connection, error) {
	query := &ir.Connection{Rows: p.Rows(r)}
	if r.Table.SealsKeys() {
		query.Seal = r.Table.CursorSeal()
	}
	page := paging{first: -1, last: -1}
	err := p.Arguments(s, inputs, func(in *schema.Input, v input.Value) error {
		switch in.Meaning {
		case schema.ArgFunction:
			return p.CallArguments(c, in.Type, v)
		case schema.ArgOrderBy:
			return p.connectionOrder(query, r, in, v)
		case schema.ArgFirst, schema.ArgLast, schema.ArgAfter, schema.ArgBefore:
			return p.pageArgument(&page, in, v)
		}
		return p.Argument(&query.Rows, in, v)
	})
	if err != nil {
		return nil, err
	}
	orderByKey(query, r)
	if err := p.setPage(query, r.Table, &page); err != nil {
		return nil, err
	}
	t := r.Table.ConnectionType()
	err = p.Within(t.Name, s, func(s *walk.Selected) error {
		f, err := p.connectionField(r.Table, s)
		f.Alias = s.Alias
		query.Fields = append(query.Fields, f)
		return err
	})
	return query, err
}

// FunctionConnection plans a page of the rows that a function returns.
func (p *Planner) FunctionConnection(m schema.FunctionConnection, f *schema.Field, s *walk.Selected) (ir.Root, error) {
	c := read.FunctionCall(m.Function)
	query, err := p.Connection(read.Relation{Table: m.Table, Estimate: -1}, s, f.Args(), c)
	if err != nil {
		return nil, err
	}
	query.From = p.FunctionFrom(m.Function, c)
	return query, nil
}

// connectionOrder plans order_by. In a cursor a value has the names that lead to it in the
// argument; the last one, of a column, is that of the database.
func (p *Planner) connectionOrder(query *ir.Connection, r read.Relation, in *schema.Input, v input.Value) error {
	v, null, err := p.IsNull(in.Type, v, input.LookShape)
	if err != nil || null {
		return err
	}
	start := len(p.Path) + 1 // behind the index
	return p.List(in.Type, v, func(item schema.Ref, v input.Value) error {
		return p.Order(item, v, func(i ir.OrderItem) {
			key := ir.CursorKey{Type: p.orderType(i.Target)}
			for _, step := range p.Path[start:] {
				key.Path = append(key.Path, step.Key)
			}
			if name, ok := read.PlainColumn(leaf(i.Target)); ok {
				key.Path[len(key.Path)-1] = name
			}
			if part, ok := partOf(i.Target); ok { // one member, as another path may begin with this one
				key.Path = append(key.Path, strings.Join(part.Path, "\x00"))
			}
			key.NotNull = r.NotNull(i.Target)
			query.OrderBy = append(query.OrderBy, i)
			query.Keys = append(query.Keys, key)
		})
	})
}

// partOf is the part of a JSON value that an ordering is by, if it is by one.
func partOf(t ir.OrderTarget) (ir.JSONValue, bool) {
	o, _ := leaf(t).(ir.OrderExpr)
	part, ok := o.Expr.(ir.JSONValue)
	return part, ok
}

// leaf is what an ordering through relationships is by.
func leaf(t ir.OrderTarget) ir.OrderTarget {
	for {
		related, ok := t.(ir.OrderRelated)
		if !ok {
			return t
		}
		t = related.Target
	}
}

// orderType is the type of the values that rows are ordered by.
func (p *Planner) orderType(t ir.OrderTarget) catalog.Type {
	switch t := leaf(t).(type) {
	case ir.OrderExpr:
		return exprType(t.Expr)
	case ir.OrderAggregate:
		of := exprType(t.Expr)
		if a := p.Source.Dialect.Tables().Aggregate(t.Function); a != nil && a.Result != nil {
			return a.Result(of)
		} else if a != nil {
			return of
		}
	}
	return p.Source.Dialect.Builtin(backend.TypeBigInt) // a count
}

func exprType(e ir.Expr) catalog.Type {
	switch e := e.(type) {
	case ir.Column:
		return e.Type
	case ir.Call:
		return e.Type
	case ir.JSONValue:
		return e.Type
	case ir.Redacted:
		return exprType(e.Expr)
	case ir.Masked:
		return exprType(e.Expr)
	}
	return catalog.Type{}
}

// orderByKey adds the columns of the primary key that the rows aren't ordered by yet, so that
// no two rows have the same place. Distinct columns come before, when there is no other order:
// the database wants them first. Where the role doesn't see the key, its values have a place of
// their own in cursors, under a name that no argument has: a cursor can't be used to compare them
// with something else, and what the role sees of such a column doesn't count for it.
func orderByKey(query *ir.Connection, r read.Relation) {
	if len(query.OrderBy) == 0 {
		for _, e := range query.DistinctOn {
			target := ir.OrderExpr{Expr: e}
			name, _ := read.PlainColumn(target)
			query.OrderBy = append(query.OrderBy, ir.OrderItem{Target: target})
			query.Keys = append(query.Keys, ir.CursorKey{Path: []string{name}, Type: exprType(e), NotNull: r.NotNull(target)})
		}
	}
	for _, c := range r.Table.PrimaryKey {
		key := ir.OrderExpr{Expr: ir.Column{Name: c.Name, Type: c.Type}}
		if slices.ContainsFunc(query.OrderBy, func(i ir.OrderItem) bool { return isColumn(i.Target, c.Name) }) {
			continue
		}
		path := []string{c.Name}
		if query.Seal != nil {
			path = []string{"", c.Name}
		}
		query.OrderBy = append(query.OrderBy, ir.OrderItem{Target: key})
		query.Keys = append(query.Keys, ir.CursorKey{Path: path, Type: c.Type, NotNull: r.NotNull(key)})
	}
}

// isColumn reports whether rows are ordered by a column as it is, not by what a role sees of it.
func isColumn(t ir.OrderTarget, name string) bool {
	o, _ := t.(ir.OrderExpr)
	c, ok := o.Expr.(ir.Column)
	return ok && c.Name == name
}

// pageArgument reads an argument that selects the page. The plan depends on it: the
// size of the page is part of how it is read, and the NULLs of a cursor are part of what it is
// compared with.
func (p *Planner) pageArgument(page *paging, in *schema.Input, v input.Value) error {
	v, null, err := p.IsNull(in.Type, v, input.LookValue)
	if err != nil || null {
		return err
	}
	if in.Meaning == schema.ArgAfter || in.Meaning == schema.ArgBefore {
		p.Depends(v)
	}
	if in.Meaning == schema.ArgFirst || in.Meaning == schema.ArgLast {
		n, ok := input.WholeNumber(v.Text(), 32)
		if k := v.Kind(); !ok || n < 0 || k != input.Int && k != input.Number {
			return p.Mismatch(in.Type.Named.Name, "a non-negative 32-bit integer", v)
		}
		if in.Meaning == schema.ArgFirst {
			page.first = int(n)
		} else {
			page.last = int(n)
		}
		return nil
	}
	if v.Kind() != input.String {
		return p.Mismatch(in.Type.Named.Name, "a string", v)
	}
	cursor := decodeBase64(v.Text())
	if in.Meaning == schema.ArgAfter {
		page.after = cursor
	} else {
		page.before = cursor
	}
	return nil
}

// setPage chooses the page. The role's limit bounds it like an argument.
func (p *Planner) setPage(query *ir.Connection, t *schema.Table, page *paging) error {
	p.Push("args")
	switch {
	case page.first >= 0 && page.last >= 0:
		return p.Fail(`"first" and "last" are not allowed at once`)
	case page.after != nil && page.before != nil:
		return p.Fail(`"after" and "before" are not allowed at once`)
	}
	query.Size, query.Last = page.first, page.last >= 0
	if query.Last {
		query.Size = page.last
	}
	if limit := query.MaxRows; limit > 0 && (query.Size < 0 || limit < query.Size) {
		query.Size = limit
	}
	if query.MaxRows == ir.NoRows {
		query.Size, query.Where = 0, read.Both(query.Where, ir.Or{})
	}
	query.MaxRows = 0
	cursor := page.after
	if cursor == nil {
		cursor = page.before
	}
	if cursor != nil {
		if t.SealsKeys() {
			var ok bool
			if cursor, ok = t.CursorSeal().Open(cursor); !ok {
				return p.badCursor()
			}
		}
		query.Split = &ir.Split{After: page.after != nil}
		for _, k := range query.Keys {
			v, err := p.cursorValue(cursor, k)
			if err != nil {
				return err
			}
			query.Split.Values = append(query.Split.Values, v)
		}
	}
	p.Pop()
	return nil
}

// cursorValue finds one value in a cursor, nil for NULL.
func (p *Planner) cursorValue(cursor []byte, k ir.CursorKey) (ir.Value, error) {
	v := cursor
	for _, name := range k.Path {
		if jsonwalk.KindOf(v) != jsonwalk.Object {
			return nil, p.badCursor()
		}
		v = memberOf(v, name)
	}
	if v == nil || checkJSON(v) != nil {
		return nil, p.badCursor()
	}
	if jsonwalk.KindOf(v) == jsonwalk.Null {
		return nil, nil //nolint:nilnil // NULL is no value
	}
	bound, err := p.BindConstant(v, p.Scalar(k.Type, nil))
	if err != nil {
		return nil, p.badCursor()
	}
	return bound, nil
}

// memberOf is a member of an object, nil when there is none.
func memberOf(object []byte, name string) (found []byte) {
	_ = jsonwalk.Fields(object, func(key, value []byte) error {
		if string(key) == name {
			found = value
		}
		return nil
	})
	return found
}

func (p *Planner) badCursor() error {
	return p.FailWith(apierror.ValidationFailed, `the "after" or "before" cursor is invalid`)
}

func (p *Planner) connectionField(t *schema.Table, s *walk.Selected) (ir.ConnectionField, error) {
	f, err := p.partOf(t.ConnectionType(), s)
	switch {
	case err != nil:
		return ir.ConnectionField{}, err
	case f == nil:
		return ir.ConnectionField{Value: ir.Typename(t.ConnectionType().Name)}, nil
	case f.Meaning == schema.PartEdges:
		var edges ir.Edges
		err := p.Within(t.EdgeType().Name, s, func(s *walk.Selected) error {
			e, err := p.edgeField(t, s)
			e.Alias = s.Alias
			edges = append(edges, e)
			return err
		})
		return ir.ConnectionField{Value: edges}, err
	}
	var fields ir.PageInfoFields
	info := f.Type.Named
	err = p.Within(info.Name, s, func(s *walk.Selected) error {
		f, err := p.partOf(info, s)
		field := ir.PageInfoField{Alias: s.Alias, Value: ir.Typename(info.Name)}
		if err == nil && f != nil {
			part, _ := f.Meaning.(schema.ConnectionPart)
			field.Value = ir.PageInfo(part)
			err = p.ScalarField(s)
		}
		fields = append(fields, field)
		return err
	})
	return ir.ConnectionField{Value: fields}, err
}

func (p *Planner) edgeField(t *schema.Table, s *walk.Selected) (ir.EdgeField, error) {
	f, err := p.partOf(t.EdgeType(), s)
	switch {
	case err != nil:
		return ir.EdgeField{}, err
	case f == nil:
		return ir.EdgeField{Value: ir.Typename(t.EdgeType().Name)}, nil
	case f.Meaning == schema.PartCursor:
		return ir.EdgeField{Value: ir.EdgeCursor{}}, p.ScalarField(s)
	}
	node, err := p.Fields(t, s)
	return ir.EdgeField{Value: ir.Node(node)}, err
}

// partOf is fieldOf for fields without arguments.
func (p *Planner) partOf(t *schema.Type, s *walk.Selected) (*schema.Field, error) {
	f, err := p.FieldOf(t, s)
	if err == nil && f != nil {
		err = p.Arguments(s, nil, nil)
	}
	return f, err
}

// NodeID plans the global id of a row.
func (p *Planner) NodeID(t *schema.Table, s *walk.Selected) (ir.Field, error) {
	if err := p.ScalarField(s); err != nil {
		return ir.Field{}, err
	}
	id := &ir.NodeID{Table: t.Catalog.Name}
	if t.SealsKeys() {
		id.Seal = t.IDSeal()
	}
	for _, c := range t.PrimaryKey {
		id.Key = append(id.Key, ir.Column{Name: c.Name, Type: c.Type})
	}
	return ir.Field{Value: id}, p.Arguments(s, nil, nil)
}
