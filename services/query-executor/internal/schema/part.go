package schema

// part is one of the types that a table owns.
type part uint8

const (
	object part = iota
	aggregate
	aggregateFields
	boolExp
	orderBy
	aggregateOrderBy
	selectColumn
	aggregatePredicates
	connection
	edge
	parts // their number
)

// Parts that tables of few sources have.
const (
	jsonPathOrderBy = parts + 1 + iota
	groups
	groupKey
	groupKeyOrderBy
	groupsOrderBy
	groupsBoolExp
)

// part is a type that the table owns.
func (t *Table) part(p part) *Type {
	t.role.mu.Lock()
	defer t.role.mu.Unlock()
	known := t.rare[p]
	if p < parts {
		known = t.own[p]
	}
	if known != nil {
		return known
	}
	made := &Type{Name: t.partName(p), Kind: p.kind(), definition: tablePart{t, p}}
	switch {
	case p < parts:
		t.own[p] = made
	case t.rare == nil:
		t.rare = map[part]*Type{p: made}
	default:
		t.rare[p] = made
	}
	return made
}

func (p part) kind() Kind {
	switch p {
	case object, aggregate, aggregateFields, groups, groupKey, connection, edge:
		return Object
	case selectColumn:
		return Enum
	}
	return InputObject
}

func (t *Table) partName(p part) string {
	switch p {
	case aggregate:
		return t.naming.typeName(t.base, "aggregate")
	case aggregateFields:
		return t.naming.typeName(t.base, "aggregate_fields")
	case boolExp:
		return t.naming.typeName(t.base, "bool_exp")
	case orderBy:
		return t.naming.typeName(t.base, "order_by")
	case aggregateOrderBy:
		return t.naming.typeName(t.base, "aggregate_order_by")
	case selectColumn:
		return t.naming.typeName(t.base, "select_column")
	case aggregatePredicates:
		return t.naming.plainTypeName(t.base, "aggregate_bool_exp")
	case jsonPathOrderBy:
		return t.naming.typeName(t.base, "json_path_order_by")
	case groups:
		return t.naming.typeName(t.base, "groups")
	case groupKey:
		return t.naming.typeName(t.base, "group_key")
	case groupKeyOrderBy:
		return t.naming.typeName(t.base, "group_key_order_by")
	case groupsOrderBy:
		return t.naming.typeName(t.base, "groups_order_by")
	case groupsBoolExp:
		return t.naming.typeName(t.base, "groups_bool_exp")
	case connection:
		return t.naming.relayName(t.base, "Connection")
	case edge:
		return t.naming.relayName(t.base, "Edge")
	}
	return t.naming.typeName(t.base, "")
}

// tablePart is the definition of a part of a table.
type tablePart struct {
	*Table
	is part
}

func (t tablePart) describe() string {
	switch t.is {
	case aggregate:
		return "aggregated selection of " + t.display()
	case aggregateFields:
		return "aggregate fields of " + t.display()
	case boolExp:
		return "Boolean expression to filter rows from the " + t.relation() + " " + t.display() + ". All fields are combined with a logical 'AND'."
	case orderBy:
		return "Ordering options when selecting data from " + t.display() + "."
	case aggregateOrderBy:
		return "order by aggregate values of table " + t.display()
	case selectColumn:
		return "select columns of " + t.relation() + " " + t.display()
	case aggregatePredicates, edge:
		return ""
	case groups:
		return "group of rows of " + t.display()
	case groupKey:
		return "what rows of a group of " + t.display() + " have in common"
	case groupKeyOrderBy, groupsOrderBy:
		return "order groups of " + t.display()
	case groupsBoolExp:
		return "filter groups of " + t.display()
	case jsonPathOrderBy:
		return "order by parts of the JSON columns of " + t.display()
	case connection:
		return "A Relay connection object on " + t.display()
	}
	return text(t.Description)
}

func (t tablePart) build() content {
	switch t.is {
	case aggregate:
		return t.buildAggregate()
	case aggregateFields:
		return t.buildAggregateFields()
	case boolExp:
		return t.buildBoolExp()
	case orderBy:
		return t.buildOrderBy()
	case aggregateOrderBy:
		return t.buildAggregateOrderBy()
	case selectColumn:
		return t.buildSelectColumn()
	case aggregatePredicates:
		return t.buildAggregatePredicates()
	case jsonPathOrderBy:
		return t.buildJSONOrder()
	case groups:
		return t.buildGroups()
	case groupKey:
		return t.buildGroupKey()
	case groupKeyOrderBy:
		return t.buildGroupKeyOrderBy()
	case groupsOrderBy:
		return t.buildGroupsOrderBy()
	case groupsBoolExp:
		return t.buildGroupsBoolExp()
	case connection:
		return t.buildConnection()
	case edge:
		return t.buildEdge()
	}
	return t.buildObject()
}
