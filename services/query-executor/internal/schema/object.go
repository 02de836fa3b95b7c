package schema

import (
	"queryengine/pkg/resolve"
)

// buildObject makes the object type of the rows.
func (t *Table) buildObject() content {
	fields := make([]Field, 0, t.members(2))
	path := list(t.pathArgument())
	node := t.IsNode()
	if node {
		fields = append(fields, t.idOf())
	}
	t.columns(func(c *resolve.SelectColumn) {
		if node && c.Column.Field == idField {
			return
		}
		f := Field{Name: c.Column.Field, Type: t.columnType(c.Column), Meaning: Column{c}, doc: comment(c.Column)}
		if !c.Column.Nullable && c.Hidden == nil {
			f.Type = NonNull(f.Type)
		}
		if c.Column.Scalar.JSON {
			f.args = path
		}
		fields = append(fields, f)
	})
	t.scalars(func(c *resolve.SelectComputedField) {
		inputs := t.computedArguments(c.Field)
		if c.Field.Scalar.JSON {
			inputs = append(inputs, path...)
		}
		fields = append(fields, Field{
			Name: c.Field.Name, Type: t.computedType(c.Field), Meaning: Computed{c},
			doc: (*note)(&c.Field.Description), args: list(inputs),
		})
	})
	for _, r := range t.Relations() {
		fields = append(fields, t.relationFields(r)...)
	}
	fields = append(fields, t.nativeMembers()...)
	for _, c := range t.Computed() {
		inputs := t.computedArguments(c.ComputedField)
		fields = append(fields, Field{
			Name: c.Name, Type: List(NonNull(Named(c.Target.Type()))), Meaning: c,
			doc: (*note)(&c.Description), args: list(append(inputs, c.Target.rowArguments()...)),
		})
	}
	fields = append(fields, t.remoteFields()...)
	if len(fields) == 0 {
		fields = append(fields, t.role.placeholderField())
	}
	if node {
		return content{fields: fields, kin: &kin{interfaces: []*Type{t.role.node()}}}
	}
	return content{fields: fields}
}

func (t *Table) relationFields(r *Relation) []Field {
	if !r.Array {
		f := Field{Name: r.Name, Type: Named(r.Target.Type()), Meaning: r, doc: relationDoc(r, "An object relationship")}
		if !r.Nullable {
			f.Type = NonNull(f.Type)
		}
		return []Field{f}
	}
	fields := []Field{{
		Name: r.Name, Type: r.Target.listType(), Meaning: r,
		doc: relationDoc(r, "An array relationship"), args: (*rowArgs)(r.Target),
	}}
	if r.Target.Permission.Aggregations {
		fields = append(fields, Field{
			Name: t.naming.aggregateOf(r.Name), Type: NonNull(Named(r.Target.AggregateType())), Meaning: &RelationAggregate{r},
			doc: words("An aggregate relationship"), args: (*rowArgs)(r.Target),
		})
	}
	if r.Target.IsNode() {
		fields = append(fields, t.relationConnection(r))
	}
	return fields
}

func relationDoc(r *Relation, generated words) doc {
	if r.Meta != nil && r.Meta.Comment != nil {
		return (*note)(r.Meta.Comment)
	}
	return generated
}

func (t *Table) pathArgument() []Input {
	return []Input{{Name: "path", Description: "JSON select path", Type: Named(t.role.scalar("String")), Meaning: ArgPath}}
}

// rowArguments are the arguments of every field that lists rows of the table.
func (t *Table) rowArguments() []Input {
	t.argsOnce.Do(func() {
		t.arguments = []Input{
			{Name: "where", Description: "filter the rows returned", Type: Named(t.part(boolExp)), Meaning: ArgWhere},
			{Name: t.naming.field("order_by"), Description: "sort the rows by one or more columns", Type: List(NonNull(Named(t.part(orderBy)))), Meaning: ArgOrderBy},
			{Name: "limit", Description: "limit the number of rows returned", Type: Named(t.role.scalar("Int")), Meaning: ArgLimit},
			{Name: "offset", Description: "skip the first n rows. Use only with order_by", Type: Named(t.role.scalar("Int")), Meaning: ArgOffset},
		}
		if t.Source.Dialect.Tables().DistinctOn && len(t.part(selectColumn).Values()) > 0 {
			t.arguments = append(t.arguments, Input{
				Name: t.naming.field("distinct_on"), Description: "distinct select on columns",
				Type: List(NonNull(Named(t.part(selectColumn)))), Meaning: ArgDistinctOn,
			})
		}
	})
	return t.arguments
}

func (t *Table) buildSelectColumn() content {
	values := make([]Value, 0, len(t.Permission.Columns))
	t.columns(func(c *resolve.SelectColumn) {
		values = append(values, Value{Name: c.Column.Field, Description: "column name", Meaning: Column{c}})
	})
	return content{values: values}
}

// computedArgsType is the name of the type of a computed field's args.
func (t *Table) computedArgsType(f *resolve.ComputedField) string {
	n := t.naming
	return n.affixes.Prefix + n.plainTypeName(base{name: f.Name, custom: true}, t.Name+"_args") + n.affixes.Suffix
}

// computedArguments is the argument `args` of a computed field, none when there is nothing to give.
func (t *Table) computedArguments(f *resolve.ComputedField) []Input {
	return t.role.functionArguments(t.Source, t.computedArgsType(f), f.Args)
}

// functionArguments is the argument `args`, none when there is nothing to give.
func (r *Role) functionArguments(s *resolve.Source, typeName string, args []resolve.FunctionArg) []Input {
	if len(args) == 0 {
		return nil
	}
	optional := true
	for i := range args {
		optional = optional && args[i].Optional
	}
	ref := Named(r.named(typeName, InputObject, "", func() content {
		var inputs []Input
		for i := range args {
			inputs = append(inputs, Input{Name: args[i].Field, Type: r.argumentType(args[i].Type, s), Meaning: FunctionArgument{&args[i]}})
		}
		return content{inputs: inputs}
	}))
	if !optional {
		ref = NonNull(ref)
	}
	return []Input{{Name: "args", Description: "input parameters for function", Type: ref, Meaning: ArgFunction}}
}
