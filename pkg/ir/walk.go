package ir

// Part is a node of a plan: what a root field reads, a relation, a condition, an expression, a value, or what a key of an answer
// holds.
type Part interface {
	// parts calls visit with each part that this one consists of, in the order of its fields, and with the row that the part
	// is about.
	parts(visit func(Part, Scope))
}

// Scope is the row that a part is about, relative to the part around it. The zero value is the same row.
type Scope struct {
	// From is the relation of the row; nil for the row of the part around it.
	From From
	// Join joins the row to that of the part around it.
	Join []JoinPair
	// Root reports whether the row is the root of a rule; see Column.Root.
	Root bool
}

var same Scope

// Parts calls visit with each part that a part consists of. A part that is nil has none.
func Parts(p Part, visit func(Part, Scope)) {
	if p != nil {
		p.parts(visit)
	}
}

// Walk calls visit with a part and, as long as visit returns true, with each part below it.
func Walk(p Part, visit func(Part) bool) {
	if p != nil && visit(p) {
		p.parts(func(below Part, _ Scope) { Walk(below, visit) })
	}
}

// Reads calls visit with each relation that a part reads besides the row in scope, and with each function that it calls, until
// visit returns false.
func Reads(p Part, visit func(From, *Call) bool) {
	goOn := true
	Walk(p, func(p Part) bool {
		switch p := p.(type) {
		case From:
			goOn = goOn && visit(p, nil)
		case Call:
			goOn = goOn && visit(nil, &p)
		}
		return goOn
	})
}

// list visits the parts of a list that are about a row.
func list[P Part](parts []P, s Scope, visit func(Part, Scope)) {
	for _, p := range parts {
		visit(p, s)
	}
}

// one visits a part that may be missing.
func one(p Part, s Scope, visit func(Part, Scope)) {
	if p != nil {
		visit(p, s)
	}
}

// Conditions.

func (e And) parts(visit func(Part, Scope)) { list(e.Exps, same, visit) }

func (e Or) parts(visit func(Part, Scope)) { list(e.Exps, same, visit) }

func (e Not) parts(visit func(Part, Scope)) { one(e.Exp, same, visit) }

func (e Compare) parts(visit func(Part, Scope)) {
	one(e.Left, same, visit)
	list(e.Args, same, visit)
}

func (e CompareColumn) parts(visit func(Part, Scope)) {
	one(e.Left, same, visit)
	visit(e.Right, same)
}

func (e IsNull) parts(visit func(Part, Scope)) { one(e.Expr, same, visit) }

func (e Exists) parts(visit func(Part, Scope)) {
	inner := Scope{From: e.From, Join: e.Join}
	one(e.From, inner, visit)
	one(e.Where, inner, visit)
}

func (e AggregateCompare) parts(visit func(Part, Scope)) {
	inner := Scope{From: e.From, Join: e.Join}
	one(e.From, inner, visit)
	list(e.Args, inner, visit)
	one(e.Filter, inner, visit)
	list(e.Predicate, inner, visit)
}

func (e Rule) parts(visit func(Part, Scope)) { one(e.Exp, Scope{Root: true}, visit) }

// Expressions.

func (Column) parts(func(Part, Scope)) {}

func (e Call) parts(visit func(Part, Scope)) { arguments(e.Args, visit) }

func arguments(args []CallArg, visit func(Part, Scope)) {
	for _, a := range args {
		if a.Column != nil {
			visit(*a.Column, same)
		}
		one(a.Value, same, visit)
	}
}

func (e Cast) parts(visit func(Part, Scope)) { one(e.Expr, same, visit) }

func (e Redacted) parts(visit func(Part, Scope)) {
	one(e.Expr, same, visit)
	one(e.When, same, visit)
	one(e.Else, same, visit)
}

func (e Masked) parts(visit func(Part, Scope)) {
	one(e.Expr, same, visit)
	one(e.Value, same, visit)
	for _, p := range e.Parts {
		if p.Column != nil {
			visit(*p.Column, same)
		}
		one(p.Value, same, visit)
	}
}

func (e JSONPath) parts(visit func(Part, Scope)) { one(e.Expr, same, visit) }

func (e JSONValue) parts(visit func(Part, Scope)) { one(e.Expr, same, visit) }

func (e Upper) parts(visit func(Part, Scope)) { one(e.Expr, same, visit) }

func (e RowRef) parts(visit func(Part, Scope)) {
	list(e.Columns, same, visit)
	list(e.Key, same, visit)
}

func (Inserted) parts(func(Part, Scope)) {}

// Values.

func (Literal) parts(func(Part, Scope)) {}

func (Variable) parts(func(Part, Scope)) {}

func (Each) parts(func(Part, Scope)) {}

func (SessionVar) parts(func(Part, Scope)) {}

func (SessionObject) parts(func(Part, Scope)) {}

func (Lookup) parts(func(Part, Scope)) {}

func (Default) parts(func(Part, Scope)) {}

// Relations. What is inside of one is about the row that it is joined to.

func (Table) parts(func(Part, Scope)) {}

func (f Function) parts(visit func(Part, Scope)) { arguments(f.Args, visit) }

func (f Written) parts(visit func(Part, Scope)) {
	list(f.Columns, same, visit)
	list(f.Key, same, visit)
	list(f.Rows, same, visit)
}

func (f NativeQuery) parts(visit func(Part, Scope)) {
	for _, c := range f.Code {
		one(c.Value, same, visit)
	}
}

func (f Procedure) parts(visit func(Part, Scope)) {
	for _, a := range f.Args {
		one(a.Value, same, visit)
	}
}

func (f Embedded) parts(visit func(Part, Scope)) { one(f.When, same, visit) }

func (g Groups) parts(visit func(Part, Scope)) {
	own := g.Rows.own()
	g.Rows.visit(own, visit)
	for _, k := range g.Keys {
		one(k.Expr, own, visit)
	}
	for _, a := range g.Aggregates {
		list(a.Args, own, visit)
	}
}

func (f Keys) parts(visit func(Part, Scope)) { list(f.Columns, same, visit) }

// Roots.

func (r *Rows) visit(own Scope, visit func(Part, Scope)) {
	one(r.From, own, visit)
	one(r.Where, own, visit)
	list(r.DistinctOn, own, visit)
	for _, o := range r.OrderBy {
		one(o.Target, own, visit)
	}
	one(r.Limit, own, visit)
	one(r.Offset, own, visit)
}

// own is the scope of what is read of rows.
func (r *Rows) own() Scope { return Scope{From: r.From, Root: true} }

func (r *Rows) fields(list []Field, visit func(Part, Scope)) {
	for _, f := range list {
		one(f.Value, r.own(), visit)
	}
}

func (r *Select) parts(visit func(Part, Scope)) {
	r.Rows.visit(r.own(), visit)
	r.fields(r.Fields, visit)
}

func (r *Aggregate) parts(visit func(Part, Scope)) {
	r.Rows.visit(r.own(), visit)
	for _, f := range r.Fields {
		one(f.Value, r.own(), visit)
	}
}

func (r *Connection) parts(visit func(Part, Scope)) {
	r.Rows.visit(r.own(), visit)
	if r.Split != nil {
		for _, v := range r.Split.Values {
			one(v, r.own(), visit)
		}
	}
	for _, f := range r.Fields {
		one(f.Value, r.own(), visit)
	}
}

// What keys hold.

func (Typename) parts(func(Part, Scope)) {}

func (f Scalar) parts(visit func(Part, Scope)) { one(f.Expr, same, visit) }

func (f *NodeID) parts(visit func(Part, Scope)) { list(f.Key, same, visit) }

func (f *Nested) parts(visit func(Part, Scope)) {
	if f.Root != nil {
		visit(f.Root, Scope{From: f.Root.rows().From, Join: f.Join})
	}
}

func (f Object) parts(visit func(Part, Scope)) { fieldsOf(f, visit) }

func (f Aggregated) parts(visit func(Part, Scope)) { visit(f.Column, same) }

func (f Aggregates) parts(visit func(Part, Scope)) {
	for _, a := range f {
		one(a.Value, same, visit)
	}
}

func (f Nodes) parts(visit func(Part, Scope)) { fieldsOf(f, visit) }

func fieldsOf(list []Field, visit func(Part, Scope)) {
	for _, f := range list {
		one(f.Value, same, visit)
	}
}

func (f *AggregateCall) parts(visit func(Part, Scope)) {
	for _, c := range f.Columns {
		one(c.Value, same, visit)
	}
}

func (f *Count) parts(visit func(Part, Scope)) { list(f.Args, same, visit) }

func (f Edges) parts(visit func(Part, Scope)) {
	for _, e := range f {
		one(e.Value, same, visit)
	}
}

func (EdgeCursor) parts(func(Part, Scope)) {}

func (f Node) parts(visit func(Part, Scope)) { fieldsOf(f, visit) }

func (f PageInfoFields) parts(visit func(Part, Scope)) {
	for _, p := range f {
		one(p.Value, same, visit)
	}
}

func (PageInfo) parts(func(Part, Scope)) {}

// Orders.

func (t OrderExpr) parts(visit func(Part, Scope)) { one(t.Expr, same, visit) }

func (t OrderRelated) parts(visit func(Part, Scope)) {
	inner := Scope{From: t.From, Join: t.Join}
	one(t.From, inner, visit)
	one(t.Where, inner, visit)
	one(t.Target, inner, visit)
}

func (t OrderAggregate) parts(visit func(Part, Scope)) {
	inner := Scope{From: t.From, Join: t.Join}
	one(t.From, inner, visit)
	one(t.Where, inner, visit)
	one(t.Expr, inner, visit)
}
