package metadata

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/apierror"
	"queryengine/pkg/bus"
	"queryengine/pkg/dbtest"
	"queryengine/pkg/remoteschema/remotetest"
	"queryengine/pkg/session"
	metadatav1 "queryengine/proto/metadata/v1"
)

func startShop(t *testing.T) (*world, *instance) {
	t.Helper()
	w := newWorld(t, shop)
	return w, w.start(t)
}

func TestInconsistentObjectsAreRefused(t *testing.T) {
	t.Parallel()
	_, i := startShop(t)
	i.ok(t, track)
	version, before := i.version(), i.export(t)
	e := i.fails(t, v1metadata, `{"type":"pg_track_table","args":{"table":"none"}}`, "invalid-configuration", "$.args",
		`Inconsistent object: no such table/view exists in source: "none"`)
	require.JSONEq(t, `[{"definition":{"name":"none","schema":"public"},"name":"table none in source default","type":"table",
		"reason":"Inconsistent object: no such table/view exists in source: \"none\""}]`, e.internal)
	i.fails(t, v1metadata, `{"type":"pg_create_array_relationship","args":{"table":"kind","name":"x","using":{"foreign_key_constraint_on":{"table":"stock","column":"qty"}}}}`,
		"invalid-configuration", "$.args", `Inconsistent object: in table "kind": in relationship "x": no foreign constraint exists on the given column(s)`)
	i.fails(t, v1metadata, `{"type":"pg_create_select_permission","args":{"table":"kind","role":"clerk","permission":{"columns":["id"],"filter":{},"limit":-1}}}`,
		"invalid-configuration", "$.args.permission.limit", `Inconsistent object: in table "kind": in permission for role "clerk": unexpected negative value`)
	i.fails(t, v1metadata, `{"type":"replace_metadata","args":{"version":2,"tables":[{"table":"none"}]}}`, "unexpected", "$.args",
		"cannot continue due to inconsistent metadata")
	require.Equal(t, version, i.version())
	require.Equal(t, before, i.export(t))
}

// What is wrong with a permission has its place in the arguments of the request, so that a client can show it there.
func TestPlacesOfErrorsInPermissions(t *testing.T) {
	t.Parallel()
	_, i := startShop(t)
	i.ok(t, track)
	for _, c := range []struct{ operation, permission, path, text string }{
		{"select", `{"columns":["id","none"],"filter":{}}`, "columns[1]", `column "none" does not exist`},
		{"select", `{"columns":"*","filter":{"_or":[{},{"id":{"_foo":1}}]}}`, "filter._or[1].id._foo", "Unknown operator: _foo"},
		{
			"select", `{"columns":["id"],"filter":{},"query_root_fields":["select_aggregate"]}`, "query_root_fields",
			`The "select_aggregate" root field can only be enabled in the query_root_fields or  the subscription_root_fields when "allow_aggregations" is set to true`,
		},
		{"insert", `{"check":{"none":1}}`, "check.none", `"none" does not exist`},
		{"insert", `{"check":{},"set":{"none":1}}`, "set.none", `column "none" does not exist`},
		{"update", `{"columns":["id"],"filter":{},"check":{"$and":[{"none":1}]}}`, `check["$and"][0].none`, `"none" does not exist`},
	} {
		create := fmt.Sprintf(`{"type":"pg_create_%s_permission","args":{"table":"kind","role":"clerk","permission":%s}}`, c.operation, c.permission)
		text := `Inconsistent object: in table "kind": in permission for role "clerk": ` + c.text
		i.fails(t, v1metadata, create, "invalid-configuration", "$.args.permission."+c.path, text)
		i.fails(t, v1metadata, `{"type":"bulk","args":[`+create+`]}`, "invalid-configuration", "$.args[0].args.permission."+c.path, text)
	}
}

func TestTrackedTableIsSeenAsItIsNow(t *testing.T) {
	t.Parallel()
	w, i := startShop(t)
	w.sql(t, w.source, `ALTER TABLE stock ADD COLUMN extra int; CREATE TABLE late (id int PRIMARY KEY REFERENCES stock)`)
	i.ok(t, `{"type":"pg_track_table","args":{"table":"stock"}}`)
	i.ok(t, `{"type":"pg_track_table","args":{"table":"late"}}`)
	tables := i.engine.State().Catalogs["default"].Tables
	source := i.engine.State().Document.Source("default")
	require.NotNil(t, tables[source.Tables[1].Table].Column("extra"))
	require.Len(t, tables[source.Tables[0].Table].ForeignKeys, 1)
}

func TestResourceVersions(t *testing.T) {
	t.Parallel()
	_, i := startShop(t)
	version := i.version()
	i.ok(t, fmt.Sprintf(`{"type":"pg_track_table","args":{"table":"kind"},"resource_version":%d}`, version))
	i.fails(t, v1metadata, fmt.Sprintf(`{"type":"pg_track_table","args":{"table":"stock"},"resource_version":%d}`, version),
		"conflict", "$", fmt.Sprintf("metadata resource version referenced (%d) did not match current version", version))
	i.ok(t, fmt.Sprintf(`{"type":"export_metadata","args":{},"resource_version":%d}`, version))
	i.ok(t, `{"type":"reload_metadata","args":{}}`)
	require.Equal(t, version+2, i.version())
	require.Contains(t, i.ok(t, `{"type":"export_metadata","version":2,"args":{}}`), fmt.Sprintf(`{"resource_version":%d,"metadata":{`, version+2))
}

func TestSourcesThatCannotBeReached(t *testing.T) {
	t.Parallel()
	_, i := startShop(t)
	before := i.export(t)
	e := i.fails(t, v1metadata, `{"type":"pg_add_source","args":{"name":"crm","configuration":{"connection_info":{"database_url":"postgres://user:topsecret@127.0.0.1:1/none"}}}}`,
		"invalid-configuration", "$.args", "Inconsistent object: connection error")
	internal := e.internal
	require.Contains(t, internal, `"definition":"crm","name":"source crm","reason":"Inconsistent object: connection error","type":"source","message":`)
	require.NotContains(t, internal, "topsecret")
	i.fails(t, v1metadata, `{"type":"pg_add_source","args":{"name":"crm","configuration":{"connection_info":{"database_url":{"from_env":"NOT_SET_ANYWHERE"}}}}}`,
		"invalid-configuration", "$.args", "Inconsistent object: environment variable 'NOT_SET_ANYWHERE' not set")
	require.Equal(t, before, i.export(t))

	url, err := json.Marshal(dbtest.URL(t))
	require.NoError(t, err)
	i.ok(t, `{"type":"pg_add_source","args":{"name":"crm","configuration":{"connection_info":{"database_url":`+string(url)+`}}}}`)
	i.fails(t, v1metadata, `{"type":"pg_track_table","args":{"source":"crm","table":"kind"}}`, "invalid-configuration", "$.args",
		`Inconsistent object: no such table/view exists in source: "kind"`)
	i.ok(t, `{"type":"pg_drop_source","args":{"name":"crm"}}`)
	require.Equal(t, before, i.export(t))
	require.NotContains(t, i.engine.State().Catalogs, "crm")
}

func TestSourceThatBecameUnreachableStaysInUse(t *testing.T) {
	t.Parallel()
	w, i := startShop(t)
	i.ok(t, track)
	w.setConnections(t, w.source, false)
	answer := i.ok(t, `{"type":"reload_metadata","args":{}}`)
	require.Contains(t, answer, `"is_consistent":false`)
	require.Contains(t, answer, `source \"default\" is inconsistent because of stale database introspection is used. The source couldn't be reached for a fresh introspection because we got error: `)
	require.NotEmpty(t, i.engine.State().Catalogs["default"].Tables)
	i.ok(t, `{"type":"pg_create_select_permission","args":{"table":"kind","role":"clerk","permission":{"columns":"*","filter":{}}}}`)

	w.setConnections(t, w.source, true)
	require.Contains(t, i.ok(t, `{"type":"reload_metadata","args":{}}`), `"is_consistent":true`)
}

// TestSourceThatIsBackIsConsistentAgain: a source that could not be read for a while needs no reload.
func TestSourceThatIsBackIsConsistentAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, shop)
	w.recheck = 20 * time.Millisecond
	i := w.start(t)
	i.ok(t, track)
	crm := remotetest.Serve(t, crmSDL)
	i.ok(t, addRemote("crm", crm.URL, ""))
	inconsistent := func() int { return len(i.engine.State().Inconsistent) }

	w.setConnections(t, w.source, false)
	crm.Set([]byte(`{"errors":[{"message":"no"}]}`))
	require.Contains(t, i.ok(t, `{"type":"reload_metadata","args":{"reload_remote_schemas":true}}`), `"is_consistent":false`)
	require.Equal(t, 2, inconsistent())
	version := i.version()
	i.ok(t, `{"type":"pg_create_select_permission","args":{"table":"kind","role":"clerk","permission":{"columns":"*","filter":{}}}}`)
	require.Equal(t, version+1, i.version(), "a look that finds nothing makes no version")
	require.Equal(t, 2, inconsistent())

	crm.Set(remotetest.Answer(t, crmSDL))
	require.Eventually(t, func() bool { return inconsistent() == 1 }, 30*time.Second, 10*time.Millisecond)
	w.setConnections(t, w.source, true)
	require.Eventually(t, func() bool { return inconsistent() == 0 }, 30*time.Second, 10*time.Millisecond)
	require.Contains(t, i.ok(t, `{"type":"get_inconsistent_metadata","args":{}}`), `"is_consistent":true`)
}

// setConnections lets a database be reached, or not.
func (w *world) setConnections(t *testing.T, address string, allowed bool) {
	t.Helper()
	config, err := pgx.ParseConfig(address)
	require.NoError(t, err)
	name := config.Database
	admin := w.metadataURL
	if address == w.metadataURL {
		admin = w.source
	}
	w.sql(t, admin, fmt.Sprintf(`ALTER DATABASE %q ALLOW_CONNECTIONS %v`, name, allowed))
	if !allowed {
		w.sql(t, admin, fmt.Sprintf(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '%s'`, name))
	}
}

func TestMetadataDatabaseDown(t *testing.T) {
	t.Parallel()
	w, i := startShop(t)
	i.ok(t, track)
	before := i.export(t)
	w.setConnections(t, w.metadataURL, false)
	require.ErrorContains(t, i.Status(), "can't be used")
	require.Equal(t, before, i.export(t), "what only reads is answered from memory")
	e := i.fails(t, v1metadata, `{"type":"pg_untrack_table","args":{"table":"stock","cascade":true}}`, "postgres-error", "$", "connection error")
	require.Equal(t, 503, e.status)
	require.Equal(t, before, i.export(t))

	w.setConnections(t, w.metadataURL, true)
	i.ok(t, `{"type":"pg_untrack_table","args":{"table":"stock","cascade":true}}`)
	i.published(t)
	require.Eventually(t, func() bool { return i.Status() == nil }, 30*time.Second, 50*time.Millisecond)
}

func TestNATSDown(t *testing.T) {
	t.Parallel()
	w, i := startShop(t)
	w.nats.Stop()
	require.Eventually(t, func() bool { return i.Status() != nil }, 30*time.Second, 10*time.Millisecond)
	// In one process, requests still arrive: the change waits in the outbox.
	i.ok(t, `{"type":"pg_track_table","args":{"table":"kind"}}`)
	w.startNATS(t)
}

func TestOtherRolesAreRefused(t *testing.T) {
	t.Parallel()
	_, i := startShop(t)
	clerk := &session.Session{Role: "clerk"}
	for _, endpoint := range []metadatav1.ApplyRequest_Endpoint{v1metadata, v1query, v2query} {
		body := `{"type":"export_metadata","args":{}}`
		if endpoint == v2query {
			body = `{"type":"run_sql","args":{"sql":"SELECT 1"}}`
		}
		_, _, err := i.bus.CallMessage(t.Context(), bus.MetadataApply,
			&metadatav1.ApplyRequest{Endpoint: endpoint, Session: clerk.Proto(), Body: []byte(body)},
			func() proto.Message { return &metadatav1.ApplyHead{} }, 1<<20)
		e := apierror.From(err)
		require.Equal(t, []any{apierror.AccessDenied, "$.args", "restricted access : admin only", 400}, []any{e.Code, e.Path, e.Message, e.Status})
	}
}

func TestCatalogState(t *testing.T) {
	t.Parallel()
	_, i := startShop(t)
	version := i.version()
	i.ok(t, `{"type":"set_catalog_state","args":{"type":"console","state":{"a":1}}}`)
	require.Contains(t, i.ok(t, `{"type":"get_catalog_state","args":{}}`), `"cli_state":{},"console_state":{"a":1}}`)
	require.Equal(t, version, i.version())
	i.fails(t, v1metadata, `{"type":"set_catalog_state","args":{"type":"x","state":{}}}`, "parse-failed", "$.args.type", "expected cli or console, but found x")
}

func TestDefaultSourceIsAddedOnce(t *testing.T) {
	t.Parallel()
	w, i := startShop(t)
	version := i.version()
	require.JSONEq(t, `{"version":3,"sources":[{"name":"default","kind":"postgres","tables":[],"configuration":{"connection_info":
		{"database_url":"`+w.source+`","isolation_level":"read-committed"}}}]}`, i.export(t))
	i.Stop()
	i = w.start(t)
	require.Equal(t, version, i.version())
}

func TestRestartSeesWhatChangedInTheSources(t *testing.T) {
	t.Parallel()
	w, i := startShop(t)
	i.ok(t, track)
	i.Stop()
	w.sql(t, w.source, `ALTER TABLE kind ADD COLUMN remark text`)
	i = w.start(t)
	require.Eventually(t, func() bool {
		for name, table := range i.engine.State().Catalogs["default"].Tables {
			if name.Name == "kind" && table.Column("remark") != nil {
				return true
			}
		}
		return false
	}, 30*time.Second, 10*time.Millisecond)
}

func TestSourcesAreExploredAsTheyAreNow(t *testing.T) {
	t.Parallel()
	w, i := startShop(t)
	i.ok(t, track)
	version := i.version()
	w.sql(t, w.source, `CREATE SCHEMA hub; CREATE TABLE hub.fresh (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, note text DEFAULT 'x');
		COMMENT ON TABLE hub.fresh IS 'new'; CREATE VIEW seen AS SELECT 1 AS one`)
	tables := i.ok(t, `{"type":"pg_get_source_tables","args":{"source":"default"}}`)
	require.Contains(t, tables, `{"name":"fresh","schema":"hub"}`)
	require.Contains(t, tables, `{"name":"seen","schema":"public"}`)
	require.JSONEq(t, `{"name":{"name":"fresh","schema":"hub"},"type":"table","description":"new","primary_key":["id"],
		"insertable":true,"updatable":true,"deletable":true,"columns":[
		{"name":"id","type":"integer","nullable":false,"insertable":false,"updatable":false,"value_generated":{"type":"auto_increment"}},
		{"name":"note","type":"text","nullable":true,"insertable":true,"updatable":true,"value_generated":{"type":"default_value"}}]}`,
		i.ok(t, `{"type":"pg_get_table_info","args":{"source":"default","table":{"schema":"hub","name":"fresh"}}}`))
	require.Equal(t, version, i.version())
	require.NotContains(t, i.ok(t, `{"type":"dump_internal_state","args":{}}`), "fresh", "what was found isn't kept")
	i.fails(t, v1metadata, `{"type":"pg_get_source_tables","args":{"source":"none"}}`, "not-exists", "$.args", `source with name "none" does not exist`)
}

func TestATableIsDescribedAsItIsNow(t *testing.T) {
	t.Parallel()
	w, i := startShop(t)
	i.ok(t, track)
	version := i.version()
	w.sql(t, w.source, `CREATE TABLE shelf (id int PRIMARY KEY, label text UNIQUE CHECK (label <> ''), place int4range, EXCLUDE USING gist (place WITH &&));
		CREATE TABLE box (id int PRIMARY KEY, shelf int CONSTRAINT of_shelf REFERENCES shelf ON DELETE CASCADE, note text);
		CREATE INDEX noted ON box (lower(note), shelf DESC) INCLUDE (id) WHERE note IS NOT NULL; COMMENT ON TABLE box IS 'holds things';
		CREATE TABLE parcel (id int GENERATED ALWAYS AS IDENTITY, code varchar(8) DEFAULT upper('x'), gross numeric(6,2) NOT NULL, net numeric GENERATED ALWAYS AS (gross / 2) STORED);
		COMMENT ON COLUMN parcel.code IS 'as printed';
		CREATE FUNCTION weigh() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
		CREATE TRIGGER weighed BEFORE INSERT ON parcel FOR EACH ROW EXECUTE FUNCTION weigh();
		CREATE TRIGGER idle AFTER UPDATE ON parcel FOR EACH ROW EXECUTE FUNCTION weigh(); ALTER TABLE parcel DISABLE TRIGGER idle`)
	require.JSONEq(t, `{"name":{"schema":"public","name":"parcel"},"kind":"table","referenced_by":[],"constraints":[],"indexes":[],
		"columns":[
			{"name":"id","type":"integer","nullable":false,"identity":"always"},
			{"name":"code","type":"character varying(8)","nullable":true,"default":"upper('x'::text)","description":"as printed"},
			{"name":"gross","type":"numeric(6,2)","nullable":false},
			{"name":"net","type":"numeric","nullable":true,"generated":"gross / 2::numeric"}],
		"triggers":[
			{"name":"idle","disabled":true,"definition":"CREATE TRIGGER idle AFTER UPDATE ON parcel FOR EACH ROW EXECUTE FUNCTION weigh()"},
			{"name":"weighed","definition":"CREATE TRIGGER weighed BEFORE INSERT ON parcel FOR EACH ROW EXECUTE FUNCTION weigh()"}],
		"enum_refusal":"the table \"parcel\" cannot be used as an enum for the following reasons:\n  • the table must have a primary key\n  • the table must have exactly one primary key and optionally one comment column, not 4 columns (\"id\", \"code\", \"gross\", \"net\")\n"}`,
		i.ok(t, `{"type":"pg_describe_table","args":{"table":"parcel"}}`))
	require.JSONEq(t, `{"name":{"schema":"public","name":"box"},"kind":"table","description":"holds things","referenced_by":[],"triggers":[],
		"columns":[{"name":"id","type":"integer","nullable":false},{"name":"shelf","type":"integer","nullable":true},{"name":"note","type":"text","nullable":true}],
		"constraints":[
			{"name":"box_pkey","type":"primary_key","columns":["id"],"definition":"PRIMARY KEY (id)"},
			{"name":"of_shelf","type":"foreign_key","columns":["shelf"],"definition":"FOREIGN KEY (shelf) REFERENCES shelf(id) ON DELETE CASCADE",
				"foreign_table":{"schema":"public","name":"shelf"},"foreign_columns":["id"]}],
		"indexes":[
			{"name":"box_pkey","method":"btree","columns":["id"],"unique":true,"definition":"CREATE UNIQUE INDEX box_pkey ON public.box USING btree (id)"},
			{"name":"noted","method":"btree","columns":["lower(note)","shelf"],"include":["id"],"unique":false,"where":"note IS NOT NULL",
				"definition":"CREATE INDEX noted ON public.box USING btree (lower(note), shelf DESC) INCLUDE (id) WHERE (note IS NOT NULL)"}],
		"enum_refusal":"the table \"box\" cannot be used as an enum for the following reasons:\n  • the table’s primary key (\"id\") must have type \"text\", not type \"integer\"\n  • the table must have exactly one primary key and optionally one comment column, not 3 columns (\"id\", \"shelf\", \"note\")\n"}`,
		i.ok(t, `{"type":"pg_describe_table","args":{"table":"box"}}`))
	i.ok(t, `{"type":"pg_track_table","args":{"table":"box"}}`)
	shelf := i.ok(t, `{"type":"pg_describe_table","args":{"table":"shelf"}}`)
	require.Contains(t, shelf, `"referenced_by":[{"name":"of_shelf","table":{"name":"box","schema":"public"},"columns":["shelf"],"foreign_columns":["id"]}]`)
	require.Contains(t, shelf, `"type":"check","columns":["label"],"definition":"CHECK (label <> ''::text)"`)
	require.Contains(t, shelf, `"type":"exclusion","columns":["place"],"definition":"EXCLUDE USING gist (place WITH &&)"`)
	require.NotEqual(t, version, i.version(), "by track_table alone")
	w.sql(t, w.source, `CREATE TABLE color (value text PRIMARY KEY)`)
	require.NotContains(t, i.ok(t, `{"type":"pg_describe_table","args":{"table":"color"}}`), "enum_refusal", "the rows aren't looked at")
	i.fails(t, v1metadata, `{"type":"pg_describe_table","args":{"table":"none"}}`, "not-exists", "$.args", `table "none" does not exist in source: default`)
	i.fails(t, v1metadata, `{"type":"pg_describe_table","args":{"source":"none","table":"box"}}`, "not-exists", "$.args", `source with name "none" does not exist`)
}

// TestDescriptionHasEstimatesAndLabels has what no count is made for.
func TestDescriptionHasEstimatesAndLabels(t *testing.T) {
	t.Parallel()
	w, i := startShop(t)
	w.sql(t, w.source, `CREATE TYPE mood AS ENUM ('sad', 'ok'); ALTER TYPE mood ADD VALUE 'so "so"' BEFORE 'ok'; CREATE DOMAIN temper AS mood;
		CREATE TABLE crowd (id int, feels mood, feeling temper, felt mood[], word text) PARTITION BY RANGE (id);
		CREATE TABLE crowd_a PARTITION OF crowd FOR VALUES FROM (0) TO (100);
		CREATE TABLE crowd_b PARTITION OF crowd FOR VALUES FROM (100) TO (1000);
		INSERT INTO crowd (id) SELECT generate_series(0, 249);
		CREATE VIEW crowded AS SELECT * FROM crowd`)
	describe := func(name string) string { return i.ok(t, `{"type":"pg_describe_table","args":{"table":"`+name+`"}}`) }
	w.sql(t, w.source, `ANALYZE crowd_a`)
	require.NotContains(t, describe("crowd"), "estimated_rows", "of a part alone")
	require.Contains(t, describe("crowd_a"), `"estimated_rows":100`)
	w.sql(t, w.source, `ANALYZE crowd_b`)
	found := describe("crowd")
	require.Contains(t, found, `"estimated_rows":250`)
	require.Contains(t, found, `{"name":"feels","type":"mood","nullable":true,"values":["sad","so \"so\"","ok"]}`)
	require.Contains(t, found, `{"name":"feeling","type":"temper","nullable":true,"values":["sad","so \"so\"","ok"]}`)
	require.Contains(t, found, `{"name":"felt","type":"mood[]","nullable":true}`)
	require.NotContains(t, describe("crowded"), "estimated_rows", "of a view")
}

func TestFunctionsOfASource(t *testing.T) {
	t.Parallel()
	w, i := startShop(t)
	i.ok(t, track)
	w.sql(t, w.source, `CREATE FUNCTION looked(wanted text, most int DEFAULT 3) RETURNS SETOF stock LANGUAGE sql STABLE AS 'SELECT * FROM stock';
		COMMENT ON FUNCTION looked IS 'finds'; CREATE FUNCTION named(of stock) RETURNS text LANGUAGE sql STABLE AS 'SELECT of.label';
		CREATE FUNCTION twice() RETURNS int LANGUAGE sql AS 'SELECT 1'; CREATE FUNCTION twice(n int) RETURNS int LANGUAGE sql AS 'SELECT 2'`)
	listed := func() map[string][]json.RawMessage {
		var all []json.RawMessage
		require.NoError(t, json.Unmarshal([]byte(i.ok(t, `{"type":"pg_get_source_functions","args":{}}`)), &all))
		byName := map[string][]json.RawMessage{}
		for _, raw := range all {
			var f struct {
				Name struct{ Name string }
			}
			require.NoError(t, json.Unmarshal(raw, &f))
			byName[f.Name.Name] = append(byName[f.Name.Name], raw)
		}
		return byName
	}
	version := i.version()
	found := listed()
	require.JSONEq(t, `{"name":{"schema":"public","name":"looked"},"arguments":[{"name":"wanted","type":"text"},{"name":"most","type":"integer"}],
		"returns":"stock","returns_set":true,"return_table":{"schema":"public","name":"stock"},"volatility":"STABLE","description":"finds","tracked":false}`, string(found["looked"][0]))
	require.JSONEq(t, `{"name":{"schema":"public","name":"named"},"arguments":[{"name":"of","type":"stock","table":{"schema":"public","name":"stock"}}],
		"returns":"text","returns_set":false,"volatility":"STABLE","tracked":false,"refusal":"the function \"named\" cannot be tracked for the following reasons:\n  • the function does not return a \"COMPOSITE\" type\n  • the function does not return a table\n"}`, string(found["named"][0]))
	require.Len(t, found["twice"], 2)
	require.JSONEq(t, `{"name":{"schema":"public","name":"twice"},"arguments":[],"returns":"integer","returns_set":false,"volatility":"VOLATILE",
		"tracked":false,"refusal":"function \"twice\" is overloaded. Overloaded functions are not supported"}`, string(found["twice"][0]))
	require.Equal(t, version, i.version())
	i.ok(t, `{"type":"pg_track_function","args":{"function":"looked"}}`)
	require.Contains(t, string(listed()["looked"][0]), `"tracked":true`)
	i.ok(t, `{"type":"pg_untrack_function","args":{"function":"looked"}}`)
	i.ok(t, `{"type":"pg_untrack_table","args":{"table":"stock","cascade":true}}`)
	require.Contains(t, string(listed()["looked"][0]), `"refusal":"table \"stock\" is not tracked"`)
	i.fails(t, v1metadata, `{"type":"pg_get_source_functions","args":{"source":"none"}}`, "not-exists", "$.args", `source with name "none" does not exist`)
}

func TestTelemetryThatCannotBeSentIsInconsistent(t *testing.T) {
	t.Parallel()
	_, i := startShop(t)
	enable := `{"type":"set_opentelemetry_config","args":{"status":"enabled","data_types":["traces"],"exporter_otlp":{"otlp_traces_endpoint":%s}}}`
	for endpoint, reason := range map[string]string{
		`null`:                `Traces export is enabled but tracing endpoint missing`,
		`"nowhere"`:           `Invalid URL`,
		`{"from_env":"NONE"}`: `environment variable 'NONE' not set`,
		`"http://{{NONE}}/"`:  `Value for environment variables not found: NONE`,
	} {
		e := i.fails(t, v1metadata, fmt.Sprintf(enable, endpoint), "unexpected", "$.args", "cannot continue due to new inconsistent metadata")
		require.Contains(t, e.internal, `"reason":"Inconsistent object: `+reason+`"`)
		require.Contains(t, e.internal, `"name":"open_telemetry exporter_otlp"`)
		require.Equal(t, 400, e.status)
	}
	i.ok(t, fmt.Sprintf(enable, `"http://collector:4318/v1/traces"`))
	i.fails(t, v1metadata, `{"type":"set_opentelemetry_config","args":{"batch_span_processor":{"max_export_batch_size":0}}}`,
		"unexpected", "$.args", "cannot continue due to new inconsistent metadata")

	i.ok(t, `{"type":"replace_metadata","version":2,"args":{"allow_inconsistent_metadata":true,"metadata":{"version":3,"sources":[],
		"opentelemetry":{"status":"enabled","data_types":["logs"],"batch_span_processor":{"max_export_batch_size":-1}}}}}`)
	require.Contains(t, i.ok(t, `{"type":"get_inconsistent_metadata","args":{}}`), "open_telemetry batch_span_processor")
	i.ok(t, `{"type":"drop_inconsistent_metadata","args":{}}`)
	require.JSONEq(t, `{"is_consistent":true,"inconsistent_objects":[]}`, i.ok(t, `{"type":"get_inconsistent_metadata","args":{}}`))
}

func TestMaintenanceModeKeepsTheMetadata(t *testing.T) {
	t.Parallel()
	w, first := startShop(t)
	first.ok(t, track)
	first.Stop()
	w.maintenance = true
	i := w.start(t)
	version := i.version()
	for _, endpoint := range []metadatav1.ApplyRequest_Endpoint{v1metadata, v1query} {
		r := i.fails(t, endpoint, `{"type":"clear_metadata","args":{}}`, "unexpected", "$", "metadata cannot be modified in maintenance mode")
		require.Equal(t, 500, r.status)
	}
	i.fails(t, v2query, `{"type":"run_sql","args":{"sql":"DROP TABLE stock"}}`, "unexpected", "$", "metadata cannot be modified in maintenance mode")
	require.Contains(t, i.ok(t, `{"type":"clear_metadata","dry_run":true,"args":{}}`), `"refused":{"error":"metadata cannot be modified in maintenance mode"`)
	require.Contains(t, i.export(t), "stock")
	require.Equal(t, version, i.version())
}

// TestUnknownKeysOfCommands: single commands warn of them as replace_metadata does, and each element of a bulk in its own answer.
func TestUnknownKeysOfCommands(t *testing.T) {
	t.Parallel()
	_, i := startShop(t)
	const success = `{"message":"success"}`
	warned := func(names ...string) string {
		var list []string
		for _, n := range names {
			key := n[strings.LastIndex(n, ".")+1:]
			list = append(list, `{"message":"unknown key \"`+key+`\" is ignored","type":"metadata","name":"`+n+`","code":"unknown-key"}`)
		}
		return `{"message":"success","warnings":[` + strings.Join(list, ",") + `]}`
	}
	permission := func(role, more string) string {
		return `{"type":"pg_create_select_permission","args":{"table":"stock","role":"` + role + `","permission":{"columns":"*","filter":{}` + more + `}}}`
	}
	const unknown = `,"bogus":{"id":"x"}`
	i.ok(t, track)
	require.Equal(t, success, i.ok(t, permission("a", "")))
	require.Equal(t, warned("$.args.permission.bogus"), i.ok(t, permission("b", unknown)))
	for _, mode := range []string{"bulk", "bulk_keep_going"} {
		require.Equal(t, "["+success+","+warned("$.args.permission.bogus")+","+success+"]",
			i.ok(t, `{"type":"`+mode+`","args":[`+permission("c"+mode, "")+`,`+permission("d"+mode, unknown)+`,`+permission("e"+mode, "")+`]}`))
	}
	i.fails(t, v1metadata, `{"type":"pg_drop_relationship","args":{"table":"stock","relationship":"x","bogus":1}}`, "not-exists", "$.args", `"x" does not exist`)
	model := func(name, more string) string {
		return `{"type":"pg_track_logical_model","args":{"source":"default","name":"` + name + `","fields":[{"name":"id","type":"integer"` + more + `}]}}`
	}
	require.Equal(t, success, i.ok(t, `{"type":"bulk_atomic","args":[`+model("m", "")+`]}`))
	require.Equal(t, warned("$.args[1].args.fields[0].bogus"), i.ok(t, `{"type":"bulk_atomic","args":[`+model("n", "")+`,`+model("o", unknown)+`]}`))

	require.Equal(t, success, i.ok(t, `{"type":"pg_untrack_tables","args":{"tables":[{"table":"stock","cascade":true}]}}`))
	i.fails(t, v1metadata, `{"type":"pg_track_tables","args":{"allow_warnings":false,"tables":[{"table":"stock","bogus":1}]}}`,
		"metadata-warnings", "$.args", "failed due to metadata warnings")
	require.Equal(t, warned("$.args.tables[0].bogus"), i.ok(t, `{"type":"pg_track_tables","args":{"tables":[{"table":"stock","bogus":1}]}}`))
	require.Equal(t, success, i.ok(t, `{"type":"pg_untrack_table","args":{"table":"stock"}}`))
	require.Contains(t, i.ok(t, `{"type":"pg_track_table","args":{"table":"stock","logical_model":"m"}}`), "logical_model is kept and has no effect")
}
