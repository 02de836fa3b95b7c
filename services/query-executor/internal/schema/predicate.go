package schema

import (
	"slices"

	"queryengine/pkg/catalog"
	"queryengine/pkg/resolve"
)

// Types of the operands of aggregate predicates.
var (
	typeInt    = catalog.Type{Name: "int4", OID: 23}
	typeBool   = catalog.Type{Name: "bool", OID: 16}
	typeFloat8 = catalog.Type{Name: "float8", OID: 701}
)

// predicateFunction is a function of an aggregate predicate.
type predicateFunction struct {
	name string
	// of is the type of the columns that it takes, and of what it is compared with.
	of catalog.Type
	// pair reports whether it takes two columns, as X and Y.
	pair bool
}

var predicateFunctions = [...]predicateFunction{
	{"avg", typeFloat8, false},
	{"bool_and", typeBool, false},
	{"bool_or", typeBool, false},
	{"corr", typeFloat8, true},
	{"covar_samp", typeFloat8, true},
	{"max", typeFloat8, false},
	{"min", typeFloat8, false},
	{"stddev_samp", typeFloat8, false},
	{"sum", typeFloat8, false},
	{"var_samp", typeFloat8, false},
}

func (f predicateFunction) takes(c *resolve.Column) bool {
	return c.Field != "" && c.Type.Name == f.of.Name && !c.Type.IsArray()
}

// Predicate is one function of an aggregate predicate, and the type of what it is compared
// with.
type Predicate struct {
	Function string
	Operand  catalog.Type
	// Pair reports whether the arguments are an object of two columns, X and Y.
	Pair bool
}

// buildAggregatePredicates makes the input that filters by aggregates of related rows.
func (t *Table) buildAggregatePredicates() content {
	count := Predicate{Function: "count", Operand: typeInt}
	var columns []Input
	if len(t.part(selectColumn).Values()) > 0 {
		columns = []Input{{Name: "arguments", Type: List(NonNull(Named(t.part(selectColumn)))), Means: ArgArguments}}
	}
	inputs := []Input{t.predicate(count, columns)}
	for _, f := range predicateFunctions {
		if slices.ContainsFunc(t.Permission.Columns, func(c resolve.SelectColumn) bool { return f.takes(c.Column) }) {
			p := Predicate{Function: f.name, Operand: f.of, Pair: f.pair}
			inputs = append(inputs, t.predicate(p, []Input{{Name: "arguments", Type: NonNull(Named(t.predicateArguments(f))), Means: ArgArguments}}))
		}
	}
	return content{inputs: inputs}
}

func (t *Table) predicate(p Predicate, arguments []Input) Input {
	of := newType(t.naming.plainTypeName(t.base, "aggregate_bool_exp_"+p.Function), InputObject, "", func() content {
		return content{inputs: append(slices.Clone(arguments),
			Input{Name: "distinct", Type: Named(t.role.scalar("Boolean")), Means: ArgDistinct},
			Input{Name: "filter", Type: Named(t.part(boolExp)), Means: ArgFilter},
			Input{
				Name: "predicate", Means: ArgPredicate,
				Type: NonNull(Named(t.role.comparison(t.Source, t.naming, p.Operand))),
			},
		)}
	})
	return Input{Name: p.Function, Type: Named(of), Means: &p}
}

func (t *Table) predicateArguments(f predicateFunction) *Type {
	name := "aggregate_bool_exp_" + f.name + "_arguments_columns"
	columns := newType(t.naming.plainTypeName(t.base, "select_column_"+t.Name+"_"+name), Enum,
		`select "`+t.Name+"_"+name+`" columns of table `+t.display(), func() content {
			var values []Value
			t.columns(func(c *resolve.SelectColumn) {
				if f.takes(c.Column) {
					values = append(values, Value{Name: c.Column.Field, Description: "column name", Means: c})
				}
			})
			return content{values: values}
		})
	if !f.pair {
		return columns
	}
	return newType(t.naming.plainTypeName(t.base, "aggregate_bool_exp_"+f.name+"_arguments"), InputObject, "", func() content {
		return content{inputs: []Input{{Name: "X", Type: NonNull(Named(columns))}, {Name: "Y", Type: NonNull(Named(columns))}}}
	})
}
