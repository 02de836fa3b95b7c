package schema

import (
	"slices"
	"strings"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
	"queryengine/pkg/resolve"
)

// buildBoolExp makes the condition on rows.
func (t *Table) buildBoolExp() content {
	self := Named(t.part(boolExp))
	inputs := append(make([]Input, 0, 3+t.members(2)),
		Input{Name: "_and", Type: List(NonNull(self)), Meaning: And{}},
		Input{Name: "_not", Type: self, Meaning: Not{}},
		Input{Name: "_or", Type: List(NonNull(self)), Meaning: Or{}},
	)
	t.columns(func(c *resolve.SelectColumn) {
		inputs = append(inputs, Input{
			Name: c.Column.Field, Description: text(c.Column.Description),
			Type: Named(t.columnComparison(c.Column)), Meaning: Column{c},
		})
	})
	t.scalars(func(c *resolve.SelectComputedField) {
		if len(c.Field.Args) == 0 {
			inputs = append(inputs, Input{
				Name: c.Field.Name, Description: c.Field.Description,
				Type: Named(t.role.comparison(t.Source, t.naming, c.Field.Type)), Meaning: Computed{c},
			})
		}
	})
	for _, r := range t.Relations() {
		inputs = append(inputs, Input{Name: r.Name, Type: Named(r.Target.part(boolExp)), Meaning: r})
		if r.Array && r.Target.predicable() {
			inputs = append(inputs, Input{
				Name: t.naming.aggregateOf(r.Name), Type: Named(r.Target.part(aggregatePredicates)), Meaning: &RelationAggregate{r},
			})
		}
	}
	for _, c := range t.Computed() {
		if len(c.Args) == 0 {
			inputs = append(inputs, Input{Name: c.Name, Description: c.Description, Type: Named(c.Target.part(boolExp)), Meaning: c})
		}
	}
	return content{inputs: inputs}
}

// buildOrderBy makes the ordering of rows.
func (t *Table) buildOrderBy() content {
	order := Named(t.role.order(t.Source, t.naming))
	inputs := make([]Input, 0, t.members(1))
	t.columns(func(c *resolve.SelectColumn) {
		inputs = append(inputs, Input{Name: c.Column.Field, Description: text(c.Column.Description), Type: order, Meaning: Column{c}})
	})
	t.scalars(func(c *resolve.SelectComputedField) {
		if len(c.Field.Args) == 0 {
			inputs = append(inputs, Input{Name: c.Field.Name, Description: c.Field.Description, Type: order, Meaning: Computed{c}})
		}
	})
	for _, r := range t.Relations() {
		if r.Array {
			inputs = append(inputs, Input{
				Name: t.naming.aggregateOf(r.Name), Type: Named(r.Target.part(aggregateOrderBy)), Meaning: &RelationAggregate{r},
			})
			continue
		}
		inputs = append(inputs, Input{Name: r.Name, Type: Named(r.Target.part(orderBy)), Meaning: r})
	}
	for _, c := range t.Computed() {
		if len(c.Args) == 0 {
			inputs = append(inputs, Input{
				Name: t.naming.aggregateOf(c.Name), Description: c.Description,
				Type: Named(c.Target.part(aggregateOrderBy)), Meaning: &ComputedAggregate{c},
			})
		}
	}
	return content{inputs: t.role.orPlaceholder(append(inputs, t.jsonOrder(order)...))}
}

// columnComparison is the comparison of a column.
func (t *Table) columnComparison(c *resolve.Column) *Type {
	if c.Enum != nil {
		return t.role.enumComparison(t.Source, t.naming, c)
	}
	return t.role.comparison(t.Source, t.naming, c.Type)
}

// comparison is the comparison of values of a type. Types that share a scalar share it, within
// the sources whose operators are the same; the operators' operands are then parsed for the type
// of the column that is compared.
func (r *Role) comparison(s *resolve.Source, n naming, t catalog.Type) *Type {
	scalar := r.scalarName(t, s)
	suffix := s.Dialect.Tables().TypeSuffix
	name := scalar + suffix + "_comparison_exp"
	if t.IsArray() && !r.options.ArrayScalars {
		name = scalar + suffix + "_array_comparison_exp"
	}
	name = n.shared(name)
	if known := r.known(name); known != nil {
		return known
	}
	description := `Boolean expression to compare columns of type "` + scalar + `". All fields are combined with logical 'AND'.`
	return r.named(name, InputObject, description, func() content {
		inputs := r.operators(s, n, r.valueType(t, s), s.Dialect.Operators(t))
		inputs = append(inputs, Input{Name: n.field("_is_null"), Type: Named(r.scalar("Boolean")), Meaning: IsNull{}})
		inputs = append(inputs, r.jsonConditions(s, n, t)...)
		if cast := r.castType(s, n, t, scalar); cast != nil {
			inputs = append(inputs, Input{Name: "_cast", Type: Named(cast), Meaning: Cast{}})
		}
		return content{inputs: inputs}
	})
}

func (r *Role) castType(s *resolve.Source, n naming, t catalog.Type, scalar string) *Type {
	var inputs []Input
	for _, target := range s.Dialect.Tables().Casts {
		if to, ok := s.Dialect.CanCast(t, target); ok {
			inputs = append(inputs, Input{Name: target, Type: Named(r.comparison(s, n, to)), Meaning: CastTo{to}})
		}
	}
	if len(inputs) == 0 {
		return nil
	}
	return r.named(n.shared(scalar+s.Dialect.Tables().TypeSuffix+"_cast_exp"), InputObject, "", func() content { return content{inputs: inputs} })
}

// operators are the inputs of a comparison; value is the type of what is compared.
func (r *Role) operators(s *resolve.Source, n naming, value Ref, list []*backend.Operator) []Input {
	inputs := make([]Input, 0, len(list)+2)
	for _, o := range list {
		inputs = append(inputs, Input{Name: n.field(string(o.Op)), Type: r.operandType(s, value, o), Meaning: Operator{o}})
	}
	return inputs
}

func (r *Role) operandType(s *resolve.Source, value Ref, o *backend.Operator) Ref {
	switch o.Operand {
	case backend.OperandList:
		return List(NonNull(value))
	case backend.OperandText:
		return Named(r.scalar("String"))
	case backend.OperandTextList:
		return List(NonNull(Named(r.scalar("String"))))
	case backend.OperandType:
		return r.valueType(o.Type, s)
	case backend.OperandObject:
		return Named(r.named(o.Object, InputObject, "", func() content { return content{inputs: r.operandFields(s, o)} }))
	}
	return value
}

func (r *Role) operandFields(s *resolve.Source, o *backend.Operator) []Input {
	var inputs []Input
	for i := range o.ObjectFields {
		f := &o.ObjectFields[i]
		ref := r.valueType(f.Type, s)
		if f.Scalar != "" {
			ref = Named(r.scalar(f.Scalar))
		}
		if f.Required {
			ref = NonNull(ref)
		}
		inputs = append(inputs, Input{Name: f.Name, Type: ref, Default: f.Default, Meaning: OperandField{f}})
	}
	return inputs
}

// enum is the type of an enum table's values.
func (r *Role) enum(n naming, e *resolve.Enum) *Type {
	return r.named(n.typeName(base{name: e.Name}, "enum"), Enum, "", func() content {
		values := make([]Value, 0, len(e.EnumValues))
		for _, v := range e.EnumValues {
			values = append(values, Value{Name: n.value(v.Value), Description: v.Comment, Meaning: EnumValue{v.Value}})
		}
		slices.SortFunc(values, func(a, b Value) int { return strings.Compare(a.Name, b.Name) })
		return content{values: values}
	})
}

// enumComparison is the comparison of a column that refers to an enum table.
func (r *Role) enumComparison(s *resolve.Source, n naming, c *resolve.Column) *Type {
	of := r.enum(n, c.Enum)
	description := `Boolean expression to compare columns of type "` + of.Name + `". All fields are combined with logical 'AND'.`
	return r.named(n.extended(of.Name, "comparison_exp"), InputObject, description, func() content {
		operators := slices.DeleteFunc(slices.Clone(s.Dialect.Operators(c.Type)), func(o *backend.Operator) bool {
			return o.Op != ir.OpEq && o.Op != ir.OpNeq && o.Op != ir.OpIn && o.Op != ir.OpNin
		})
		inputs := r.operators(s, n, Named(of), operators)
		return content{inputs: append(inputs, Input{Name: n.field("_is_null"), Type: Named(r.scalar("Boolean")), Meaning: IsNull{}})}
	})
}

// order is the enum of directions.
func (r *Role) order(s *resolve.Source, n naming) *Type {
	tables := s.Dialect.Tables()
	return r.named(n.shared("order_by"+tables.TypeSuffix), Enum, "column ordering options", func() content {
		values := make([]Value, len(tables.Ordering))
		for i, o := range tables.Ordering {
			values[i] = Value{
				Name: n.value(o.Name), Description: o.Description, Meaning: Order{Desc: o.Desc, NullsFirst: o.NullsFirst},
			}
		}
		return content{values: values}
	})
}
