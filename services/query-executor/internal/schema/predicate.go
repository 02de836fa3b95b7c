package schema

import (
	"slices"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/resolve"
)

func takes(f *backend.Predicate, c *resolve.Column) bool {
	return c.Field != "" && f.Takes(c.Type)
}

// Predicate is one function of an aggregate predicate, and the type of what it is compared
// with.
type Predicate struct {
	Function string
	Operand  catalog.Type
	// Pair reports whether the arguments are an object of two columns, X and Y.
	Pair bool
}

func (*Predicate) inputMeaning() {}

// predicable reports whether rows can be filtered by aggregates of those of the table that are
// related to them.
func (t *Table) predicable() bool {
	return t.Permission.Aggregations && !t.role.options.HideAggregatePredicates && len(t.Source.Dialect.Tables().Predicates) > 0
}

// buildAggregatePredicates makes the input that filters by aggregates of related rows.
func (t *Table) buildAggregatePredicates() content {
	var inputs []Input
	functions := t.Source.Dialect.Tables().Predicates
	for i := range functions {
		f := &functions[i]
		p := Predicate{Function: f.Name, Operand: f.Operand, Pair: f.Pair}
		switch {
		case f.Takes == nil:
			var columns []Input
			if len(t.part(selectColumn).Values()) > 0 {
				of := List(NonNull(Named(t.part(selectColumn))))
				if t.Source.Dialect.Tables().CountOne {
					of = Named(t.part(selectColumn))
				}
				columns = []Input{{Name: "arguments", Type: of, Meaning: ArgArguments}}
			}
			inputs = append(inputs, t.predicate(p, columns))
		case slices.ContainsFunc(t.Permission.Columns, func(c resolve.SelectColumn) bool { return takes(f, c.Column) }):
			inputs = append(inputs, t.predicate(p, []Input{{Name: "arguments", Type: NonNull(Named(t.predicateArguments(f))), Meaning: ArgArguments}}))
		}
	}
	return content{inputs: inputs}
}

func (t *Table) predicate(p Predicate, arguments []Input) Input {
	of := newType(t.naming.plainTypeName(t.base, "aggregate_bool_exp_"+p.Function), InputObject, "", func() content {
		return content{inputs: append(slices.Clone(arguments),
			Input{Name: "distinct", Type: Named(t.role.scalar("Boolean")), Meaning: ArgDistinct},
			Input{Name: "filter", Type: Named(t.part(boolExp)), Meaning: ArgFilter},
			Input{
				Name: "predicate", Meaning: ArgPredicate,
				Type: NonNull(Named(t.role.comparison(t.Source, t.naming, p.Operand))),
			},
		)}
	})
	return Input{Name: p.Function, Type: Named(of), Meaning: &p}
}

func (t *Table) predicateArguments(f *backend.Predicate) *Type {
	name := "aggregate_bool_exp_" + f.Name + "_arguments_columns"
	columns := newType(t.naming.plainTypeName(t.base, "select_column_"+t.Name+"_"+name), Enum,
		`select "`+t.Name+"_"+name+`" columns of table `+t.display(), func() content {
			var values []Value
			t.columns(func(c *resolve.SelectColumn) {
				if takes(f, c.Column) {
					values = append(values, Value{Name: c.Column.Field, Description: "column name", Meaning: Column{c}})
				}
			})
			return content{values: values}
		})
	if !f.Pair {
		return columns
	}
	return newType(t.naming.plainTypeName(t.base, "aggregate_bool_exp_"+f.Name+"_arguments"), InputObject, "", func() content {
		return content{inputs: []Input{{Name: "X", Type: NonNull(Named(columns))}, {Name: "Y", Type: NonNull(Named(columns))}}}
	})
}
