package schema

import (
	"queryengine/pkg/backend"
	"queryengine/pkg/resolve"
)

// aggregateFunction is a function over one column, and which columns it takes.
type aggregateFunction struct {
	name  string
	takes func(backend.Scalar) bool
	// float reports whether the result is Float, whatever the column is.
	float bool
}

func numeric(s backend.Scalar) bool    { return s.Numeric }
func comparable(s backend.Scalar) bool { return s.Comparable }

var aggregateFunctions = [...]aggregateFunction{
	{"avg", numeric, true},
	{"max", comparable, false},
	{"min", comparable, false},
	{"stddev", numeric, true},
	{"stddev_pop", numeric, true},
	{"stddev_samp", numeric, true},
	{"sum", numeric, false},
	{"var_pop", numeric, true},
	{"var_samp", numeric, true},
	{"variance", numeric, true},
}

// buildAggregate makes the type with `aggregate` and `nodes`.
func (t *Table) buildAggregate() content {
	fields := []Field{{Name: "aggregate", Type: Named(t.part(aggregateFields)), Means: AggregateFields{}}}
	if len(t.part(object).Fields()) > 0 {
		fields = append(fields, Field{Name: "nodes", Type: NonNull(List(NonNull(Named(t.part(object))))), Means: Nodes{t}})
	}
	return content{fields: fields}
}

func (t *Table) buildAggregateFields() content {
	count := Field{Name: "count", Type: NonNull(Named(t.role.scalar("Int"))), Means: Count{}}
	if len(t.part(selectColumn).Values()) > 0 {
		count.args = list{
			{Name: "columns", Type: List(NonNull(Named(t.part(selectColumn)))), Means: ArgColumns},
			{Name: "distinct", Type: Named(t.role.scalar("Boolean")), Means: ArgDistinct},
		}
	}
	fields := []Field{count}
	for _, f := range aggregateFunctions {
		if !t.hasAggregable(f, true) {
			continue
		}
		of := t.typeOf(f.name+"_fields", Object, "aggregate "+f.name+" on columns",
			func() content { return t.buildFunctionFields(f) })
		fields = append(fields, Field{Name: t.naming.field(f.name), Type: Named(of), Means: AggregateFunction{f.name}})
	}
	return content{fields: fields}
}

// buildFunctionFields makes the type with the columns of one function.
func (t *Table) buildFunctionFields(f aggregateFunction) content {
	var fields []Field
	result := func(of Ref) Ref {
		if f.float {
			return Named(t.role.scalar("Float"))
		}
		return of
	}
	t.aggregable(f, true, func(c *resolve.SelectColumn) {
		fields = append(fields, Field{
			Name: c.Column.Field, Type: result(t.columnType(c.Column)), Means: c, doc: comment(c.Column),
		})
	}, func(c *resolve.SelectComputedField) {
		fields = append(fields, Field{
			Name: c.Field.Name, Type: result(t.computedType(c.Field)), Means: c, doc: (*note)(&c.Field.Description),
			args: list(t.computedArguments(c.Field)),
		})
	})
	return content{fields: fields}
}

// buildAggregateOrderBy makes the input that orders by aggregates of related rows.
func (t *Table) buildAggregateOrderBy() content {
	order := Named(t.role.order(t.naming))
	inputs := []Input{{Name: "count", Type: order, Means: Count{}}}
	for _, f := range aggregateFunctions {
		if !t.hasAggregable(f, false) {
			continue
		}
		of := t.typeOf(f.name+"_order_by", InputObject, "order by "+f.name+"() on columns of table "+t.display(),
			func() content { return t.buildFunctionOrderBy(f, order) })
		inputs = append(inputs, Input{Name: t.naming.field(f.name), Type: Named(of), Means: AggregateFunction{f.name}})
	}
	return content{inputs: inputs}
}

func (t *Table) buildFunctionOrderBy(f aggregateFunction, order Ref) content {
	var inputs []Input
	t.aggregable(f, false, func(c *resolve.SelectColumn) {
		inputs = append(inputs, Input{Name: c.Column.Field, Description: text(c.Column.Description), Type: order, Means: c})
	}, func(c *resolve.SelectComputedField) {
		inputs = append(inputs, Input{Name: c.Field.Name, Description: c.Field.Description, Type: order, Means: c})
	})
	return content{inputs: inputs}
}

// aggregable calls one of its functions for each column and computed field that f takes; args reports
// whether clients can give arguments of computed fields.
func (t *Table) aggregable(f aggregateFunction, args bool, column func(*resolve.SelectColumn), computed func(*resolve.SelectComputedField)) {
	t.columns(func(c *resolve.SelectColumn) {
		if c.Column.Enum == nil && takes(f, c.Column.Type.IsArray(), c.Column.Scalar) {
			column(c)
		}
	})
	t.scalars(func(c *resolve.SelectComputedField) {
		if (args || len(c.Field.Args) == 0) && takes(f, c.Field.Type.IsArray(), c.Field.Scalar) {
			computed(c)
		}
	})
}

func (t *Table) hasAggregable(f aggregateFunction, args bool) bool {
	found := false
	t.aggregable(f, args, func(*resolve.SelectColumn) { found = true }, func(*resolve.SelectComputedField) { found = true })
	return found
}

// takes reports whether f takes a type. An array is comparable and never a number.
func takes(f aggregateFunction, array bool, s backend.Scalar) bool {
	if array {
		return !f.float && f.name != "sum"
	}
	return f.takes(s)
}
