package schema

import (
	"queryengine/pkg/resolve"
)

// buildObject makes the object type of the rows.
func (t *Table) buildObject() content {
	var fields []Field
	path := t.pathArgument()
	t.columns(func(c *resolve.SelectColumn) {
		f := Field{Name: c.Column.Field, Description: text(c.Column.Description), Type: t.columnType(c.Column), Means: c}
		if !c.Column.Nullable && c.Redact == nil {
			f.Type = NonNull(f.Type)
		}
		if c.Column.Scalar.JSON && !c.Column.Type.IsArray() {
			f.Args = path
		}
		fields = append(fields, f)
	})
	t.scalars(func(c *resolve.SelectComputedField) {
		f := Field{Name: c.Field.Name, Description: c.Field.Description, Type: t.computedType(c.Field), Means: c}
		f.Args = t.role.functionArguments(t.Source, t.computedArgsType(c.Field), c.Field.Args)
		if c.Field.Scalar.JSON && !c.Field.Type.IsArray() {
			f.Args = append(f.Args, path...)
		}
		fields = append(fields, f)
	})
	for _, r := range t.Relations() {
		fields = append(fields, t.relationFields(r)...)
	}
	for _, c := range t.Computed() {
		f := Field{Name: c.Name, Description: c.Description, Type: List(NonNull(Named(c.Target.object))), Means: c}
		f.Args = t.role.functionArguments(t.Source, t.computedArgsType(c.ComputedField), c.Args)
		f.Args = append(f.Args, c.Target.Arguments()...)
		fields = append(fields, f)
	}
	return content{fields: fields}
}

func (t *Table) relationFields(r *Relation) []Field {
	if !r.Array {
		f := Field{Name: r.Name, Description: relationDescription(r, "An object relationship"), Type: Named(r.Target.object), Means: r}
		if !r.Nullable {
			f.Type = NonNull(f.Type)
		}
		return []Field{f}
	}
	fields := []Field{{
		Name: r.Name, Description: relationDescription(r, "An array relationship"),
		Type: NonNull(List(NonNull(Named(r.Target.object)))), Args: r.Target.Arguments(), Means: r,
	}}
	if r.Target.Permission.Aggregations {
		fields = append(fields, Field{
			Name: t.naming.after(r.Name, "aggregate"), Description: "An aggregate relationship",
			Type: NonNull(Named(r.Target.aggregate)), Args: r.Target.Arguments(), Means: &RelationAggregate{r},
		})
	}
	return fields
}

func relationDescription(r *Relation, generated string) string {
	if r.Meta != nil && r.Meta.Comment != nil {
		return *r.Meta.Comment
	}
	return generated
}

func (t *Table) pathArgument() []Input {
	return []Input{{Name: "path", Description: "JSON select path", Type: Named(t.role.scalar("String")), Means: ArgPath}}
}

// Arguments are the arguments of every field that lists rows of the table.
func (t *Table) Arguments() []Input {
	t.args.Do(func() {
		t.arguments = []Input{
			{Name: "where", Description: "filter the rows returned", Type: Named(t.boolExp), Means: ArgWhere},
			{Name: t.naming.field("order_by"), Description: "sort the rows by one or more columns", Type: List(NonNull(Named(t.orderBy))), Means: ArgOrderBy},
			{Name: "limit", Description: "limit the number of rows returned", Type: Named(t.role.scalar("Int")), Means: ArgLimit},
			{Name: "offset", Description: "skip the first n rows. Use only with order_by", Type: Named(t.role.scalar("Int")), Means: ArgOffset},
		}
		if len(t.selectColumn.Values()) > 0 {
			t.arguments = append(t.arguments, Input{
				Name: t.naming.field("distinct_on"), Description: "distinct select on columns",
				Type: List(NonNull(Named(t.selectColumn))), Means: ArgDistinctOn,
			})
		}
	})
	return t.arguments
}

func (t *Table) buildSelectColumn() content {
	var values []Value
	t.columns(func(c *resolve.SelectColumn) {
		values = append(values, Value{Name: c.Column.Field, Description: "column name", Means: c})
	})
	return content{values: values}
}

// computedArgsType is the name of the type of a computed field's args.
func (t *Table) computedArgsType(f *resolve.ComputedField) string {
	n := t.naming
	return n.affixes.Prefix + n.plainTypeName(base{name: f.Name, custom: true}, t.Name+"_args") + n.affixes.Suffix
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
			inputs = append(inputs, Input{Name: args[i].Field, Type: r.valueType(args[i].Type, s), Means: &args[i]})
		}
		return content{inputs: inputs}
	}))
	if !optional {
		ref = NonNull(ref)
	}
	return []Input{{Name: "args", Description: "input parameters for function", Type: ref, Means: ArgFunction}}
}
