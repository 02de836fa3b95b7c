package examine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend/postgres"
	"queryengine/pkg/backend/postgres/examine"
	"queryengine/pkg/dbtest"
	"queryengine/pkg/doctor"
	"queryengine/pkg/metadata"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// clinic is a database whose engine has a user of few rights.
type clinic struct {
	url, user string
	admin     *pgx.Conn
}

func newClinic(t *testing.T, schema string) *clinic {
	t.Helper()
	c := &clinic{user: dbtest.Role(t)}
	c.url = dbtest.URL(t) // is dropped before the role
	var err error
	c.admin, err = pgx.Connect(t.Context(), c.url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.admin.Close(context.Background()) })
	c.exec(t, schema)
	return c
}

func (c *clinic) exec(t *testing.T, sql string) {
	t.Helper()
	_, err := c.admin.Exec(t.Context(), strings.ReplaceAll(sql, "ENGINE", c.user))
	require.NoError(t, err)
}

// ask asks as the engine's user.
func (c *clinic) ask(t *testing.T) doctor.Ask {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), c.url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	_, err = conn.Exec(t.Context(), "SET SESSION AUTHORIZATION "+c.user)
	require.NoError(t, err)
	return func(ctx context.Context, query string) ([][]string, error) {
		rows, err := conn.Query(ctx, query, pgx.QueryExecModeSimpleProtocol)
		if err != nil {
			return nil, err
		}
		return pgx.CollectRows(rows, func(row pgx.CollectableRow) ([]string, error) {
			var list []string
			for _, v := range row.RawValues() {
				list = append(list, string(v))
			}
			return list, nil
		})
	}
}

// findings are the results with this metadata, as "severity code object".
func (c *clinic) findings(t *testing.T, tables, functions string) []string {
	t.Helper()
	facts, err := examine.New().Examine(t.Context(), c.ask(t))
	require.NoError(t, err)
	require.Equal(t, c.user, facts.Server.User)
	document, err := metadata.Parse([]byte(fmt.Sprintf(`{"version": 3, "sources": [{"name": "shop", "kind": "postgres",
		"tables": [%s], "functions": [%s], "configuration": {"connection_info": {"database_url": "postgres://x"}}}]}`, tables, functions)),
		metadata.Empty(), nil)
	require.NoError(t, err)
	var lines []string
	for _, f := range doctor.Check([]*doctor.Patient{{Source: document.Sources[0], Types: postgres.New(), Facts: facts}}) {
		require.Equal(t, "shop", f.Source)
		require.NotEmpty(t, f.Message)
		lines = append(lines, strings.TrimSpace(string(f.Severity)+" "+f.Code+" "+f.Object))
		if sql := f.Remedy; strings.HasPrefix(sql, "GRANT ") || strings.HasPrefix(sql, "CREATE ") || strings.HasPrefix(sql, "SELECT ") ||
			strings.HasPrefix(sql, "ALTER ") && !strings.Contains(sql, "...") {
			_, err := c.admin.Exec(t.Context(), sql)
			require.NoError(t, err, "the remedy works: %s", sql)
		}
	}
	return lines
}

const track = `{"table": "%s"%s}`

func tracked(name, more string) string { return fmt.Sprintf(track, name, more) }

// all are permissions for everything.
const all = `, "insert_permissions": [{"role": "user", "permission": {"check": {}, "columns": "*"}}],
	"update_permissions": [{"role": "user", "permission": {"filter": {}, "columns": "*"}}],
	"delete_permissions": [{"role": "user", "permission": {"filter": {}}}]`

// TestChecks: each check reports what it is for, its remedy fixes that, and a database without faults
// has no findings.
func TestChecks(t *testing.T) {
	t.Parallel()
	const open = `GRANT ALL ON ALL TABLES IN SCHEMA public TO ENGINE; GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO ENGINE;`
	const filled = `INSERT INTO item (owner, cart) SELECT g, 1 FROM generate_series(1, 2000) g; ANALYZE item;`
	for name, c := range map[string]struct {
		schema, tables, functions string
		want                      []string
		// Left are findings that the remedies don't fix.
		left []string
	}{
		"nothing to find": {
			schema: `CREATE TABLE cart (id int PRIMARY KEY);
				CREATE TABLE item (id bigserial PRIMARY KEY, owner int, cart int REFERENCES cart, tags text[], body jsonb, at timestamptz, ok bool);
				CREATE INDEX ON item (owner); CREATE INDEX ON item (cart); INSERT INTO cart VALUES (1);` + filled +
				`CREATE FUNCTION total(item) RETURNS int LANGUAGE sql STABLE AS 'SELECT 1';` + open,
			tables: tracked("cart", all+`, "array_relationships": [{"name": "items", "using": {"foreign_key_constraint_on": {"table": "item", "column": "cart"}}}]`) + "," +
				tracked("item", all+`, "object_relationships": [{"name": "of", "using": {"foreign_key_constraint_on": "cart"}}],
					"computed_fields": [{"name": "total", "definition": {"function": "total"}}],
					"select_permissions": [{"role": "user", "permission": {"columns": "*", "filter": {"owner": {"_eq": "x-engine-user-id"}, "of": {"id": {"_eq": 1}}}}}]`),
		},
		"a table that isn't there": {
			tables: tracked("gone", ""), want: []string{"error table-missing gone"}, left: []string{"error table-missing gone"},
		},
		"rights that permissions need": {
			schema: `CREATE TABLE item (id int PRIMARY KEY)`, tables: tracked("item", all),
			want: []string{"error delete-right item", "error insert-right item", "error select-right item", "error update-right item"},
		},
		"rights that only admin needs": {
			schema: `CREATE TABLE item (id int PRIMARY KEY); GRANT SELECT ON item TO ENGINE`, tables: tracked("item", ""),
			want: []string{"info delete-right item", "info insert-right item", "info update-right item"},
		},
		"a column without the right to read it": {
			schema: `CREATE TABLE item (id int PRIMARY KEY, secret text); GRANT INSERT, UPDATE, DELETE, SELECT (id) ON item TO ENGINE`,
			tables: tracked("item", ""), want: []string{"error select-right item"},
		},
		"a schema without the right to use it": {
			schema: `CREATE SCHEMA "My shop"; CREATE TABLE "My shop".item (id int PRIMARY KEY); GRANT ALL ON "My shop".item TO ENGINE`,
			tables: `{"table": {"schema": "My shop", "name": "item"}}`, want: []string{"error schema-right My shop"},
		},
		"event triggers without rights": {
			schema: `CREATE TABLE item (id int PRIMARY KEY); GRANT SELECT, INSERT, UPDATE, DELETE ON item TO ENGINE`,
			tables: tracked("item", `, "event_triggers": [{"name": "e", "definition": {"enable_manual": false, "insert": {"columns": "*"}},
				"retry_conf": {"num_retries": 0, "interval_sec": 1, "timeout_sec": 1}, "webhook": "http://x"}]`),
			want: []string{"error event-log-missing", "error trigger-right item"},
		},
		"functions": {
			schema: `CREATE TABLE item (id int PRIMARY KEY); CREATE FUNCTION f() RETURNS SETOF item LANGUAGE sql STABLE AS 'SELECT * FROM item';
				REVOKE EXECUTE ON FUNCTION f() FROM PUBLIC;` + open,
			tables: tracked("item", ""), functions: `{"function": "f"}, {"function": "gone"}`,
			want: []string{"error function-missing gone", "error function-right public.f()"}, left: []string{"error function-missing gone"},
		},
		"no primary key": {
			schema: `CREATE TABLE item (id int);` + open, tables: tracked("item", ""),
			want: []string{"warning no-primary-key item"}, left: []string{"warning no-primary-key item"},
		},
		"keys that upserts can't name": {
			schema: `CREATE TABLE item (id int PRIMARY KEY, a int, b text, c int UNIQUE DEFERRABLE);
				CREATE UNIQUE INDEX part ON item (a) WHERE a > 0; CREATE UNIQUE INDEX lowered ON item (lower(b));` + open,
			tables: tracked("item", ""),
			want:   []string{"warning key-deferrable item.item_c_key", "info key-unnameable item.lowered", "info key-unnameable item.part"},
			left:   []string{"warning key-deferrable item.item_c_key", "info key-unnameable item.lowered", "info key-unnameable item.part"},
		},
		"columns of relationships without an index": {
			schema: `CREATE TABLE cart (id int PRIMARY KEY); CREATE TABLE item (id serial PRIMARY KEY, owner int, cart int REFERENCES cart);
				INSERT INTO cart VALUES (1);` + filled + open,
			tables: tracked("cart", `, "array_relationships": [{"name": "items", "using": {"foreign_key_constraint_on": {"table": "item", "column": "cart"}}}]`) + "," +
				tracked("item", `, "object_relationships": [{"name": "of", "using": {"foreign_key_constraint_on": "cart"}}]`),
			want: []string{"warning relationship-index item.cart", "info relationship-index-back item.cart"},
		},
		"a small table": {
			schema: `CREATE TABLE item (id int PRIMARY KEY, owner int); INSERT INTO item VALUES (1, 1); ANALYZE item;` + open,
			tables: tracked("item", `, "array_relationships": [{"name": "x", "using": {"manual_configuration": {"remote_table": "item", "column_mapping": {"id": "owner"}}}}]`),
			want:   []string{"info relationship-index item.owner"},
		},
		"a relationship whose foreign key is gone": {
			schema: `CREATE TABLE item (id int PRIMARY KEY, cart int);` + open,
			tables: tracked("item", `, "object_relationships": [{"name": "of", "using": {"foreign_key_constraint_on": "cart"}}]`),
			want:   []string{"error relationship-broken item.of"}, left: []string{"error relationship-broken item.of"},
		},
		"columns of rules without an index": {
			schema: `CREATE TABLE cart (id int PRIMARY KEY); CREATE TABLE item (id serial PRIMARY KEY, owner int, cart int REFERENCES cart, note text);
				CREATE INDEX ON item (cart); CREATE INDEX ON item (owner) WHERE owner > 5; INSERT INTO cart VALUES (1);` + filled + open,
			tables: tracked("cart", `, "array_relationships": [{"name": "items", "using": {"foreign_key_constraint_on": {"table": "item", "column": "cart"}}}],
				"select_permissions": [{"role": "user", "permission": {"columns": "*", "filter": {"items": {"_or": [{"owner": {"_eq": "x-engine-user-id"}}, {"note": {"_ilike": "%a%"}}]}}}}]`) +
				"," + tracked("item", ""),
			want: []string{"warning rule-index item.owner"},
		},
		"row level security": {
			schema: `CREATE TABLE item (id int PRIMARY KEY); ALTER TABLE item ENABLE ROW LEVEL SECURITY;` + open, tables: tracked("item", ""),
			want: []string{"warning row-security item"},
		},
		"permissions to write a view": {
			schema: `CREATE VIEW sums AS SELECT count(*) FROM pg_catalog.pg_class;` + open, tables: tracked("sums", all),
			want: []string{"error not-updatable sums"}, left: []string{"error not-updatable sums"},
		},
		"types": {
			schema: `CREATE TABLE item (id int PRIMARY KEY, net inet, nets inet[], mood mood, "when" tsrange);` + open, tables: tracked("item", ""),
			want: []string{"info type-text item.net"}, left: []string{"info type-text item.net"},
		},
		"sequences": {
			schema: `CREATE TABLE item (id serial PRIMARY KEY); GRANT ALL ON item TO ENGINE;
				CREATE TABLE late (id serial PRIMARY KEY); INSERT INTO late VALUES (7);
				CREATE TABLE gap (id serial PRIMARY KEY); INSERT INTO gap (id) VALUES (default), (default), (9);
				CREATE TABLE full_up (id smallint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY); SELECT setval('full_up_id_seq', 32000);` +
				`GRANT ALL ON late, gap, full_up TO ENGINE; GRANT ALL ON late_id_seq, gap_id_seq, full_up_id_seq TO ENGINE`,
			tables: tracked("item", all) + "," + tracked("late", "") + "," + tracked("gap", "") + "," + tracked("full_up", ""),
			want: []string{
				"error sequence-right item.id", "warning sequence-behind gap.id", "warning sequence-behind late.id", "warning sequence-limit full_up.id",
			},
		},
		"old events": {
			schema: `CREATE SCHEMA engine_catalog; GRANT ALL ON SCHEMA engine_catalog TO ENGINE;
				CREATE TABLE engine_catalog.event_log (id int, delivered bool, error bool, archived bool, created_at timestamp);
				INSERT INTO engine_catalog.event_log VALUES (1, true, false, false, localtimestamp - interval '40 days'),
					(2, false, false, false, localtimestamp - interval '3 hours'); GRANT SELECT ON engine_catalog.event_log TO ENGINE`,
			want: []string{"warning event-log-large engine_catalog.event_log", "warning events-waiting engine_catalog.event_log"},
			left: []string{"warning event-log-large engine_catalog.event_log", "warning events-waiting engine_catalog.event_log"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			schema := c.schema
			if name == "types" {
				schema = `CREATE TYPE mood AS ENUM ('good');` + schema
			}
			clinic := newClinic(t, schema)
			require.Equal(t, c.want, clinic.findings(t, c.tables, c.functions))
			require.Equal(t, c.left, clinic.findings(t, c.tables, c.functions), "after the remedies")
		})
	}
}

// TestDatabaseRoles: requests can take the roles that the configuration names, and policies apply to them.
func TestDatabaseRoles(t *testing.T) {
	t.Parallel()
	member, other := dbtest.Role(t), dbtest.Role(t)
	c := newClinic(t, `GRANT `+member+` TO ENGINE`)
	check := func(session string) []string {
		facts, err := examine.New().Examine(t.Context(), c.ask(t))
		require.NoError(t, err)
		p := &doctor.Patient{Source: &metadata.Source{Name: "shop", Kind: "postgres"}, Types: postgres.New(), Facts: facts}
		p.Roles, p.Policed = postgres.DatabaseRoles(json.RawMessage(`{"session": ` + session + `}`))
		var lines []string
		for _, f := range doctor.Check([]*doctor.Patient{p}) {
			lines = append(lines, string(f.Severity)+" "+f.Code+" "+f.Object)
			if f.Code == "database-role" && f.Object != "none_such" {
				c.exec(t, f.Remedy)
			}
		}
		return lines
	}
	require.Empty(t, check(`{"role": "`+member+`"}`))
	require.Equal(t, []string{"error database-role none_such"}, check(`{"role": {"user": "none_such", "guest": "x-engine-db", "*": "none"}}`))
	require.Equal(t, []string{"error database-role " + other}, check(`{"role": "`+other+`"}`))
	require.Empty(t, check(`{"role": "`+other+`"}`), "after the remedy")
	c.exec(t, `ALTER ROLE `+other+` BYPASSRLS`)
	require.Equal(t, []string{"warning policies-bypassed " + other}, check(`{"role": "`+other+`"}`))
	require.Empty(t, check(`{"set": {"app.user": "x-engine-user-id"}}`))
	c.exec(t, `ALTER ROLE ENGINE BYPASSRLS`)
	require.Equal(t, []string{"warning policies-bypassed " + c.user}, check(`{"set": {"app.user": "x-engine-user-id"}}`))
	require.Empty(t, check(`{}`))
}

// TestInvalidIndexes: an index that was left behind by a failed build is none.
func TestInvalidIndexes(t *testing.T) {
	t.Parallel()
	c := newClinic(t, `CREATE TABLE item (id int PRIMARY KEY, owner int); INSERT INTO item VALUES (1, 1), (2, 1); GRANT ALL ON item TO ENGINE`)
	_, err := c.admin.Exec(t.Context(), `CREATE UNIQUE INDEX CONCURRENTLY half ON item (owner)`)
	require.ErrorContains(t, err, "could not create unique index")
	require.Equal(t, []string{"warning index-invalid item.half"}, c.findings(t, tracked("item", ""), ""))
}

// TestServerSettings: what the role and the database set for sessions of the engine.
func TestServerSettings(t *testing.T) {
	t.Parallel()
	c := newClinic(t, `CREATE TABLE item (id int PRIMARY KEY); GRANT ALL ON item TO ENGINE`)
	u, err := url.Parse(c.url)
	require.NoError(t, err)
	database := strings.TrimPrefix(u.Path, "/")
	c.exec(t, `ALTER DATABASE "`+database+`" SET statement_timeout = '1h'; ALTER DATABASE "`+database+`" SET default_transaction_read_only = on`)
	require.Equal(t, []string{"error read-only", "info statement-timeout"}, c.findings(t, tracked("item", all), ""))
	require.Equal(t, []string{"warning read-only", "info statement-timeout"}, c.findings(t, tracked("item", ""), ""))
}
