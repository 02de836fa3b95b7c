package schema

import (
	"slices"

	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
)

// Root is a root that reads.
type Root string

// The roots that read.
const (
	QueryRoot        Root = "query"
	SubscriptionRoot Root = "subscription"
)

// NoQueriesText is the value of the only field of a role that may query nothing.
const NoQueriesText = "There are no queries available to the current role. Either there are no sources or remote schemas configured, or the current role doesn't have the required permissions."

// buildQuery makes the query root.
func (r *Role) buildQuery() content {
	fields := r.queryFields()
	if len(fields) == 0 {
		fields = []Field{{
			Name: "no_queries_available", Type: NonNull(Named(r.scalar("String"))), Meaning: NoQueries{},
			doc: words(NoQueriesText),
		}}
	}
	own := r.federationFields()
	fields = slices.DeleteFunc(fields, func(f Field) bool {
		return slices.ContainsFunc(own, func(o Field) bool { return o.Name == f.Name })
	})
	return content{fields: append(fields, own...)}
}

func (r *Role) queryFields() []Field {
	if r.options.Relay {
		return r.buildRelay(QueryRoot)
	}
	fields := r.readingRoot(QueryRoot, func(t *Table) []Field { return t.readFields(QueryRoot) })
	fields = append(fields, r.actionFields(metadata.ActionQuery)...)
	fields = append(fields, r.callFields()...)
	return append(fields, r.remoteRoots(remoteQuery)...)
}

// buildSubscription makes the subscription root.
func (r *Role) buildSubscription() content {
	if r.options.Relay {
		return content{fields: r.buildRelay(SubscriptionRoot)}
	}
	fields := r.readingRoot(SubscriptionRoot, func(t *Table) []Field {
		fields := t.readFields(SubscriptionRoot)
		if f := &t.RootFields.SelectStream; !r.options.HideStreamFields && t.has(SubscriptionRoot, "select_stream") {
			fields = append(fields, t.streamField(f))
		}
		return fields
	})
	return content{fields: addFree(append(fields, r.callFields()...), r.remoteRoots(remoteSubscription))}
}

// addFree adds the fields whose names are not taken. The metadata reports conflicts between
// queries and between mutations alone: where subscriptions were never looked at, they must not
// be what takes a remote schema away.
func addFree(fields, more []Field) []Field {
	for _, f := range more {
		if !slices.ContainsFunc(fields, func(known Field) bool { return known.Name == f.Name }) {
			fields = append(fields, f)
		}
	}
	return fields
}

// readingRoot are the root fields that read; of gives those of a table.
func (r *Role) readingRoot(root Root, of func(*Table) []Field) []Field {
	return r.rootFields(string(root), func(s *resolve.Source) []Field { return r.sourceFields(root, s, of) })
}

// rootFields are the root fields of all sources; of gives those of one. A name that two
// sources claim belongs to the first: the metadata reports the other as inconsistent. Sources may
// share a namespace, whose type is named as that of the first.
func (r *Role) rootFields(root string, of func(*resolve.Source) []Field) []Field {
	var fields []Field
	taken := map[string]bool{}
	for _, s := range r.source.Sources {
		switch {
		case s.Namespace == "":
			fields = addRoots(fields, taken, of(s))
		case !taken[s.Namespace]:
			inside := newType(namingOf(s).typeName(base{name: s.Namespace, custom: true}, root), Object, "", func() content {
				var inside []Field
				taken := map[string]bool{}
				for _, other := range r.source.Sources {
					if other.Namespace == s.Namespace {
						inside = addRoots(inside, taken, of(other))
					}
				}
				return content{fields: inside}
			})
			if len(inside.Fields()) > 0 {
				fields = addRoots(fields, taken, []Field{{Name: s.Namespace, Type: NonNull(Named(inside)), Meaning: Namespace{inside}}})
			}
		}
	}
	return append(make([]Field, 0, len(fields)), fields...)
}

// addRoots adds the root fields whose names are free.
func addRoots(fields []Field, taken map[string]bool, list []Field) []Field {
	for _, f := range list {
		if !taken[f.Name] && !resolve.ReservedRoot(f.Name) {
			taken[f.Name] = true
			fields = append(fields, f)
		}
	}
	return fields
}

// sourceFields are those of one source. Procedures are called for queries only: what they do isn't known, and they
// can't be called for many subscribers at once.
func (r *Role) sourceFields(root Root, s *resolve.Source, of func(*Table) []Field) []Field {
	var fields []Field
	for _, t := range s.Tables {
		if seen := r.Table(t); seen != nil {
			fields = append(fields, of(seen)...)
		}
	}
	for _, f := range s.Functions {
		if seen := r.Table(f.Returns); seen != nil && !f.Mutation && r.allowed(f) {
			fields = append(fields, seen.functionFields(f)...)
		}
	}
	for _, q := range s.NativeQueries {
		if seen := r.Table(q.Rows); seen != nil && (root == QueryRoot || q.Procedure == nil) {
			fields = append(fields, seen.nativeField(q))
		}
	}
	return fields
}

// allowed reports whether the role may use a function that the schema has.
func (r *Role) allowed(f *resolve.Function) bool { return f.Allowed(r.Name) && !r.source.Hides(f) }

// has reports whether the role's list of root fields lets a root have the one of that kind for
// the table.
func (t *Table) has(root Root, kind string) bool {
	if root == SubscriptionRoot {
		return t.Permission.InSubscription(kind)
	}
	return t.Permission.InQuery(kind)
}

// foundByKey reports whether a root may find rows of the table by their keys alone, as the fields of
// Relay and of federation do: a role that may read them as a list can do that, too.
func (t *Table) foundByKey(root Root) bool {
	return t.has(root, "select") || t.has(root, "select_by_pk")
}

// readFields are the root fields that read a table.
func (t *Table) readFields(root Root) []Field {
	roots := t.RootFields
	var fields []Field
	if t.has(root, "select") {
		fields = append(fields, Field{
			Name: roots.Select.Name, Type: t.listType(), Meaning: Rows{t},
			doc: (*rootDoc)(&roots.Select), args: (*rowArgs)(t),
		})
	}
	if t.has(root, "select_by_pk") && t.ReadsPrimaryKey() {
		fields = append(fields, Field{
			Name: roots.SelectByPK.Name, Type: Named(t.Type()), Meaning: ByPK{t},
			doc: (*rootDoc)(&roots.SelectByPK), args: (*keyArgs)(t),
		})
	}
	if t.has(root, "select_aggregate") && t.Permission.Aggregations {
		fields = append(fields, Field{
			Name: roots.SelectAggregate.Name, Type: NonNull(Named(t.AggregateType())), Meaning: Aggregated{t},
			doc: (*rootDoc)(&roots.SelectAggregate), args: (*rowArgs)(t),
		})
		if t.Source.Groups() && len(t.part(selectColumn).Values()) > 0 {
			fields = append(fields, Field{
				Name: roots.SelectGroups.Name, Type: NonNull(List(NonNull(Named(t.part(groups))))), Meaning: Grouped{t},
				doc: (*rootDoc)(&roots.SelectGroups), args: argsFunc(t.groupArguments),
			})
		}
	}
	return fields
}

func (t *Table) listType() Ref { return NonNull(List(NonNull(Named(t.part(object))))) }

// keyArguments are the columns of the primary key.
func (t *Table) keyArguments() []Input {
	var inputs []Input
	for _, c := range t.PrimaryKey {
		for i := range t.Permission.Columns {
			if p := &t.Permission.Columns[i]; p.Column.Name == c.Name {
				inputs = append(inputs, Input{
					Name: c.Field, Description: text(c.Description), Type: NonNull(t.columnType(c)), Meaning: Column{p},
				})
			}
		}
	}
	return inputs
}

// functionFields are the root fields of a tracked function that returns rows of t.
func (t *Table) functionFields(f *resolve.Function) []Field {
	rows := t.functionField(f)
	fields := []Field{rows}
	if t.Permission.Aggregations {
		fields = append(fields, Field{
			Name: f.AggregateField.Name, Type: NonNull(Named(t.AggregateType())), Meaning: FunctionAggregated{f, t},
			doc: (*rootDoc)(&f.AggregateField), args: rows.args,
		})
	}
	return fields
}

// functionField is the root field of the rows that a tracked function returns.
func (t *Table) functionField(f *resolve.Function) Field {
	rows := Field{
		Name: f.Field.Name, Type: Named(t.Type()), Meaning: FunctionRows{f, t}, doc: (*rootDoc)(&f.Field),
		args: argsFunc(func() []Input {
			return append(t.role.functionArguments(f.Source, f.ArgsType, f.Args), t.rowArguments()...)
		}),
	}
	if f.Catalog.ReturnsSet {
		rows.Type = t.listType()
	}
	return rows
}

// streamField is the root field that follows the rows of a table.
func (t *Table) streamField(root *resolve.RootField) Field {
	return Field{
		Name: root.Name, Type: t.listType(), Meaning: Stream{t},
		doc: (*rootDoc)(root), args: argsFunc(t.streamArguments),
	}
}

func (t *Table) streamArguments() []Input {
	cursor := t.typeOf("stream_cursor_input", InputObject, "Streaming cursor of the table "+t.display(), t.buildStreamCursor)
	return []Input{
		{
			Name: t.naming.field("batch_size"), Description: "maximum number of rows returned in a single batch",
			Type: NonNull(Named(t.role.scalar("Int"))), Meaning: ArgBatchSize,
		},
		{
			Name: "cursor", Description: "cursor to stream the results returned by the query",
			Type: NonNull(List(Named(cursor))), Meaning: ArgCursor,
		},
		{Name: "where", Description: "filter the rows returned", Type: Named(t.part(boolExp)), Meaning: ArgWhere},
	}
}

func (t *Table) buildStreamCursor() content {
	initial := t.typeOf("stream_cursor_value_input", InputObject, "Initial value of the column from where the streaming should start",
		func() content {
			var inputs []Input
			t.columns(func(c *resolve.SelectColumn) {
				inputs = append(inputs, Input{
					Name: c.Column.Field, Description: text(c.Column.Description), Type: t.columnType(c.Column), Meaning: Column{c},
				})
			})
			return content{inputs: t.role.orPlaceholder(inputs)}
		})
	n := t.naming
	ordering := t.role.named(n.affixes.Prefix+n.shared("cursor_ordering")+n.affixes.Suffix, Enum, "ordering argument of a cursor", func() content {
		return content{values: []Value{
			{Name: "ASC", Description: "ascending ordering of the cursor", Meaning: Order{}},
			{Name: "DESC", Description: "descending ordering of the cursor", Meaning: Order{Desc: true}},
		}}
	})
	return content{inputs: []Input{
		{
			Name: n.field("initial_value"), Description: "Stream column input with initial value",
			Type: NonNull(Named(initial)), Meaning: ArgInitialValue,
		},
		{Name: "ordering", Description: "cursor ordering", Type: Named(ordering), Meaning: ArgOrdering},
	}}
}
