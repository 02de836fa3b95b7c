package oracle

import (
	"fmt"
	"strings"
)

// Query is a random query: one root field.
type Query struct {
	Operation
	Role  string
	model *Model
	root  field
}

// field is one field of a selection set, the root field included.
type field struct {
	alias, name string
	kind        fieldKind
	column      *Column
	computed    *Computed
	relation    *Relation
	function    *Function
	// n is the argument of a function, id that of a root field by key, in the tenant n.
	n, id float64
	given bool // n is spelt
	path  string
	rows  rows
	// values are the computed values of an aggregate; nodes reports whether its rows are wanted, too.
	values []aggregateValue
	nodes  bool
	// keys are what rows are grouped by, having filters groups; nil for all.
	keys   []*Column
	having *groupCondition
}

type fieldKind int

const (
	typenameField fieldKind = iota
	columnField
	computedField
	oneField
	listField
	computedRowsField
	byKeyField
	aggregateField
	functionField
	functionAggregateField
	groupsField
)

// rows selects rows of a table, and fields of them.
type rows struct {
	table         *Table
	where         expression // nil for all
	order         []ordering
	distinct      []*Column
	limit, offset int // -1 for none
	fields        []field
}

// ordering is one key of an order: through relationships to a column, a computed field, or an
// aggregate of related rows.
type ordering struct {
	path     []*Relation
	column   *Column
	computed *Computed
	// part is that of column, without a kind for none.
	part part
	// function is an aggregate of column over the rows of relation or of computed.
	function   string
	relation   *Relation
	desc       bool
	nullsFirst bool
	spelt      string
}

// aggregateValue is one key below aggregate.
type aggregateValue struct {
	alias, function string
	distinct        bool
	columns         []*Column
}

// text spells a field and what it selects.
func (w *writer) field(f *field) string {
	args := w.arguments(f)
	text := f.alias + ": " + f.name
	if len(args) > 0 {
		text += "(" + strings.Join(args, ", ") + ")"
	}
	switch {
	case f.kind == groupsField:
		return text + " " + w.groups(f)
	case f.kind == aggregateField || f.kind == functionAggregateField:
		return text + " " + w.aggregate(f)
	case f.rows.table != nil:
		return text + " " + w.fields(f.rows.fields)
	}
	return text
}

func (w *writer) fields(list []field) string {
	var items []string
	for i := range list {
		items = append(items, w.field(&list[i]))
	}
	return "{ " + strings.Join(items, " ") + " }"
}

func (w *writer) aggregate(f *field) string {
	text := "{ " + w.aggregateValues(f)
	if f.nodes {
		text += " nodes " + w.fields(f.rows.fields)
	}
	return text + " }"
}

func (w *writer) aggregateValues(f *field) string {
	var items []string
	for _, v := range f.values {
		if v.function == "count" {
			items = append(items, v.alias+": count"+countArguments(v, w.dialect.countsOne))
			continue
		}
		var columns []string
		for _, c := range v.columns {
			columns = append(columns, c.Field)
		}
		items = append(items, v.alias+": "+v.function+" { "+strings.Join(columns, " ")+" }")
	}
	return "aggregate { " + strings.Join(items, " ") + " }"
}

func countArguments(v aggregateValue, one bool) string {
	if len(v.columns) == 0 {
		return ""
	}
	if one {
		return fmt.Sprintf("(column: %s, distinct: %t)", v.columns[0].Field, v.distinct)
	}
	var columns []string
	for _, c := range v.columns {
		columns = append(columns, c.Field)
	}
	return fmt.Sprintf("(columns: [%s], distinct: %t)", strings.Join(columns, ", "), v.distinct)
}

// arguments spells the arguments of a field.
func (w *writer) arguments(f *field) []string {
	var args []string
	add := func(name string, v any) { args = append(args, name+": "+w.value(v)) }
	switch {
	case f.kind == byKeyField:
		add(f.rows.table.id().Field, typed{"Int!", f.id})
		if w.dialect.tenants {
			add(f.rows.table.Columns[1].Field, typed{"Int!", f.n})
		}
	case f.given:
		add("args", object{{"n", typed{"Int", f.n}}})
	case f.path != "":
		add("path", f.path)
	}
	if f.rows.table == nil || f.kind == oneField || f.kind == byKeyField {
		return args
	}
	if f.rows.where != nil {
		add("where", typed{f.rows.table.Name + "_bool_exp", condition(f.rows.where)})
	}
	if f.kind == groupsField {
		w.groupArguments(f, add)
	} else if len(f.rows.order) > 0 {
		items := []any{}
		for _, o := range f.rows.order {
			items = append(items, o.spell())
		}
		add("order_by", items)
	}
	if len(f.rows.distinct) > 0 {
		columns := []any{}
		for _, c := range f.rows.distinct {
			columns = append(columns, name(c.Field))
		}
		add("distinct_on", columns)
	}
	if f.rows.limit >= 0 {
		add("limit", typed{"Int", f.rows.limit})
	}
	if f.rows.offset >= 0 {
		add("offset", typed{"Int", f.rows.offset})
	}
	return args
}

func (o *ordering) spell() any {
	var v any = name(o.spelt)
	switch {
	case o.function == "count":
		v = object{{"count", v}}
	case o.function != "":
		v = object{{o.function, object{{o.column.Field, v}}}}
	}
	switch {
	case o.relation != nil:
		v = object{{o.relation.Name + "_aggregate", v}}
	case o.computed != nil && o.function != "":
		v = object{{o.computed.Name + "_aggregate", v}}
	case o.computed != nil:
		v = object{{o.computed.Name, v}}
	case o.part.kind != "":
		v = object{{"_at", object{{o.column.Field, object{{"path", o.part.path}, {o.part.kind, v}}}}}}
	default:
		v = object{{o.column.Field, v}}
	}
	for i := len(o.path) - 1; i >= 0; i-- {
		v = object{{o.path[i].Name, v}}
	}
	return v
}
