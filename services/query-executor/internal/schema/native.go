package schema

import "queryengine/pkg/resolve"

// relation is the word for what the rows come from.
func (t *Table) relation() string {
	if t.IsModel() {
		return "logical model for"
	}
	return "table"
}

// nativeField is the root field of a native query.
func (t *Table) nativeField(q *resolve.NativeQuery) Field {
	return Field{
		Name: q.Field.Name, Type: t.listType(), Meaning: NativeRows{q, t}, doc: (*rootDoc)(&q.Field),
		args: argsFunc(func() []Input { return t.nativeArguments(q, true) }),
	}
}

// nativeMembers are the fields of rows that only logical models have: embedded objects, and
// relationships to native queries.
func (t *Table) nativeMembers() []Field {
	if !t.IsModel() {
		return nil
	}
	var fields []Field
	for _, e := range t.Embedded {
		target := t.role.Table(e.Target)
		c, visible := t.Permission.Column(e.Column.Name)
		if target == nil || !visible || e.Column.Field == "" {
			continue
		}
		ref := Named(target.Type())
		if e.Array {
			ref = List(NonNull(ref))
		}
		if e.NonNull && c.Hidden == nil {
			ref = NonNull(ref)
		}
		fields = append(fields, Field{
			Name: e.Column.Field, Type: ref, Meaning: EmbeddedRows{e, target, c.Condition()}, doc: comment(e.Column),
		})
	}
	if t.NativeQuery == nil {
		return fields
	}
	for _, r := range t.NativeQuery.Related {
		target := t.role.Table(r.Target.Rows)
		if target == nil {
			continue
		}
		f := Field{
			Name: r.Name, Type: Named(target.Type()), Meaning: NativeRelation{r, target}, doc: words("An object relationship"),
			args: argsFunc(func() []Input { return target.nativeArguments(r.Target, r.Array) }),
		}
		if r.Array {
			f.Type, f.doc = target.listType(), words("An array relationship")
		}
		fields = append(fields, f)
	}
	return fields
}

// nativeArguments are the arguments of a field that a native query answers; rows adds those that select
// among several rows.
func (t *Table) nativeArguments(q *resolve.NativeQuery, rows bool) []Input {
	var inputs []Input
	if len(q.Args) > 0 {
		inputs = append(inputs, t.role.nativeInput(q))
	}
	if rows {
		inputs = append(inputs, t.rowArguments()...)
	}
	return inputs
}

// nativeInput is the argument `args`; it has to be given when one of its fields has to be.
func (r *Role) nativeInput(q *resolve.NativeQuery) Input {
	required := false
	for _, a := range q.Args {
		required = required || !a.Nullable
	}
	ref := Named(r.named(q.ArgsType, InputObject, "", func() content {
		inputs := make([]Input, len(q.Args))
		for i, a := range q.Args {
			of := r.valueType(a.Type, q.Source)
			if !a.Nullable {
				of = NonNull(of)
			}
			inputs[i] = Input{Name: a.Name, Description: text(a.Description), Type: of, Meaning: NativeArgument{a}}
		}
		return content{inputs: inputs}
	}))
	if required {
		ref = NonNull(ref)
	}
	return Input{Name: "args", Description: q.Meta.RootField + " arguments", Type: ref, Meaning: ArgNative}
}
