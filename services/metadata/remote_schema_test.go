package metadata

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/remoteschema/remotetest"
)

const (
	crmSDL = `
type Person { id: ID! name: String }
type Query { person(id: ID!): Person hello: String }`
	ratesSDL = `type Query { rate(currency: String!): Float }`
)

func addRemote(name, url, rest string) string {
	return fmt.Sprintf(`{"type":"add_remote_schema","args":{"name":%q,"definition":{"url":%q%s}}}`, name, url, rest)
}

func startWithRemotes(t *testing.T) (*world, *instance) {
	t.Helper()
	w := newWorld(t, `CREATE TABLE customer (id int PRIMARY KEY, person text)`)
	w.remotePermissions = true
	i := w.start(t)
	i.ok(t, `{"type":"pg_track_table","args":{"table":"customer"}}`)
	return w, i
}

func TestRemoteSchemasLive(t *testing.T) {
	t.Parallel()
	w, i := startWithRemotes(t)
	crm := remotetest.Serve(t, crmSDL)
	follower := w.follow(t, false)
	i.ok(t, addRemote("crm", crm.URL, `,"headers":[{"name":"X-Key","value":"k"}]`))
	require.Equal(t, "k", crm.Asked()[0].Get("X-Key"))
	require.Equal(t, "admin", crm.Asked()[0].Get("X-Engine-Role"))
	raw := i.ok(t, `{"type":"introspect_remote_schema","args":{"name":"crm"}}`)
	require.JSONEq(t, string(remotetest.Answer(t, crmSDL)), raw)

	seen := waitFor(t, follower, i.version())
	require.JSONEq(t, raw, string(seen.Remotes["crm"]), "services needn't ask")
	require.Equal(t, exported(t, seen), i.export(t))

	// What doesn't concern the remote leaves its answer alone, and doesn't ask it.
	asked := len(crm.Asked())
	before := i.engine.State().Remotes["crm"]
	i.ok(t, `{"type":"pg_untrack_table","args":{"table":"customer"}}`)
	require.Len(t, crm.Asked(), asked)
	require.Same(t, &before[0], &i.engine.State().Remotes["crm"][0])

	version := i.version()
	i.ok(t, `{"type":"reload_remote_schema","args":{"name":"crm"}}`)
	require.Len(t, crm.Asked(), asked+1)
	crm.Set(remotetest.Answer(t, `type Query { hello: String bye: String }`))
	i.ok(t, `{"type":"reload_remote_schema","args":{"name":"crm"}}`)
	require.NotNil(t, i.engine.State().Schema.Remote("crm").For("admin").Query.Field("bye"))
	require.Greater(t, i.version(), version)

	i.ok(t, `{"type":"remove_remote_schema","args":{"name":"crm"}}`)
	require.Empty(t, i.engine.State().Remotes)
	require.Empty(t, waitFor(t, follower, i.version()).Remotes)
}

func TestRemoteSchemasThatFail(t *testing.T) {
	t.Parallel()
	w, i := startWithRemotes(t)
	crm, rates := remotetest.Serve(t, crmSDL), remotetest.Serve(t, ratesSDL)
	down := remotetest.Serve(t, ratesSDL)
	down.Close()

	const failed = `HTTP exception occurred while sending the request to "`
	got := i.fails(t, v1metadata, addRemote("down", down.URL, ""), "remote-schema-error", "$.args", failed+down.URL+`"`)
	require.JSONEq(t, `{"type":"http_exception","message":"Connection failure: connection refused"}`, got.internal)
	i.fails(t, v1metadata, addRemote("x", "{{NO_SUCH_VARIABLE_HERE}}", ""), "unexpected", "$.args",
		"Value for environment variables not found: NO_SUCH_VARIABLE_HERE")
	i.fails(t, v1metadata, addRemote("x", "nonsense", ""), "invalid-params", "$.args", "not a valid URI generated from the template: nonsense")
	i.fails(t, v1metadata, `{"type":"add_remote_schema","args":{"name":"x","definition":{"url_from_env":"NO_SUCH_VARIABLE_HERE"}}}`,
		"invalid-params", "$.args", "environment variable 'NO_SUCH_VARIABLE_HERE' not set")
	i.fails(t, v1metadata, addRemote("x", crm.URL, `,"customization":{"type_names":{"mapping":{"Person":"Query"}}}`), "remote-schema-error", "$.args",
		`Type name mappings are not distinct; the following types appear more than once: "Query"`)
	crm.Set([]byte(`{"errors":[{"message":"no"}]}`))
	i.fails(t, v1metadata, addRemote("crm", crm.URL, ""), "remote-schema-error", "$.args", `Error in $: key "data" not found`)

	crm.Set(remotetest.Answer(t, crmSDL))
	i.ok(t, addRemote("crm", crm.URL, ""))
	i.ok(t, addRemote("rates", rates.URL, ""))
	i.fails(t, v1metadata, addRemote("again", crm.URL, ""), "unexpected", "$.args", "cannot continue due to new inconsistent metadata")
	i.fails(t, v1metadata, fmt.Sprintf(`{"type":"update_remote_schema","args":{"name":"rates","definition":{"url":%q}}}`, crm.URL),
		"invalid-configuration", "$.args", "Inconsistent object: Duplicate remote field 'person'")
	i.run(t, `CREATE TABLE hello (id int PRIMARY KEY)`)
	i.fails(t, v1metadata, `{"type":"pg_track_table","args":{"table":"hello"}}`, "remote-schema-conflicts", "$.args",
		"node hello already exists in current graphql schema")

	i.run(t, `CREATE TABLE planet (id int PRIMARY KEY)`)
	i.ok(t, `{"type":"pg_track_table","args":{"table":"planet"}}`)
	planets := remotetest.Serve(t, `type Query { nearest: planet } type planet { id: Int! }`)
	refused := i.fails(t, v1metadata, addRemote("planets", planets.URL, ""), "invalid-configuration", "$.args",
		"Inconsistent object: Conflicting types: Found conflicting definitions for GraphQL type 'planet'.  The definition at 'planet' differs "+
			"from the definition at e.g. 'planet'.\nFormer has definition:\ntype planet {\n  id: Int!\n}\nLatter has definition:\n"+
			"the rows of table planet in source default")
	require.Contains(t, refused.internal, `"name":"remote_schema planets"`)

	// A remote that is down is used as it was, also after a start.
	crm.Close()
	i.fails(t, v1metadata, `{"type":"reload_remote_schema","args":{"name":"crm"}}`, "invalid-configuration", "$.args",
		`Inconsistent object: remote schema "crm" is inconsistent because of stale remote schema introspection is used. `+
			`The remote schema couldn't be reached for a fresh introspection because we got error: `+failed+crm.URL+`"`)
	var report struct {
		Consistent   bool `json:"is_consistent"`
		Inconsistent []struct {
			Name    string          `json:"name"`
			Message json.RawMessage `json:"message"`
		} `json:"inconsistent_objects"`
	}
	require.NoError(t, json.Unmarshal([]byte(i.ok(t, `{"type":"reload_metadata","args":{}}`)), &report))
	require.False(t, report.Consistent)
	require.Equal(t, "remote_schema crm", report.Inconsistent[0].Name)
	require.JSONEq(t, got.internal, string(report.Inconsistent[0].Message))
	require.NotNil(t, i.engine.State().Schema.Remote("crm"))

	version := i.version()
	i.Stop()
	again := w.start(t)
	require.NotNil(t, again.engine.State().Schema.Remote("crm"))
	require.GreaterOrEqual(t, again.version(), version)

	// What comes with a document from elsewhere may be down from the start.
	replaced := again.ok(t, fmt.Sprintf(`{"type":"replace_metadata","version":2,"args":{"allow_inconsistent_metadata":true,"metadata":
		{"version":3,"sources":[],"remote_schemas":[{"name":"crm","definition":{"url":%q}},{"name":"rates","definition":{"url":%q}}]}}}`, down.URL, rates.URL))
	require.Contains(t, replaced, `"Inconsistent object: HTTP exception occurred while sending the request to \"`+down.URL)
	require.Nil(t, again.engine.State().Schema.Remote("crm"), "the answer of another address doesn't count")
	require.NotNil(t, again.engine.State().Schema.Remote("rates"))
	again.ok(t, `{"type":"drop_inconsistent_metadata","args":{}}`)
	require.NotContains(t, again.export(t), `"crm"`)
}

func TestRemoteSchemasAreHeldByWhatNeedsThem(t *testing.T) {
	t.Parallel()
	_, i := startWithRemotes(t)
	crm := remotetest.Serve(t, crmSDL)
	i.ok(t, addRemote("crm", crm.URL, ""))
	i.ok(t, `{"type":"pg_create_remote_relationship","args":{"table":"customer","name":"about","definition":{"to_remote_schema":
		{"remote_schema":"crm","lhs_fields":["person"],"remote_field":{"person":{"arguments":{"id":"$person"}}}}}}}`)
	i.fails(t, v1metadata, `{"type":"remove_remote_schema","args":{"name":"crm"}}`, "dependency-error", "$.args",
		`cannot drop due to the following dependent objects: remote relationship customer.about in source "default"`)
	i.ok(t, `{"type":"add_remote_schema_permissions","args":{"remote_schema":"crm","role":"clerk","definition":{"schema":"type Query { hello: String }"}}}`)
	i.fails(t, v1metadata, `{"type":"add_remote_schema_permissions","args":{"remote_schema":"crm","role":"clerk","definition":{"schema":"type Query { hello: String }"}}}`,
		"already-exists", "$.args", `permissions for role: "clerk" for remote schema:"crm" already exists`)
	i.fails(t, v1metadata, `{"type":"add_remote_schema_permissions","args":{"remote_schema":"crm","role":"admin","definition":{"schema":"type Query { hello: String }"}}}`,
		"constraint-violation", "$.args", `cannot define permission for admin role`)
	i.fails(t, v1metadata, `{"type":"add_remote_schema_permissions","args":{"remote_schema":"rates","role":"clerk","definition":{"schema":""}}}`,
		"not-exists", "$.args", `remote schema "rates" doesn't exist`)

	// The remote loses what a permission and a relationship need.
	crm.Set(remotetest.Answer(t, `type Query { salute: String }`))
	i.fails(t, v1metadata, `{"type":"reload_remote_schema","args":{"name":"crm"}}`, "unexpected", "$.args", "cannot continue due to new inconsistent metadata")
	report := i.ok(t, `{"type":"reload_metadata","args":{}}`)
	require.Contains(t, report, `remote_schema_permission clerk permission in remote schema crm`)
	require.Contains(t, report, `field with name \"person\" not found in remote schema`)
	require.Nil(t, i.engine.State().Schema.Remote("crm").For("clerk"))
	i.ok(t, `{"type":"drop_inconsistent_metadata","args":{}}`)
	i.ok(t, `{"type":"remove_remote_schema","args":{"name":"crm"}}`)
}

func TestRemoteSchemasLeaveWithTheirDependents(t *testing.T) {
	t.Parallel()
	_, i := startWithRemotes(t)
	crm, rates := remotetest.Serve(t, crmSDL), remotetest.Serve(t, `type Query { rate: Int }`)
	i.ok(t, addRemote("crm", crm.URL, ""))
	i.ok(t, addRemote("rates", rates.URL, ""))
	i.ok(t, `{"type":"pg_create_remote_relationship","args":{"table":"customer","name":"about","definition":{"to_remote_schema":
		{"remote_schema":"crm","lhs_fields":["person"],"remote_field":{"person":{"arguments":{"id":"$person"}}}}}}}`)
	i.ok(t, `{"type":"pg_create_remote_relationship","args":{"table":"customer","name":"rate","definition":{"to_remote_schema":
		{"remote_schema":"rates","lhs_fields":[],"remote_field":{"rate":{"arguments":{}}}}}}}`)
	i.ok(t, `{"type":"remove_remote_schema","args":{"name":"crm","cascade":true}}`)
	require.NotContains(t, i.export(t), `"crm"`)
	require.NotContains(t, i.export(t), `"about"`)
	require.Contains(t, i.export(t), `"rate"`, "what leads elsewhere stays")
}
