package postgres

import (
	"slices"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// tables are what PostgreSQL has next to its operators.
var tables = backend.Tables{
	Aggregates: []backend.Aggregate{
		{Name: "avg", Takes: numericValue, Float: true, Result: statistic},
		{Name: "max", Takes: comparableValue},
		{Name: "min", Takes: comparableValue},
		{Name: "stddev", Takes: numericValue, Float: true, Result: statistic},
		{Name: "stddev_pop", Takes: numericValue, Float: true, Result: statistic},
		{Name: "stddev_samp", Takes: numericValue, Float: true, Result: statistic},
		{Name: "sum", Takes: numericValue, Result: statistic},
		{Name: "var_pop", Takes: numericValue, Float: true, Result: statistic},
		{Name: "var_samp", Takes: numericValue, Float: true, Result: statistic},
		{Name: "variance", Takes: numericValue, Float: true, Result: statistic},
	},
	Predicates: []backend.Predicate{
		{Name: "count", Operand: typeInteger},
		{Name: "avg", Operand: typeDouble, Takes: double},
		{Name: "bool_and", Operand: typeBoolean, Takes: boolean},
		{Name: "bool_or", Operand: typeBoolean, Takes: boolean},
		{Name: "corr", Operand: typeDouble, Takes: double, Pair: true},
		{Name: "covar_samp", Operand: typeDouble, Takes: double, Pair: true},
		{Name: "max", Operand: typeDouble, Takes: double},
		{Name: "min", Operand: typeDouble, Takes: double},
		{Name: "stddev_samp", Operand: typeDouble, Takes: double},
		{Name: "sum", Operand: typeDouble, Takes: double},
		{Name: "var_samp", Operand: typeDouble, Takes: double},
	},
	Assignments: []backend.Assignment{
		{Op: ir.AssignSet, Takes: anyValue, SQL: "$1"},
		{Op: ir.AssignInc, Takes: numericValue, SQL: "$l + $1"},
		{Op: ir.AssignMul, SQL: "$l * $1"},
		{Op: ir.AssignAppend, Takes: mergeableValue, SQL: "$l || $1"},
		{Op: ir.AssignPrepend, Takes: mergeableValue, SQL: "$1 || $l"},
		{Op: ir.AssignDeleteKey, Takes: mergeableValue, SQL: "$l - $1"},
		{Op: ir.AssignDeleteElem, Takes: mergeableValue, SQL: "$l - $1"},
		{Op: ir.AssignDeleteAtPath, Takes: mergeableValue, SQL: "$l #- $1"},
		{Op: ir.AssignMerge, Takes: mergeableValue, SQL: sqlMerge, Parts: true},
		{Op: ir.AssignSetAt, Takes: mergeableValue, SQL: sqlSetAt, Parts: true},
		{Op: ir.AssignDeleteAt, Takes: mergeableValue, SQL: "($l #- $2)", Parts: true},
	},
	Masks: []backend.Mask{
		{Name: backend.MaskRedact, Takes: textual, SQL: `'***'::text`},
		{Name: backend.MaskHash, Takes: textual, SQL: `encode(sha256(convert_to($l::text, 'UTF8')), 'hex')`},
		{Name: backend.MaskLast4, Takes: textual, SQL: `'****' || CASE WHEN length($l::text) > 4 THEN right($l::text, 4) WHEN $l IS NOT NULL THEN '' END`},
		{Name: backend.MaskEmail, Takes: textual, SQL: `CASE WHEN strpos($l::text, '@') > 0 ` +
			`THEN left($l::text, 1) || '***' || right($l::text, strpos(reverse($l::text), '@')) WHEN $l IS NOT NULL THEN '***' END`},
	},
	MaskTypes: map[string]backend.MaskType{
		"text": {Family: backend.MaskText}, "varchar": {Family: backend.MaskText}, "bpchar": {Family: backend.MaskText},
		"citext": {Family: backend.MaskText}, "name": {Family: backend.MaskText},
		"int2": {Family: backend.MaskNumber, Bits: 16}, "int4": {Family: backend.MaskNumber, Bits: 32}, "int8": {Family: backend.MaskNumber, Bits: 64},
		"numeric": {Family: backend.MaskNumber},
		"date":    {Family: backend.MaskTime}, "timestamp": {Family: backend.MaskTime}, "timestamptz": {Family: backend.MaskTime},
		"bool": {Family: backend.MaskBoolean},
	},
	JSONKinds: []backend.JSONKind{
		{Name: "bool", Shown: typeBoolean, Operand: typeBoolean, Type: typeBoolean, SQL: guarded("boolean", "bool")},
		{Name: "float", Shown: typeDouble, Operand: typeNumeric, Type: typeNumeric, SQL: guarded("number", "numeric")},
		{Name: "int", Shown: typeInteger, Operand: typeInteger, Type: typeNumeric, SQL: guarded("number", "numeric")},
		{Name: "json", Shown: typeJSONB, Operand: typeJSONB, Type: typeJSONB, SQL: "($l #> $1)", Unordered: true},
		{Name: "text", Shown: typeText, Operand: typeText, Type: typeText, SQL: "($l #>> $1)"},
	},
	Casts:     []string{"String", "geography", "geometry"},
	TextOfAll: true,
	Ordering: []backend.Ordering{
		{Name: "asc", Description: "in ascending order, nulls last"},
		{Name: "asc_nulls_first", Description: "in ascending order, nulls first", NullsFirst: true},
		{Name: "asc_nulls_last", Description: "in ascending order, nulls last"},
		{Name: "desc", Description: "in descending order, nulls first", Desc: true, NullsFirst: true},
		{Name: "desc_nulls_first", Description: "in descending order, nulls first", Desc: true, NullsFirst: true},
		{Name: "desc_nulls_last", Description: "in descending order, nulls last", Desc: true},
	},
	Groups:     true,
	Upsert:     backend.OnConflict,
	DistinctOn: true,
}

// serverTables are those of databases that speak PostgreSQL's SQL, without what was proven on PostgreSQL alone.
var serverTables = func() backend.Tables {
	own := tables
	own.JSONKinds, own.Groups = nil, false
	own.Assignments = slices.DeleteFunc(slices.Clone(own.Assignments), func(a backend.Assignment) bool { return a.Parts })
	return own
}()

// plainTables are those of plain dialects, whose sha256 makes a text.
var plainTables = func() backend.Tables {
	own := serverTables
	own.Masks = slices.DeleteFunc(slices.Clone(own.Masks), func(m backend.Mask) bool { return m.Name == backend.MaskHash })
	return own
}()

// Tables are what there is next to operators.
func (d *Dialect) Tables() *backend.Tables {
	switch {
	case d.plain:
		return &plainTables
	case d.flat:
		return &serverTables
	}
	return &tables
}

// sqlMerge is the merge patch of RFC 7396. The parts of the patch are applied from the top to the bottom: each object makes the one that
// its members are put into. A column that is NULL counts as one without a value.
const sqlMerge = `(WITH RECURSIVE _patch(path, value) AS (SELECT '{}'::text[], $1 UNION ALL SELECT _patch.path || _member.key, _member.value ` +
	`FROM _patch, jsonb_each(CASE WHEN jsonb_typeof(_patch.value) = 'object' THEN _patch.value END) AS _member), ` +
	`_part AS (SELECT row_number() OVER (ORDER BY cardinality(path)) AS n, path, value, jsonb_typeof(value) AS kind FROM _patch), ` +
	`_merged(n, value) AS (SELECT 0::bigint, $l UNION ALL SELECT _part.n, CASE ` +
	`WHEN cardinality(_part.path) = 0 AND (_part.kind <> 'object' OR _part.kind IS NULL) THEN _part.value ` +
	`WHEN cardinality(_part.path) = 0 THEN CASE WHEN jsonb_typeof(_merged.value) = 'object' THEN _merged.value ELSE '{}' END ` +
	`WHEN _part.kind = 'null' THEN _merged.value #- _part.path ` +
	`WHEN _part.kind <> 'object' THEN jsonb_set(_merged.value, _part.path, _part.value) ` +
	`WHEN jsonb_typeof(_merged.value #> _part.path) = 'object' THEN _merged.value ` +
	`ELSE jsonb_set(_merged.value, _part.path, '{}') END ` +
	`FROM _merged JOIN _part ON _part.n = _merged.n + 1) SELECT value FROM _merged ORDER BY n DESC LIMIT 1)`

// sqlSetAt sets the part at a path. What is on the way to it becomes an object unless it is one, or an array.
const sqlSetAt = `(WITH RECURSIVE _set(n, value) AS (SELECT 0, CASE WHEN jsonb_typeof(old) IN ('object', 'array') THEN old ELSE '{}' END ` +
	`FROM (SELECT $l AS old) AS _old UNION ALL SELECT n + 1, CASE WHEN jsonb_typeof(value #> ($2)[:n + 1]) IN ('object', 'array') THEN value ` +
	`ELSE jsonb_set(value, ($2)[:n + 1], '{}') END FROM _set WHERE n + 1 < cardinality($2)) ` +
	`SELECT CASE WHEN cardinality($2) = 0 THEN coalesce($1, 'null') ELSE jsonb_set(value, $2, coalesce($1, 'null')) END FROM _set ORDER BY n DESC LIMIT 1)`

// guarded reads the part of a JSON value that is of a JSON type, and is NULL for others: a cast alone fails on some values, by which a
// client would learn of rows that it can't see. Every number fits numeric.
func guarded(jsonType, sqlType string) string {
	return "(CASE WHEN jsonb_typeof($l #> $1) = '" + jsonType + "' THEN ($l #> $1)::" + sqlType + " END)"
}

func anyValue(catalog.Type, backend.Scalar) bool { return true }

func numericValue(t catalog.Type, s backend.Scalar) bool { return !t.IsArray() && s.Numeric }

func comparableValue(t catalog.Type, s backend.Scalar) bool { return t.IsArray() || s.Comparable }

func mergeableValue(_ catalog.Type, s backend.Scalar) bool { return s.Mergeable }

func textual(t catalog.Type) bool { return rowOf(t).family == familyText && !t.IsArray() }

func double(t catalog.Type) bool { return t.Name == typeDouble.Name && !t.IsArray() }

func boolean(t catalog.Type) bool { return t.Name == typeBoolean.Name && !t.IsArray() }

// statistic is the type that sums and deviations are compared as.
func statistic(t catalog.Type) catalog.Type {
	switch rowOf(t).family {
	case familyMoney:
		return t
	case familyFloat:
		return typeDouble
	}
	return typeNumeric
}
