package resolve

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
	"queryengine/pkg/remoteschema"
)

// A name of a type means one thing in a schema. Who has names of the metadata's choosing (tables, logical models,
// functions, native queries, types of actions, remote schemas) and finds one taken is inconsistent and left out;
// what GraphQL and the engine define themselves, and the scalars of columns, keep theirs.

// typeNames are the types of the sources by name.
type typeNames struct {
	options Options
	owners  map[string]typeOwner
	namings []*typeNaming
	// scalars are the scalars of the columns and arguments of all sources.
	scalars map[string]bool
	// made are scalars that users of the databases made.
	made map[string]bool
	// hidden are the tables, rows of native queries, and functions that are left out.
	hidden   map[any]bool
	problems []metadata.Inconsistency
}

// typeOwner is what has a type: a *Table for its rows, a *Function or *NativeQuery for its arguments, or a text.
type typeOwner struct {
	of     any
	naming *typeNaming
	order  int
}

func (o typeOwner) String() string {
	switch of := o.of.(type) {
	case *Table:
		if of.IsModel() {
			return fmt.Sprintf("the rows of logical model %q in source %s", of.model.name, of.Source.Name)
		}
		return fmt.Sprintf("the rows of table %q in source %s", of.Display(), of.Source.Name)
	case *Function:
		return fmt.Sprintf("the arguments of function %q in source %s", of.Source.head.display(of.Meta.Function), of.Source.Name)
	case *NativeQuery:
		return fmt.Sprintf("the arguments of native query %q in source %s", of.Meta.RootField, of.Source.Name)
	}
	return fmt.Sprint(o.of)
}

// engineTypes are the types of every schema, and types that a setting adds.
var engineTypes = map[string]string{
	"Int": scalarOfGraphQL, "Float": scalarOfGraphQL, "String": scalarOfGraphQL, "Boolean": scalarOfGraphQL, "ID": scalarOfGraphQL,
	queryRoot: "a root type of the engine", mutationRoot: "a root type of the engine", subscriptionRoot: "a root type of the engine",
	"_Any": "a type of Apollo Federation", "_Entity": "a type of Apollo Federation", "_Service": "a type of Apollo Federation",
	"order_by": orders, "OrderBy": orders,
	"cursor_ordering": orders, "CursorOrdering": orders,
}

// engineSuffixes are the ends of names of the types that are made for scalars, operators and dialects.
var engineSuffixes = []string{
	"_comparison_exp", "ComparisonExp", "_cast_exp", "CastExp", "_within_input", "_dwithin_input", "_geography_input", "_nband_geom_input", "_geom_nband_input",
}

// engineType describes the engine's type of that name, "" for none.
func engineType(name string) string {
	if strings.HasPrefix(name, "__") {
		return "a name that GraphQL keeps for introspection"
	}
	if what := engineTypes[name]; what != "" {
		return what
	}
	for _, end := range engineSuffixes {
		if strings.HasSuffix(name, end) && (strings.HasSuffix(end, "exp") || strings.HasSuffix(end, "Exp") || strings.HasPrefix(name, "st_")) {
			return operands
		}
	}
	if strings.HasPrefix(name, "order_by_") || strings.HasPrefix(name, "OrderBy") {
		return orders
	}
	return ""
}

// What names of types may stand for.
const (
	scalarOfGraphQL = "a scalar of GraphQL"
	scalarType      = "a scalar of columns or arguments"
	orders          = "the engine's type of orders"
	operands        = "a type that the engine makes for operators"
)

// Hides reports whether the schema leaves out a table, the rows of a native query or a function, because the name
// of its type is taken.
func (s *Schema) Hides(of any) bool { return len(s.types().hidden) > 0 && s.types().hidden[of] }

// HasType reports whether a source has a type of that name for rows or arguments. A scalar that a user of the database made makes way for it.
func (s *Schema) HasType(name string) bool {
	_, ok := s.types().owners[name]
	return ok
}

// types are the types of the sources, found at the first use.
func (s *Schema) types() *typeNames {
	if n := s.typeNames.Load(); n != nil {
		return n
	}
	n := &typeNames{options: s.options, owners: map[string]typeOwner{}, scalars: map[string]bool{}, made: map[string]bool{}, hidden: map[any]bool{}}
	n.find(s.Sources)
	s.typeNames.Store(n)
	return n
}

// follow gives the names of a later version of the sources, nil when they may be others. What most changes of metadata leave is
// compared table by table, which takes a small part of the time of find.
func (n *typeNames) follow(before, now []*Source) *typeNames {
	switch {
	case n == nil || slices.Equal(before, now):
		return n
	case len(n.hidden) > 0 || len(n.problems) > 0 || !slices.EqualFunc(before, now, sameTypes):
		return nil
	}
	later := *n
	later.owners = maps.Clone(n.owners)
	follow := func(name string, before, now any) {
		if o, ok := later.owners[name]; ok && o.of == before {
			o.of = now
			later.owners[name] = o
		}
	}
	for i, s := range now {
		old := before[i]
		if old == s {
			continue
		}
		for k, t := range s.Tables {
			follow(s.head.rowType(t.base.id), old.Tables[k], t)
		}
		for k, f := range s.Functions {
			follow(f.ArgsType, old.Functions[k], f)
		}
		for k, q := range s.NativeQueries {
			follow(s.head.rowType(q.Rows.base.id), old.NativeQueries[k].Rows, q.Rows)
			follow(q.ArgsType, old.NativeQueries[k], q)
		}
	}
	return &later
}

// sameTypes reports whether two versions of a source have the same types.
func sameTypes(a, b *Source) bool {
	return a == b || a.Name == b.Name && a.Kind == b.Kind && a.head == b.head &&
		slices.EqualFunc(a.Tables, b.Tables, func(a, b *Table) bool {
			return (a.base == b.base || a.Catalog == b.Catalog && a.base.id == b.base.id && (a.base.enum == nil) == (b.base.enum == nil) &&
				slices.EqualFunc(a.Columns, b.Columns, sameColumn) && slices.EqualFunc(a.PrimaryKey, b.PrimaryKey, sameColumn)) &&
				sameFields(a, b)
		}) &&
		slices.EqualFunc(a.Functions, b.Functions, func(a, b *Function) bool { return a.Meta == b.Meta && a.Catalog == b.Catalog }) &&
		slices.EqualFunc(a.NativeQueries, b.NativeQueries, func(a, b *NativeQuery) bool {
			return a.Meta == b.Meta && a.Procedure == b.Procedure && a.Rows.base.id == b.Rows.base.id && a.Rows.model == b.Rows.model &&
				slices.EqualFunc(a.Rows.Columns, b.Rows.Columns, sameColumn) && sameFields(a.Rows, b.Rows)
		})
}

// sameFields compares the relationships and computed fields of two versions of a table.
func sameFields(a, b *Table) bool {
	return slices.EqualFunc(a.Relationships, b.Relationships, func(a, b *Relationship) bool {
		return a.Name == b.Name && a.Array == b.Array && a.Target.base.id == b.Target.base.id
	}) && slices.EqualFunc(a.ComputedFields, b.ComputedFields, func(a, b *ComputedField) bool {
		return a.Name == b.Name && a.Function == b.Function && (a.Returns == nil) == (b.Returns == nil) && (a.Returns == nil || a.Returns.base.id == b.Returns.base.id)
	})
}

func (n *typeNames) find(sources []*Source) {
	for _, source := range sources {
		n.claimSource(source)
	}
	for _, source := range sources {
		orders := source.Convention.suffix("order_by")
		for _, t := range source.Tables {
			n.compare(source.head.rowType(t.base.id), t)
			// Of lists of rows there are orders by aggregates: for rows T_max and T by max alike.
			n.compareAs(source.head.rowType(t.base.id), source.head.wrapType(source.head.plainRowType(t.base.id)+orders), t)
		}
		for _, f := range source.Functions {
			n.compare(f.ArgsType, f)
		}
		for _, q := range source.NativeQueries {
			n.compare(source.head.rowType(q.Rows.base.id), q.Rows)
			n.compare(q.ArgsType, q)
		}
	}
}

func (n *typeNames) naming(h *head) *typeNaming {
	i := slices.IndexFunc(n.namings, func(known *typeNaming) bool { return known.head.sameTypes(h) })
	if i >= 0 {
		return n.namings[i]
	}
	n.namings = append(n.namings, newTypeNaming(h))
	return n.namings[len(n.namings)-1]
}

// sameTypes reports whether the types of two sources have names of one form.
func (h *head) sameTypes(o *head) bool {
	return h.dialect.Tables() == o.dialect.Tables() && h.convention == o.convention && h.wrapType(" ") == o.wrapType(" ")
}

// claimSource takes the names of a source.
func (n *typeNames) claimSource(s *Source) {
	naming := n.naming(s.head)
	if s.Namespace != "" {
		for _, root := range []string{"query", "subscription", "mutation_frontend", "mutation_backend"} {
			name := s.head.wrapType(s.Namespace + s.Convention.suffix(root))
			n.owners[name] = typeOwner{of: "the namespace of source " + s.Name}
		}
	}
	for _, ordering := range []string{"cursor_ordering", "CursorOrdering"} {
		n.owners[s.head.wrapType(ordering)] = typeOwner{of: "orders of streams of source " + s.Name}
	}
	for _, t := range s.Tables {
		if t.Name == "" {
			continue
		}
		n.claim(s.head.rowType(t.base.id), typeOwner{of: t, naming: naming})
		for _, c := range t.Columns {
			n.use(s, c.Type)
		}
		for _, f := range t.ComputedFields {
			for _, a := range f.Args {
				n.use(s, a.Type)
			}
			if f.Returns == nil {
				n.use(s, f.Type)
			}
		}
	}
	for _, f := range s.Functions {
		if len(f.Args) > 0 {
			n.claim(f.ArgsType, typeOwner{of: f})
		}
		for _, a := range f.Args {
			n.use(s, a.Type)
		}
	}
	for _, q := range s.NativeQueries {
		n.claim(s.head.rowType(q.Rows.base.id), typeOwner{of: q.Rows, naming: naming})
		if len(q.Args) > 0 {
			n.claim(q.ArgsType, typeOwner{of: q})
		}
		for _, c := range q.Rows.Columns {
			n.use(s, c.Type)
		}
		for _, a := range q.Args {
			n.use(s, a.Type)
		}
	}
}

// use notes the scalar of a type, and the scalars of its arrays, for arguments of functions and with a setting for columns. A scalar that a user
// of the database made makes way for the rows of a table.
func (n *typeNames) use(s *Source, t catalog.Type) {
	if t.IsArray() {
		n.scalars["_"+s.Dialect.Scalar(t).SQL] = true
		n.scalars["_"+t.Name] = true
	}
	if t.Kind == "" || t.Kind == catalog.TypeBase {
		n.scalars[s.Dialect.Scalar(t).Name] = true
	} else {
		n.made[s.Dialect.Scalar(t).Name] = true
	}
}

// claim gives a name to what hasn't one yet.
func (n *typeNames) claim(name string, owner typeOwner) {
	owner.order = len(n.owners)
	other, taken := n.owners[name]
	switch what := engineType(name); {
	case what != "":
		n.hide(owner, name, "is "+what)
	case !taken:
		n.owners[name] = owner
	case !sameRows(other.of, owner.of):
		n.hide(owner, name, "is used for "+other.String())
	}
}

// sameRows reports whether two objects are tables of two sources with the same types, or native queries
// that return rows of one logical model.
func sameRows(a, b any) bool {
	x, _ := a.(*Table)
	y, _ := b.(*Table)
	switch {
	case x == nil || y == nil || x.IsModel() != y.IsModel():
		return false
	case x.IsModel() && x.Source == y.Source:
		return x.model.name == y.model.name
	case x.Source == y.Source || x.Source.Dialect.Tables() != y.Source.Dialect.Tables() || x.Source.Convention != y.Source.Convention:
		return false
	}
	return x.writable() == y.writable() && x.Catalog.Insertable == y.Catalog.Insertable && x.Catalog.Updatable == y.Catalog.Updatable &&
		slices.EqualFunc(x.Columns, y.Columns, sameColumn) &&
		slices.EqualFunc(x.PrimaryKey, y.PrimaryKey, sameColumn) &&
		slices.EqualFunc(x.Relationships, y.Relationships, func(a, b *Relationship) bool {
			return a.Name == b.Name && a.Array == b.Array && a.Target.Name == b.Target.Name
		}) &&
		slices.EqualFunc(x.ComputedFields, y.ComputedFields, func(a, b *ComputedField) bool {
			return a.Name == b.Name && a.Scalar.Name == b.Scalar.Name && (a.Returns == nil) == (b.Returns == nil)
		})
}

func sameColumn(a, b *Column) bool {
	return a.Field == b.Field && a.Scalar.Name == b.Scalar.Name && a.Type.IsArray() == b.Type.IsArray() && a.Nullable == b.Nullable &&
		(a.Enum == nil) == (b.Enum == nil)
}

// compare looks at the scalars, and at the types that are made for tables.
func (n *typeNames) compare(name string, of any) {
	if own, known := n.owners[name]; known && own.of == of && !n.hidden[of] && n.scalars[name] {
		n.hide(own, name, "is "+scalarType)
		return
	}
	n.compareAs(name, name, of)
}

// compareAs looks at the types of a name that are made for other tables than the one that has rows of that type.
// Of two the later one is left out.
func (n *typeNames) compareAs(rows, name string, of any) {
	own, known := n.owners[rows]
	if !known || own.of != of || n.hidden[of] {
		return
	}
	other, _ := n.generated(name, of)
	switch {
	case other.of == nil:
	case other.order < own.order:
		n.hide(own, name, "is made for "+other.String())
	case name == rows:
		n.hide(other, name, "is used for "+own.String())
	default:
		n.hide(other, name, "is made for "+own.String())
	}
}

// generated finds the table for which a type of that name is made, other than the given one, and the kind of the type.
func (n *typeNames) generated(name string, not any) (owner typeOwner, kind remoteschema.Kind) {
	for _, naming := range n.namings {
		naming.split(name, func(rows string, g *generatedType) {
			found, ok := n.owners[rows]
			t, isTable := found.of.(*Table)
			if ok && isTable && found.naming == naming && t != not && !n.hidden[t] && (g.made == nil || g.made(&n.options, t)) {
				owner, kind = found, g.kind
			}
		})
	}
	return owner, kind
}

// taken describes what has a type of that name, "" for nothing. Scalars of one name are the same.
func (n *typeNames) taken(name string, scalar bool) string {
	if what := engineType(name); what != "" {
		return "is " + what
	}
	if owner, ok := n.owners[name]; ok && !n.hidden[owner.of] {
		return "is used for " + owner.String()
	}
	if (n.scalars[name] || n.made[name]) && !scalar {
		return "is " + scalarType
	}
	if owner, _ := n.generated(name, nil); owner.of != nil {
		return "is made for " + owner.String()
	}
	return ""
}

// hide leaves out what would be of a type whose name is taken.
func (n *typeNames) hide(o typeOwner, name, by string) {
	n.hidden[o.of] = true
	if other, ok := n.owners[name]; ok && sameRoot(o.of, other.of) {
		return // which is a conflict of root fields, too
	}
	reason := fmt.Sprintf("found conflicting definitions for GraphQL type %q, which %s", name, by)
	switch of := o.of.(type) {
	case *Function:
		n.problems = append(n.problems, inconsistent(functionID(of), of.Meta, fmt.Sprintf("in function %q: %s", of.Source.head.display(of.Meta.Function), reason)))
	case *NativeQuery:
		n.hidden[of.Rows] = true
		n.problems = append(n.problems, inconsistent(of.id(), of.definition(), reason))
	case *Table:
		if of.NativeQuery != nil {
			n.problems = append(n.problems, inconsistent(of.NativeQuery.id(), of.NativeQuery.definition(), reason))
			return
		}
		n.problems = append(n.problems, inconsistent(tableID(of), of.Meta.Table, fmt.Sprintf("in table %q: %s", of.Display(), reason)))
	}
}

// sameRoot reports whether two tables or two functions have one root field.
func sameRoot(a, b any) bool {
	if x, ok := a.(*Table); ok {
		y, ok := b.(*Table)
		return ok && x != y && !x.IsModel() && !y.IsModel() && x.Source.Namespace == y.Source.Namespace && x.RootFields.Select.Name == y.RootFields.Select.Name
	}
	x, _ := a.(*Function)
	y, _ := b.(*Function)
	return x != nil && y != nil && x != y && x.Source.Namespace == y.Source.Namespace && x.Field.Name == y.Field.Name
}

// definition is what the metadata says of a native query or procedure.
func (q *NativeQuery) definition() any {
	if q.Procedure != nil {
		return q.Procedure
	}
	return q.Meta
}
