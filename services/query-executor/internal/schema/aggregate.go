package schema

import (
	"queryengine/pkg/backend"
	"queryengine/pkg/resolve"
)

// buildAggregate makes the type with `aggregate` and `nodes`.
func (t *Table) buildAggregate() content {
	fields := []Field{{Name: "aggregate", Type: Named(t.part(aggregateFields)), Meaning: AggregateFields{}}}
	if len(t.part(object).Fields()) > 0 {
		fields = append(fields, Field{Name: "nodes", Type: NonNull(List(NonNull(Named(t.part(object))))), Meaning: Nodes{t}})
	}
	return content{fields: fields}
}

func (t *Table) buildAggregateFields() content {
	count := Field{Name: "count", Type: NonNull(Named(t.role.scalar("Int"))), Meaning: Count{}}
	if len(t.part(selectColumn).Values()) > 0 {
		columns := Input{Name: "columns", Type: List(NonNull(Named(t.part(selectColumn)))), Meaning: ArgColumns}
		if t.Source.Dialect.Tables().CountOne {
			columns = Input{Name: "column", Type: Named(t.part(selectColumn)), Meaning: ArgColumns}
		}
		count.args = list{
			columns,
			{Name: "distinct", Type: Named(t.role.scalar("Boolean")), Meaning: ArgDistinct},
		}
	}
	fields := []Field{count}
	for i := range t.Source.Dialect.Tables().Aggregates {
		f := &t.Source.Dialect.Tables().Aggregates[i]
		if !t.hasAggregable(f, true) {
			continue
		}
		of := t.typeOf(f.Name+"_fields", Object, "aggregate "+f.Name+" on columns",
			func() content { return t.buildFunctionFields(f) })
		fields = append(fields, Field{Name: t.naming.field(f.Name), Type: Named(of), Meaning: AggregateFunction{f.Name}})
	}
	return content{fields: fields}
}

// buildFunctionFields makes the type with the columns of one function.
func (t *Table) buildFunctionFields(f *backend.Aggregate) content {
	var fields []Field
	result := func(of Ref) Ref {
		if f.Float {
			return Named(t.role.scalar("Float"))
		}
		return of
	}
	t.aggregable(f, true, func(c *resolve.SelectColumn) {
		fields = append(fields, Field{
			Name: c.Column.Field, Type: result(t.columnType(c.Column)), Meaning: Column{c}, doc: comment(c.Column),
		})
	}, func(c *resolve.SelectComputedField) {
		fields = append(fields, Field{
			Name: c.Field.Name, Type: result(t.computedType(c.Field)), Meaning: Computed{c}, doc: (*note)(&c.Field.Description),
			args: list(t.computedArguments(c.Field)),
		})
	})
	return content{fields: fields}
}

// buildAggregateOrderBy makes the input that orders by aggregates of related rows.
func (t *Table) buildAggregateOrderBy() content {
	order := Named(t.role.order(t.Source, t.naming))
	inputs := []Input{{Name: "count", Type: order, Meaning: Count{}}}
	for i := range t.Source.Dialect.Tables().Aggregates {
		f := &t.Source.Dialect.Tables().Aggregates[i]
		if !t.hasAggregable(f, false) {
			continue
		}
		of := t.typeOf(f.Name+"_order_by", InputObject, "order by "+f.Name+"() on columns of table "+t.display(),
			func() content { return t.buildFunctionOrderBy(f, order) })
		inputs = append(inputs, Input{Name: t.naming.field(f.Name), Type: Named(of), Meaning: AggregateFunction{f.Name}})
	}
	return content{inputs: inputs}
}

func (t *Table) buildFunctionOrderBy(f *backend.Aggregate, order Ref) content {
	var inputs []Input
	t.aggregable(f, false, func(c *resolve.SelectColumn) {
		inputs = append(inputs, Input{Name: c.Column.Field, Description: text(c.Column.Description), Type: order, Meaning: Column{c}})
	}, func(c *resolve.SelectComputedField) {
		inputs = append(inputs, Input{Name: c.Field.Name, Description: c.Field.Description, Type: order, Meaning: Computed{c}})
	})
	return content{inputs: inputs}
}

// aggregable calls one of its functions for each column and computed field that f takes; args
// reports whether clients can give arguments of computed fields.
func (t *Table) aggregable(f *backend.Aggregate, args bool, column func(*resolve.SelectColumn), computed func(*resolve.SelectComputedField)) {
	t.columns(func(c *resolve.SelectColumn) {
		if c.Column.Enum == nil && f.Takes(c.Column.Type, c.Column.Scalar) {
			column(c)
		}
	})
	t.scalars(func(c *resolve.SelectComputedField) {
		if (args || len(c.Field.Args) == 0) && f.Takes(c.Field.Type, c.Field.Scalar) {
			computed(c)
		}
	})
}

func (t *Table) hasAggregable(f *backend.Aggregate, args bool) bool {
	found := false
	t.aggregable(f, args, func(*resolve.SelectColumn) { found = true }, func(*resolve.SelectComputedField) { found = true })
	return found
}
