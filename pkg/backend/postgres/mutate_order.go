package postgres

import (
	"slices"
	"strings"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/answer"
	"queryengine/pkg/backend/postgres/quote"
	"queryengine/pkg/backend/postgres/wire"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// RenderInsertOrder renders a statement for Tx.Exec and Tx.Defer that returns one row when the order of
// inserts can make a difference, and none when it can't. It asks the catalog of the database itself: a
// trigger that was made a moment ago counts.
func (d *Dialect) RenderInsertOrder(o ir.InsertOrder) (backend.Statement, error) {
	sql := strings.NewReplacer(
		"<written>", oids(o.Tables), "<read>", oids(o.Reads),
		"<links>", linkList(o.Links, false), "<keys>", linkList(o.Links, true), "<columns>", keyColumns,
		"<feed>", quote.Literal(changesTrigger),
	).Replace(orderMatters)
	switch {
	case d.flat, d.plain:
		sql = "SELECT 'order'" // Citus returns rows in the order of the nodes; the catalogue of CockroachDB lists no triggers
	}
	return newStatement(func(mode) (*rendered, error) {
		return &rendered{Text: wire.Text{SQL: sql}, reply: reply{kind: replyMutation, check: -1, handed: answer.Handed{Columns: 1}}}, nil
	})
}

// keyColumns are the columns of a foreign key f and those that they refer to.
const keyColumns = `ARRAY(SELECT a.attname || ' ' || b.attname
	FROM unnest(f.conkey, f.confkey) AS k (a, b)
	JOIN pg_catalog.pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = k.a
	JOIN pg_catalog.pg_attribute b ON b.attrelid = f.confrelid AND b.attnum = k.b
	ORDER BY (a.attname || ' ' || b.attname) COLLATE "C")`

// orderMatters is a row when something may notice the order: what isn't a plain table, row
// security, rules and triggers; a foreign key besides the links; a sequence that two tables
// take numbers from; and functions in defaults and constraints that are written in a language
// that can run statements. The trigger of the change feed only says that there was a change.
const orderMatters = `SELECT 'order' WHERE EXISTS (
	SELECT FROM pg_catalog.pg_class c WHERE c.oid = ANY (<written>) AND (c.relkind <> 'r' OR c.relrowsecurity OR c.relhasrules)
) OR EXISTS (
	SELECT FROM pg_catalog.pg_class c WHERE c.oid = ANY (<read>) AND (c.relkind NOT IN ('r', 'p') OR c.relrowsecurity)
) OR EXISTS (
	SELECT FROM pg_catalog.pg_trigger t WHERE t.tgrelid = ANY (<written>) AND NOT t.tgisinternal AND t.tgtype & 4 <> 0
		AND NOT (t.tgname = <feed> AND t.tgtype & 1 = 0)
) OR EXISTS (
	SELECT FROM pg_catalog.pg_constraint f WHERE f.contype = 'f' AND f.conrelid = ANY (<written>) AND f.confrelid = ANY (<written>)
		AND (f.conrelid, f.confrelid, <columns>) NOT IN (<links>)
) OR EXISTS (
	SELECT FROM (<keys>) AS l (c, r, columns) WHERE NOT EXISTS (
		SELECT FROM pg_catalog.pg_constraint f WHERE f.contype = 'f' AND f.conrelid = l.c AND f.confrelid = l.r AND <columns> = l.columns)
) OR EXISTS (
	SELECT FROM pg_catalog.pg_attrdef d
	JOIN pg_catalog.pg_depend n ON n.classid = 'pg_catalog.pg_attrdef'::regclass AND n.objid = d.oid AND n.refclassid = 'pg_catalog.pg_class'::regclass
	JOIN pg_catalog.pg_class s ON s.oid = n.refobjid AND s.relkind = 'S'
	WHERE d.adrelid = ANY (<written>)
	GROUP BY s.oid HAVING count(DISTINCT d.adrelid) > 1
) OR EXISTS (
	WITH used AS (
		SELECT 'pg_catalog.pg_attrdef'::regclass AS class, d.oid FROM pg_catalog.pg_attrdef d WHERE d.adrelid = ANY (<written>)
		UNION ALL SELECT 'pg_catalog.pg_constraint'::regclass, k.oid FROM pg_catalog.pg_constraint k WHERE k.conrelid = ANY (<written>)
		UNION ALL SELECT x.class, x.oid FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid AND t.typtype = 'd'
			CROSS JOIN LATERAL (SELECT 'pg_catalog.pg_type'::regclass AS class, t.oid
				UNION ALL SELECT 'pg_catalog.pg_constraint'::regclass, k.oid FROM pg_catalog.pg_constraint k WHERE k.contypid = t.oid) x
			WHERE a.attrelid = ANY (<written>) AND a.attnum > 0
	)
	SELECT FROM used u
	JOIN pg_catalog.pg_depend n ON n.classid = u.class AND n.objid = u.oid AND n.refclassid = 'pg_catalog.pg_proc'::regclass
	JOIN pg_catalog.pg_proc p ON p.oid = n.refobjid
	JOIN pg_catalog.pg_language l ON l.oid = p.prolang
	WHERE l.lanname NOT IN ('internal', 'c')
)`

// oids is an array of tables.
func oids(tables []catalog.Name) string {
	items := make([]string, len(tables))
	for i, t := range tables {
		items[i] = quote.Literal(quote.Qualified(t)) + "::regclass"
	}
	return "ARRAY[" + strings.Join(items, ", ") + "]::oid[]"
}

// linkList selects links, all of them or those that have to be foreign keys.
func linkList(links []ir.InsertLink, keys bool) string {
	var rows []string
	for _, l := range links {
		if keys && !l.Key {
			continue
		}
		columns := make([]string, len(l.Columns))
		for i, pair := range l.Columns {
			columns[i] = pair.Outer + " " + pair.Inner
		}
		slices.Sort(columns)
		for i := range columns {
			columns[i] = quote.Literal(columns[i])
		}
		rows = append(rows, "("+quote.Literal(quote.Qualified(l.From))+"::regclass::oid, "+quote.Literal(quote.Qualified(l.To))+"::regclass::oid, ARRAY["+
			strings.Join(columns, ", ")+"]::text[])")
	}
	if rows == nil {
		return "SELECT NULL::oid, NULL::oid, NULL::text[] WHERE false"
	}
	return "VALUES " + strings.Join(rows, ", ")
}
