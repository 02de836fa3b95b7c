package postgres

import "queryengine/pkg/catalog"

// extensionEquality is where a catalog lists user-defined an operator = or an implicit cast between
// types of PostgreSQL: dialects are made from the catalog alone.
const extensionEquality = "own_equality"

const equalitySQL = `SELECT '` + extensionEquality + `', '1' WHERE
	EXISTS (SELECT FROM pg_catalog.pg_operator
		WHERE oid >= 16384 AND oprname = '=' AND oprleft < 16384 AND oprright < 16384) OR
	EXISTS (SELECT FROM pg_catalog.pg_cast
		WHERE oid >= 16384 AND castcontext = 'i' AND castsource < 16384 AND casttarget < 16384)`

// equalities are groups of types of which each can be equal to some other one, by their catalog names. What isn't
// here may be comparable with anything.
var equalities = func() map[string]int {
	groups := map[string]int{}
	for i, names := range [][]string{
		{"int2", "int4", "int8", "float4", "float8", "numeric"},
		{"text", "varchar", "bpchar", "name"},
		{"date", "timestamp", "timestamptz"},
		{"time", "timetz", "interval"},
		{"inet", "cidr"},
		{"bit", "varbit"},
		{"macaddr"}, {"macaddr8"}, {"bool"}, {"uuid"}, {"bytea"}, {"money"}, {"jsonb"},
		{"json"}, {"xml"},
	} {
		for _, name := range names {
			groups[name] = i
		}
	}
	return groups
}()

// Joins reports whether columns of two types may be compared. It is false only where PostgreSQL surely has no
// operator for them.
func (d *Dialect) Joins(a, b catalog.Type) bool {
	if d.plain || d.ownEquality {
		return true
	}
	x, known := equalityOf(a)
	y, both := equalityOf(b)
	switch {
	case !known || !both:
		return true
	case x != y || a.IsArray() != b.IsArray():
		return false
	}
	return a.Name != "json" && a.Name != "xml" // which have no equality, not even with themselves
}

// equalityOf is the group of a type. Each enum is one of its own.
func equalityOf(t catalog.Type) (group any, known bool) {
	switch {
	case t.Kind == catalog.TypeEnum:
		return catalog.Name{Schema: t.Schema, Name: t.Name}, true
	case t.Schema != "" || t.Kind != "" && t.Kind != catalog.TypeBase:
		return nil, false
	}
	n, known := equalities[t.Name]
	return n, known
}
