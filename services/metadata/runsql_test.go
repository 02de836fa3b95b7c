package metadata

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// rename rewrites everything that names what it renames, so its test has all of it.
const runSQLShop = `
	CREATE TABLE kind (id int PRIMARY KEY, label text NOT NULL UNIQUE);
	CREATE TABLE stock (id int PRIMARY KEY, label text, qty int, owner text, kind_id int CONSTRAINT stock_kind REFERENCES kind);
	CREATE TABLE bystander (id int PRIMARY KEY, stock_id int REFERENCES stock);
	CREATE VIEW cheap AS SELECT id, label FROM stock WHERE qty < 5;
	CREATE FUNCTION low_stock() RETURNS SETOF stock LANGUAGE sql STABLE AS 'SELECT * FROM stock';
	CREATE FUNCTION price(s stock) RETURNS int LANGUAGE sql STABLE AS 'SELECT 1';`

const runSQLMetadata = `{"type":"bulk","args":[
	{"type":"pg_track_table","args":{"table":"kind"}},
	{"type":"pg_track_table","args":{"table":"stock","configuration":{"column_config":{"qty":{"custom_name":"amount"}}}}},
	{"type":"pg_track_table","args":{"table":"cheap"}},
	{"type":"pg_create_object_relationship","args":{"table":"stock","name":"kind","using":{"foreign_key_constraint_on":"kind_id"}}},
	{"type":"pg_create_array_relationship","args":{"table":"kind","name":"stocks","using":{"foreign_key_constraint_on":{"table":"stock","column":"kind_id"}}}},
	{"type":"pg_create_object_relationship","args":{"table":"cheap","name":"all","using":{"manual_configuration":{"remote_table":"stock","column_mapping":{"id":"id"}}}}},
	{"type":"pg_create_select_permission","args":{"table":"kind","role":"auditor","permission":{"columns":["id"],"filter":{"stocks":{"owner":{"_eq":"X-Engine-User-Id"}}}}}},
	{"type":"pg_create_select_permission","args":{"table":"stock","role":"clerk","permission":{"columns":["id","label"],"filter":{"qty":{"_gt":1}}}}},
	{"type":"pg_create_insert_permission","args":{"table":"stock","role":"clerk","permission":{"check":{},"set":{"owner":"x-engine-user-id"}}}},
	{"type":"pg_track_function","args":{"function":"low_stock"}},
	{"type":"pg_add_computed_field","args":{"table":"stock","name":"price","definition":{"function":"price"}}}]}`

func startRunSQL(t *testing.T) (*world, *instance) {
	t.Helper()
	w := newWorld(t, runSQLShop)
	i := w.start(t)
	i.ok(t, runSQLMetadata)
	return w, i
}

func runSQLRequest(t *testing.T, sql, options string) string {
	t.Helper()
	text, err := json.Marshal(sql)
	require.NoError(t, err)
	return `{"type":"run_sql","args":{"sql":` + string(text) + options + `}}`
}

// document is the export, without the configuration of the source.
func (i *instance) document(t *testing.T) map[string]any {
	t.Helper()
	var doc struct {
		Sources []map[string]any `json:"sources"`
	}
	require.NoError(t, json.Unmarshal([]byte(i.export(t)), &doc))
	delete(doc.Sources[0], "configuration")
	return doc.Sources[0]
}

func TestRunSQLRefusesWhatMetadataNeeds(t *testing.T) {
	t.Parallel()
	_, i := startRunSQL(t)
	version, before := i.version(), i.export(t)
	for _, c := range []struct{ sql, code, message string }{
		{`DROP TABLE stock CASCADE`, "dependency-error", `cannot drop due to the following dependent objects: ` +
			`permission kind.auditor.select in source "default", relationship kind.stocks in source "default"`},
		{
			`ALTER TABLE stock DROP COLUMN label CASCADE`, "dependency-error",
			`cannot drop due to the following dependent objects: permission stock.clerk.select in source "default"`,
		},
		{
			`ALTER TABLE stock DROP COLUMN owner`, "dependency-error",
			`cannot drop due to the following dependent objects: permission kind.auditor.select in source "default", ` +
				`permission stock.clerk.insert in source "default"`,
		},
		{
			`ALTER TABLE stock DROP CONSTRAINT stock_kind`, "dependency-error",
			`cannot drop due to the following dependent objects: permission kind.auditor.select in source "default", ` +
				`relationship kind.stocks in source "default", relationship stock.kind in source "default"`,
		},
		{
			`DROP VIEW cheap; ALTER TABLE stock ALTER COLUMN qty TYPE text`, "dependency-error",
			`cannot change type of column "qty" in table "stock" because of the following dependencies: ` +
				`permission stock.clerk.select in source "default"`,
		},
		{
			`DROP FUNCTION price`, "dependency-error",
			`cannot drop due to the following dependent objects: computed field stock.price in source "default"`,
		},
		{
			`ALTER FUNCTION price RENAME TO cost`, "dependency-error",
			`cannot drop due to the following dependent objects: computed field stock.price in source "default"`,
		},
		{
			`CREATE FUNCTION low_stock(n int) RETURNS SETOF stock LANGUAGE sql STABLE AS 'SELECT * FROM stock'`, "not-supported",
			"the following tracked function(s) cannot be overloaded: low_stock",
		},
		{
			`CREATE FUNCTION price(s stock, n int) RETURNS int LANGUAGE sql STABLE AS 'SELECT 1'`, "not-supported",
			`The function "price" associated with computed field"price" of table "stock" is being overloaded`,
		},
		{
			`ALTER FUNCTION low_stock VOLATILE`, "not-supported",
			`type of function "low_stock" is altered to "VOLATILE" which is not supported now`,
		},
		{
			`ALTER FUNCTION price VOLATILE`, "not-supported",
			`The type of function "price" associated with computed field "price" of table "stock" is being altered to "VOLATILE"`,
		},
		{
			`ALTER TABLE stock RENAME COLUMN label TO kind`, "already-exists",
			`cannot rename column "label" to "kind" in table "stock" as a relationship with the name already exists`,
		},
		{
			`ALTER TABLE cheap RENAME TO was_cheap; ALTER TABLE kind RENAME TO low_stock`, "remote-schema-conflicts",
			"node low_stock already exists in current graphql schema",
		},
	} {
		i.fails(t, v2query, runSQLRequest(t, c.sql, ""), c.code, "$", c.message)
	}
	i.fails(t, v1query, runSQLRequest(t, `DROP VIEW cheap; DROP FUNCTION price`, ""), "dependency-error", "$.args",
		`cannot drop due to the following dependent objects: computed field stock.price in source "default"`)
	// All of it was rolled back.
	require.Equal(t, before, i.export(t))
	require.Equal(t, version, i.version())
	i.ok(t, `{"type":"reload_metadata","args":{}}`)
	require.Equal(t, before, i.export(t))
	require.Empty(t, i.engine.State().Inconsistent)
}

func TestRunSQLCascades(t *testing.T) {
	t.Parallel()
	for sql, gone := range map[string][]string{
		`ALTER TABLE stock DROP COLUMN owner`:       {`"owner"`, "auditor", "insert_permissions"},
		`DROP TABLE stock CASCADE`:                  {"stock", "low_stock", "cheap", "auditor", "price"},
		`DROP FUNCTION price`:                       {"price"},
		`ALTER TABLE stock DROP COLUMN qty CASCADE`: {"qty", "amount", "clerk\",\"permission\":{\"columns\"", "cheap"},
	} {
		t.Run(sql, func(t *testing.T) {
			t.Parallel()
			_, i := startRunSQL(t)
			version := i.version()
			i.okAt(t, v2query, runSQLRequest(t, sql, `,"cascade":true`))
			require.Equal(t, version+1, i.version())
			export, err := json.Marshal(i.document(t))
			require.NoError(t, err)
			for _, text := range gone {
				require.NotContains(t, string(export), text)
			}
			require.Contains(t, string(export), "kind")
			require.Empty(t, i.engine.State().Inconsistent)
		})
	}
}

func TestRunSQLFollowsRenames(t *testing.T) {
	t.Parallel()
	w, i := startRunSQL(t)
	i.run(t, `ALTER TABLE stock RENAME COLUMN owner TO holder; ALTER TABLE stock RENAME COLUMN kind_id TO sort_id;
		ALTER TABLE stock RENAME COLUMN qty TO n; ALTER TABLE stock RENAME TO goods;
		CREATE SCHEMA shop; ALTER TABLE kind SET SCHEMA shop`)
	got, err := json.MarshalIndent(i.document(t), "", "\t")
	require.NoError(t, err)
	require.JSONEq(t, `{"name":"default","kind":"postgres","functions":[{"function":{"name":"low_stock","schema":"public"}}],"tables":[
		{"table":{"name":"cheap","schema":"public"},"object_relationships":[{"name":"all","using":{"manual_configuration":
			{"column_mapping":{"id":"id"},"insertion_order":null,"remote_table":{"name":"goods","schema":"public"}}}}]},
		{"table":{"name":"goods","schema":"public"},
		 "configuration":{"column_config":{"n":{"custom_name":"amount"}},"custom_column_names":{"n":"amount"},"custom_root_fields":{}},
		 "object_relationships":[{"name":"kind","using":{"foreign_key_constraint_on":"sort_id"}}],
		 "computed_fields":[{"name":"price","definition":{"function":{"name":"price","schema":"public"}}}],
		 "insert_permissions":[{"role":"clerk","permission":{"check":{},"set":{"holder":"x-engine-user-id"}}}],
		 "select_permissions":[{"role":"clerk","permission":{"columns":["id","label"],"filter":{"n":{"_gt":1}}}}]},
		{"table":{"name":"kind","schema":"shop"},
		 "array_relationships":[{"name":"stocks","using":{"foreign_key_constraint_on":{"column":"sort_id","table":{"name":"goods","schema":"public"}}}}],
		 "select_permissions":[{"role":"auditor","permission":{"columns":["id"],"filter":{"stocks":{"holder":{"_eq":"X-Engine-User-Id"}}}}}]}]}`,
		string(got))
	require.Empty(t, i.engine.State().Inconsistent)
	f := w.follow(t, false)
	require.Equal(t, i.export(t), exported(t, waitFor(t, f, i.version())))
}

func TestRunSQLAnswers(t *testing.T) {
	t.Parallel()
	_, i := startRunSQL(t)
	version := i.version()
	require.JSONEq(t, `{"result_type":"CommandOk","result":null}`, i.run(t, `INSERT INTO kind VALUES (1, 'a'), (2, 'b')`))
	require.JSONEq(t, `{"result_type":"TuplesOk","result":[["id","label","none"],["1","a","NULL"],["2","b","NULL"]]}`,
		i.run(t, `SELECT 1; SELECT id, label, NULL AS none FROM kind ORDER BY id`))
	require.JSONEq(t, `{"result_type":"TuplesOk","result":[["id"]]}`, i.run(t, `SELECT id FROM kind WHERE false`))
	require.Equal(t, version, i.version(), "texts that need no check make no version")
	i.run(t, `COMMENT ON TABLE kind IS 'kinds'`)
	require.Equal(t, version+1, i.version())
	require.JSONEq(t, `[{"result_type":"TuplesOk","result":[["a"],["1"]]},{"result_type":"TuplesOk","result":[["b"],["2"]]}]`,
		i.okAt(t, v2query, `{"type":"concurrent_bulk","args":[{"type":"run_sql","args":{"sql":"SELECT 1 a"}},{"type":"run_sql","args":{"sql":"SELECT 2 b"}}]}`))

	e := i.fails(t, v2query, runSQLRequest(t, "SELECT * FROM nothing", ""), "postgres-error", "$", "query execution failed")
	require.JSONEq(t, `{"statement":"SELECT * FROM nothing","prepared":false,"arguments":[],
		"error":{"exec_status":"FatalError","hint":null,"message":"relation \"nothing\" does not exist","status_code":"42P01","description":null}}`,
		e.internal)
	i.fails(t, v1query, runSQLRequest(t, "SELECT 1", `,"source":"crm"`), "not-exists", "$.args", `source with name "crm" does not exist`)
	i.fails(t, v2query, `{"type":"run_sql","args":{}}`, "parse-failed", "$.args", `key "sql" not found`)
	i.fails(t, v2query, `{"type":"fly","args":{}}`, "parse-failed", "$", "Unrecognised RQLQuery type: fly")
	i.fails(t, v2query, `{"type":"mssql_run_sql","args":{"sql":"SELECT 1"}}`, "not-exists", "$",
		`source with name "default" has backend type postgres which does not match the expected type mssql`)
	i.fails(t, v1query, `{"type":"mssql_run_sql","args":{"sql":"SELECT 1"}}`, "parse-failed", "$", `unknown type "mssql_run_sql" for version 1`)
	i.fails(t, v2query, `{"type":"concurrent_bulk","args":[{"type":"run_sql","args":{"sql":"DROP TABLE kind"}}]}`, "unexpected", "$",
		"Only read-only queries are allowed in a concurrent_bulk")
	i.fails(t, v2query, `{"type":"bulk","args":[{"type":"run_sql","args":{"sql":"SELECT 1"}},{"type":"run_sql","args":{"sql":"x"}}]}`,
		"postgres-error", "$[1]", "query execution failed")
	i.fails(t, v2query, runSQLRequest(t, "DROP TABLE bystander", `,"read_only":true`), "postgres-error", "$", "query execution failed")
	require.Equal(t, version+1, i.version())
}

func TestRunSQLThatNeedsNoCheckIsSeenAfterReload(t *testing.T) {
	t.Parallel()
	_, i := startRunSQL(t)
	i.okAt(t, v2query, runSQLRequest(t, "DROP FUNCTION price", `,"check_metadata_consistency":false`))
	require.Empty(t, i.engine.State().Inconsistent)
	require.Contains(t, i.ok(t, `{"type":"reload_metadata","args":{}}`), `no such function exists: \"price\"`)
	// What was inconsistent before is not this text's fault.
	i.run(t, `ALTER TABLE kind ADD COLUMN remark text`)
	require.Len(t, i.engine.State().Inconsistent, 1)
}

func TestRunSQLThatReplacesAViewKeepsIt(t *testing.T) {
	t.Parallel()
	_, i := startRunSQL(t)
	before := i.export(t)
	i.run(t, `DROP VIEW cheap; CREATE VIEW cheap AS SELECT id, label, qty FROM stock`)
	require.Equal(t, before, i.export(t))
	i.fails(t, v2query, runSQLRequest(t, `DROP VIEW cheap; CREATE VIEW cheap AS SELECT label FROM stock`, ""), "dependency-error", "$",
		`cannot drop due to the following dependent objects: relationship cheap.all in source "default"`)
}

func TestRunSQLWithoutTransaction(t *testing.T) {
	t.Parallel()
	_, i := startRunSQL(t)
	i.okAt(t, v2query, runSQLRequest(t, `CREATE INDEX CONCURRENTLY by_label ON stock (label); ALTER TABLE stock ADD COLUMN x int`, `,"no_transaction":true`))
	require.NotNil(t, i.engine.State().Catalogs["default"].Tables[i.engine.State().Document.Sources[0].Tables[2].Table].Column("x"))
}
