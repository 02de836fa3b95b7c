package mssqltest

import "strings"

// relations are the tables and views of users.
const relations = `FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
	WHERE c.relkind IN ('r', 'v') AND n.nspname NOT LIKE 'pg_%' AND n.nspname NOT IN ('information_schema', 'public', 'engine_catalog')`

// procedures are functions of users, which stand for procedures.
const procedures = `FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace AND n.nspname NOT LIKE 'pg_%' AND n.nspname NOT IN ('information_schema', 'public')
	AND p.proretset`

// catalogQueries are the statements of introspection by what only they contain.
var catalogQueries = []struct{ of, text string }{
	// Of descriptions.
	{"FROM sys.check_constraints", `SELECT k.conname::text, substr(pg_get_constraintdef(k.oid), 7), false, NULL::text FROM pg_constraint AS k
		WHERE k.contype = 'c' AND k.conrelid = $1::int::oid ORDER BY 1`},
	{"sys.default_constraints", `SELECT a.attname::text, t.typname::text, a.attlen::int, 0, 0, NOT a.attnotnull, a.attidentity <> '', CASE a.attgenerated WHEN '' THEN pg_get_expr(d.adbin, d.adrelid) END,
		CASE a.attgenerated WHEN 's' THEN pg_get_expr(d.adbin, d.adrelid) END FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid
		LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum WHERE a.attnum > 0 AND NOT a.attisdropped AND a.attrelid = $1::int::oid ORDER BY a.attnum`},
	{"f.update_referential_action_desc", `SELECT f.conname::text, false, CASE f.confupdtype WHEN 'c' THEN 'CASCADE' ELSE 'NO_ACTION' END, CASE f.confdeltype WHEN 'c' THEN 'CASCADE' ELSE 'NO_ACTION' END
		FROM pg_constraint AS f WHERE f.contype = 'f' AND f.conrelid = $1::int::oid ORDER BY 1`},
	{"i.filter_definition", `SELECT x.relname::text, CASE WHEN i.indisprimary THEN 'CLUSTERED' ELSE 'NONCLUSTERED' END, i.indisunique, false, i.indisprimary,
		EXISTS (SELECT FROM pg_constraint AS k WHERE k.conindid = i.indexrelid AND k.contype = 'u'), pg_get_expr(i.indpred, i.indrelid), a.attname::text, k.n > i.indnkeyatts, false
		FROM pg_index AS i JOIN pg_class AS x ON x.oid = i.indexrelid, unnest(i.indkey) WITH ORDINALITY AS k(a, n) JOIN pg_attribute AS a ON true
		WHERE a.attrelid = i.indrelid AND a.attnum = k.a AND i.indrelid = $1::int::oid ORDER BY 1, k.n`},
	{"sys.sql_modules", `SELECT t.tgname::text, t.tgenabled = 'D', pg_get_triggerdef(t.oid, true) FROM pg_trigger AS t WHERE t.tgrelid = $1::int::oid AND NOT t.tgisinternal ORDER BY 1`},

	{"FROM sys.partitions", `SELECT CASE WHEN c.reltuples >= 0 THEN c.reltuples::bigint END FROM pg_class AS c WHERE c.oid = $1::int::oid`},

	{"SERVERPROPERTY", `SELECT '16.0.4'::text, NULL::int, NULL::int, 1`},
	{"FROM sys.parameters", `SELECT p.oid::int, a.name::text, a.of ` + procedures + ` CROSS JOIN LATERAL (
		SELECT '@' || k.name AS name, CASE t.typname WHEN 'int4' THEN 'int' WHEN 'text' THEN 'nvarchar' ELSE t.typname::text END AS of, k.n
		FROM unnest(p.proargnames[:p.pronargs], p.proargtypes::oid[]) WITH ORDINALITY AS k(name, type, n) JOIN pg_type AS t ON t.oid = k.type) AS a ORDER BY 1, a.n`},
	{"o.type = 'P'", `SELECT p.oid::int, n.nspname::text, p.proname::text ` + procedures},
	{"FROM sys.foreign_keys", `SELECT f.conrelid::int, f.oid::int, f.conname::text, f.confrelid::int, a.attname::text, b.attname::text FROM pg_constraint AS f,
		unnest(f.conkey, f.confkey) WITH ORDINALITY AS k(a, b, n) JOIN pg_attribute AS a ON true JOIN pg_attribute AS b ON true
		WHERE f.contype = 'f' AND a.attrelid = f.conrelid AND a.attnum = k.a AND b.attrelid = f.confrelid AND b.attnum = k.b ORDER BY f.conrelid, f.oid, k.n`},
	{"FROM sys.indexes", `SELECT i.indrelid::int, i.indexrelid::int, x.relname::text, i.indisprimary, true, a.attname::text FROM pg_index AS i JOIN pg_class AS x ON x.oid = i.indexrelid,
		unnest(i.indkey) WITH ORDINALITY AS k(a, n) JOIN pg_attribute AS a ON true
		WHERE i.indisunique AND a.attrelid = i.indrelid AND a.attnum = k.a AND i.indrelid IN (SELECT c.oid ` + relations + `) ORDER BY i.indrelid, i.indexrelid, k.n`},
	{"FROM sys.columns", `SELECT a.attrelid::int, a.attnum::int, a.attname::text, CASE t.typname WHEN 'int4' THEN 'int' WHEN 'int8' THEN 'bigint' WHEN 'int2' THEN 'smallint'
		WHEN 'text' THEN 'nvarchar' WHEN 'bool' THEN 'bit' WHEN 'float8' THEN 'float' WHEN 'float4' THEN 'real' WHEN 'numeric' THEN 'decimal' WHEN 'timestamp' THEN 'datetime2'
		WHEN 'timestamptz' THEN 'datetimeoffset' WHEN 'uuid' THEN 'uniqueidentifier' ELSE t.typname::text END, NOT a.attnotnull, a.attidentity <> '', a.attgenerated <> '', CASE WHEN a.atthasdef THEN 1 ELSE 0 END, 0, NULL::text
		FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid
		WHERE a.attnum > 0 AND NOT a.attisdropped AND a.attrelid IN (SELECT c.oid ` + relations + `) ORDER BY a.attrelid, a.attnum`},
	{"FROM sys.objects", `SELECT c.oid::int, n.nspname::text, c.relname::text, CASE c.relkind WHEN 'v' THEN 'V ' ELSE 'U ' END, 0 ` + relations},
}

// catalogQuery is a statement of introspection as one of PostgreSQL; "" for any other.
func catalogQuery(text string) string {
	for _, q := range catalogQueries {
		if strings.Contains(text, q.of) {
			return q.text
		}
	}
	return ""
}

// definitionTypes are types in definitions of tables.
var definitionTypes = map[string]string{
	"nvarchar": "text", "varchar": "text", "char": "text", "nchar": "text", "ntext": "text", "datetime2": "timestamp", "datetimeoffset": "timestamptz",
	"bit": "boolean", "float": "float8", "binary": "bytea", "varbinary": "bytea", "image": "bytea", "xml": "text",
	"uniqueidentifier": "uuid",
}

// define is a statement as one of PostgreSQL; definitions of tables have other types.
func define(nodes []node) string {
	switch {
	case nodes[0].is("exec") && len(nodes) == 2 && len(nodes[1].group) == 1: // of a statement that must be alone
		text := strings.TrimPrefix(nodes[1].group[0].text, "N")
		return strings.ReplaceAll(text[1:len(text)-1], "''", "'")
	case nodes[0].is("create", "alter") && nodes[1].is("table"):
		return spell(definition(nodes))
	case nodes[0].is("delete") && nodes[1].is("from"): // of people
		return spell(nodes)
	case nodes[0].is("dbcc") && nodes[1].is("checkident"):
		return "SELECT setval(pg_get_serial_sequence(" + spell(nodes[2].group[:1]) + ", a.attname), 1, false) FROM pg_attribute AS a WHERE a.attrelid = " +
			spell(nodes[2].group[:1]) + "::regclass AND a.attidentity <> ''"
	case nodes[0].is("select", "insert", "update", "delete", "merge"):
		return writing(nodes)
	}
	return spell(nodes)
}

func definition(nodes []node) []node {
	var list []node
	for i := 0; i < len(nodes); i++ {
		n := nodes[i]
		switch {
		case n.is("foreign") && i+2 < len(nodes) && nodes[i+2].is("references"): // of a column
			i++
		case n.is("identity"):
			list = append(list, word("GENERATED BY DEFAULT AS IDENTITY"))
			if i+1 < len(nodes) && nodes[i+1].group != nil {
				i++
			}
		case n.group == nil && definitionTypes[strings.ToLower(n.text)] != "":
			list = append(list, word(definitionTypes[strings.ToLower(n.text)]))
			if i+1 < len(nodes) && nodes[i+1].group != nil {
				i++
			}
		case n.group != nil:
			list = append(list, node{group: definition(n.group)})
		default:
			list = append(list, n)
		}
	}
	if n := len(list); n > 0 && list[n-1].is(",") {
		return list[:n-1]
	}
	return list
}
