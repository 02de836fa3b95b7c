package eventlog_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
)

// TestChangedTables holds that event triggers never make a write fail, whatever DDL changed the table: in a session that
// has run them before, and in a new one, which both make the same events.
func TestChangedTables(t *testing.T) {
	t.Parallel()
	const schema = `CREATE TYPE mood AS ENUM ('glad', 'sad'); CREATE TYPE pair AS (a int, b text); CREATE DOMAIN word AS text;
		CREATE TABLE stock (id int PRIMARY KEY, label text, n bigint, w word, m mood, p pair, ids bigint[], j json)`
	changes := map[string]string{
		"type":                `ALTER TABLE stock ALTER label TYPE varchar, ALTER n TYPE numeric, ALTER j TYPE jsonb`,
		"type of the key":     `ALTER TABLE stock ALTER id TYPE bigint`,
		"no equality":         `ALTER TABLE stock ALTER label TYPE json USING to_json(label)`,
		"column":              `ALTER TABLE stock ADD more int DEFAULT 5`,
		"json column":         `ALTER TABLE stock ADD more json DEFAULT '{}', ADD place point`,
		"dropped column":      `ALTER TABLE stock DROP n`,
		"dropped columns":     `ALTER TABLE stock DROP label, DROP n, DROP m, DROP ids, DROP w`,
		"dropped key":         `ALTER TABLE stock DROP id; ALTER TABLE stock ADD id int`,
		"lost key":            `ALTER TABLE stock RENAME id TO key; ALTER TABLE stock ADD "id x" int; ALTER TABLE stock ALTER key SET DEFAULT 1`,
		"recreated column":    `ALTER TABLE stock DROP n; ALTER TABLE stock ADD n text`,
		"renamed column":      `ALTER TABLE stock RENAME n TO number`,
		"renamed crosswise":   `ALTER TABLE stock RENAME n TO x; ALTER TABLE stock RENAME w TO n; ALTER TABLE stock RENAME x TO w`,
		"renamed table":       `ALTER TABLE stock RENAME TO goods; CREATE VIEW stock AS SELECT * FROM goods`,
		"moved":               `CREATE SCHEMA other; ALTER TABLE stock SET SCHEMA other; CREATE VIEW stock AS SELECT * FROM other.stock`,
		"generated column":    `ALTER TABLE stock ADD g text GENERATED ALWAYS AS (upper(label)) STORED`,
		"becomes generated":   `ALTER TABLE stock DROP n; ALTER TABLE stock ADD n int GENERATED ALWAYS AS (length(label)) STORED`,
		"enum value":          `ALTER TYPE mood ADD VALUE 'calm' BEFORE 'sad'`,
		"enum recreated":      `ALTER TABLE stock ALTER m TYPE text; DROP TYPE mood; CREATE TYPE mood AS ENUM ('sad', 'glad'); ALTER TABLE stock ALTER m TYPE mood USING m::mood`,
		"composite recreated": `ALTER TABLE stock ALTER p TYPE text USING NULL; DROP TYPE pair; CREATE TYPE pair AS (b json, a bigint); ALTER TABLE stock ALTER p TYPE pair USING NULL`,
		"domain":              `ALTER DOMAIN word ADD CHECK (value <> 'wrong') NOT VALID; ALTER DOMAIN word SET NOT NULL`,
		"constraint":          `ALTER TABLE stock ADD CHECK (n > 0) NOT VALID`,
		"default":             `ALTER TABLE stock ALTER label SET DEFAULT 'new'`,
		"inherited":           `CREATE TABLE child () INHERITS (stock)`,
		"attached":            `CREATE TABLE all_stock (LIKE stock) PARTITION BY RANGE (id); ALTER TABLE all_stock ATTACH PARTITION stock FOR VALUES FROM (0) TO (100)`,
		"search path":         `ALTER DATABASE DB SET search_path = pg_catalog, public`,
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newEventFixture(t, schema)
			some, ordered := f.all("some", "stock"), f.all("ordered", "stock")
			some.Insert = &backend.EventOperation{Payload: []string{"label", "n", "w"}}
			some.Update = &backend.EventOperation{Columns: []string{"label", "n", "m"}, Payload: []string{"id", "n", "ids"}}
			some.Delete = &backend.EventOperation{Payload: []string{"m"}}
			ordered.Ordered = true
			f.install(t, true, f.all("whole", "stock"), some, ordered)
			old, err := pgx.Connect(t.Context(), f.url)
			require.NoError(t, err)
			defer func() { _ = old.Close(context.Background()) }()
			write := func(c *pgx.Conn) string {
				f.exec(t, `DELETE FROM engine_catalog.event_log`)
				for _, sql := range []string{
					`INSERT INTO stock (p, j) VALUES (NULL, NULL)`, `UPDATE stock SET j = '{"a": 1}'`, `UPDATE stock SET j = '{"a": 1}'`, `DELETE FROM stock`,
				} {
					if !strings.HasPrefix(name, "dropped key") {
						sql = strings.NewReplacer("(p, j)", "(id, p, j, w)", "(NULL, NULL)", "(1, NULL, NULL, 'w')").Replace(sql)
					}
					switch {
					case strings.Contains(name, "lost key"):
						sql = strings.NewReplacer("(id, p, j, w)", "(p, j, w)", "(1, ", "(").Replace(sql)
					case name == "dropped columns" || name == "renamed crosswise":
						sql = strings.NewReplacer("p, j, w)", "p, j)", ", 'w')", ")").Replace(sql)
					}
					_, err := c.Exec(t.Context(), sql)
					require.NoError(t, err, sql)
				}
				return f.text(t, `SELECT coalesce(string_agg(trigger_name || ' ' || (payload->>'op') || ' ' || (payload->'data')::text || coalesce(order_key, ''), E'\n' ORDER BY sequence), '')
					FROM engine_catalog.event_log`)
			}
			for range 2 {
				_, err = old.Exec(t.Context(), `INSERT INTO stock (id, label, w) VALUES (1, 'a', 'w'); UPDATE stock SET label = 'b'; DELETE FROM stock`)
				require.NoError(t, err)
			}
			f.exec(t, strings.ReplaceAll(change, "DB", f.text(t, `SELECT quote_ident(current_database())`)))
			fresh, err := pgx.Connect(t.Context(), f.url)
			require.NoError(t, err)
			defer func() { _ = fresh.Close(context.Background()) }()
			want := write(fresh)
			require.Regexp(t, `(?s)whole INSERT.*whole UPDATE.*whole DELETE`, want)
			require.Equal(t, want, write(old))
		})
	}
}

// TestChangedWholeRows holds the same of triggers that name no column: of all columns, which have an equality.
func TestChangedWholeRows(t *testing.T) {
	t.Parallel()
	f := newEventFixture(t, `CREATE TABLE stock (id int, label text)`)
	f.install(t, false, f.all("whole", "stock"))
	old, err := pgx.Connect(t.Context(), f.url)
	require.NoError(t, err)
	defer func() { _ = old.Close(context.Background()) }()
	write := func(c *pgx.Conn) string {
		f.exec(t, `DELETE FROM engine_catalog.event_log`)
		for _, sql := range []string{`INSERT INTO stock (id) VALUES (1)`, `UPDATE stock SET id = 2`, `UPDATE stock SET id = 2`, `DELETE FROM stock`} {
			_, err := c.Exec(t.Context(), sql)
			require.NoError(t, err, sql)
		}
		return f.data(t)
	}
	const events = "INSERT {\"new\": {\"id\": 1, \"label\": null%[1]s}, \"old\": null}\n" +
		"UPDATE {\"new\": {\"id\": 2, \"label\": null%[1]s}, \"old\": {\"id\": 1, \"label\": null%[1]s}}\n" +
		"DELETE {\"new\": null, \"old\": {\"id\": 2, \"label\": null%[1]s}}"
	for _, c := range []struct{ change, more string }{
		{`SELECT`, ``},
		{`ALTER TABLE stock ALTER id TYPE bigint, ALTER label TYPE varchar(5)`, ``},
		{`ALTER TABLE stock ADD labels json DEFAULT '{}'`, `, "labels": {}`}, // not equal to anything
		{`ALTER TABLE stock ALTER labels TYPE jsonb`, `, "labels": {}`},
	} {
		f.exec(t, c.change)
		fresh, err := pgx.Connect(t.Context(), f.url)
		require.NoError(t, err)
		defer func() { _ = fresh.Close(context.Background()) }()
		want := fmt.Sprintf(events, c.more)
		require.Equal(t, want, write(fresh), c.change)
		require.Equal(t, want, write(old), c.change)
	}
}
