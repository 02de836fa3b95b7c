package schema

import (
	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/resolve"
)

// Groups of rows, in the schemas of sources with the setting groups.
type (
	// Grouped is a root field that groups the rows of a table.
	Grouped struct{ Table *Table }
	// GroupKey is the field with what the rows of a group have in common, and the ordering by it.
	GroupKey struct{}
	// AggregatedColumn is a condition on the aggregate of a column; Type is that of the aggregate.
	AggregatedColumn struct {
		*resolve.SelectColumn
		Type catalog.Type
	}
)

func (Grouped) fieldMeaning()          {}
func (GroupKey) fieldMeaning()         {}
func (GroupKey) inputMeaning()         {}
func (AggregatedColumn) inputMeaning() {}

// The arguments of groups.
const (
	ArgKeys       Argument = "keys"
	ArgHaving     Argument = "having"
	ArgGroupOrder Argument = "order of groups"
)

func (t *Table) groupArguments() []Input {
	number := Named(t.role.scalar("Int"))
	return []Input{
		{Name: "keys", Description: "columns whose values the rows of a group have in common", Type: NonNull(List(NonNull(Named(t.part(selectColumn))))), Meaning: ArgKeys},
		{Name: "where", Description: "filter the rows that are grouped", Type: Named(t.part(boolExp)), Meaning: ArgWhere},
		{Name: "having", Description: "filter the groups", Type: Named(t.part(groupsBoolExp)), Meaning: ArgHaving},
		{Name: t.naming.field("order_by"), Description: "sort the groups", Type: List(NonNull(Named(t.part(groupsOrderBy)))), Meaning: ArgGroupOrder},
		{Name: "limit", Description: "limit the number of groups returned", Type: number, Meaning: ArgLimit},
		{Name: "offset", Description: "skip the first n groups. Use only with order_by", Type: number, Meaning: ArgOffset},
	}
}

func (t *Table) buildGroups() content {
	return content{fields: []Field{
		{Name: "aggregate", Type: NonNull(Named(t.part(aggregateFields))), Meaning: AggregateFields{}},
		{Name: "key", Type: NonNull(Named(t.part(groupKey))), Meaning: GroupKey{}},
	}}
}

func (t *Table) buildGroupKey() content {
	var fields []Field
	t.columns(func(c *resolve.SelectColumn) {
		fields = append(fields, Field{Name: c.Column.Field, Type: t.columnType(c.Column), Meaning: Column{c}, doc: comment(c.Column)})
	})
	return content{fields: fields}
}

func (t *Table) buildGroupKeyOrderBy() content {
	order := Named(t.role.order(t.Source, t.naming))
	var inputs []Input
	t.columns(func(c *resolve.SelectColumn) {
		inputs = append(inputs, Input{Name: c.Column.Field, Description: text(c.Column.Description), Type: order, Meaning: Column{c}})
	})
	return content{inputs: inputs}
}

func (t *Table) buildGroupsOrderBy() content {
	key := Input{Name: "key", Type: Named(t.part(groupKeyOrderBy)), Meaning: GroupKey{}}
	return content{inputs: append(t.buildAggregateOrderBy().inputs, key)}
}

func (t *Table) buildGroupsBoolExp() content {
	self := Named(t.part(groupsBoolExp))
	inputs := []Input{
		{Name: "_and", Type: List(NonNull(self)), Meaning: And{}},
		{Name: "_not", Type: self, Meaning: Not{}},
		{Name: "_or", Type: List(NonNull(self)), Meaning: Or{}},
		{Name: "count", Type: Named(t.role.comparison(t.Source, t.naming, t.Source.Dialect.Builtin(backend.TypeInt))), Meaning: Count{}},
	}
	for i := range t.Source.Dialect.Tables().Aggregates {
		f := &t.Source.Dialect.Tables().Aggregates[i]
		if !t.hasAggregable(f, false) {
			continue
		}
		of := t.typeOf(f.Name+"_bool_exp", InputObject, "filter groups by "+f.Name+"() on columns of table "+t.display(), func() content {
			var inputs []Input
			t.aggregable(f, false, func(c *resolve.SelectColumn) {
				of := c.Column.Type
				if f.Result != nil {
					of = f.Result(of)
				}
				inputs = append(inputs, Input{
					Name: c.Column.Field, Description: text(c.Column.Description),
					Type: Named(t.role.comparison(t.Source, t.naming, of)), Meaning: AggregatedColumn{c, of},
				})
			}, func(*resolve.SelectComputedField) {})
			return content{inputs: t.role.orPlaceholder(inputs)}
		})
		inputs = append(inputs, Input{Name: t.naming.field(f.Name), Type: Named(of), Meaning: AggregateFunction{f.Name}})
	}
	return content{inputs: inputs}
}
