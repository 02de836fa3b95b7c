package metadata_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/metadata"
)

// open is a schema with a role of requests without credentials.
type open struct {
	metadata.Schema
	role string
}

func (o open) OpenRole() string           { return o.role }
func (o open) HasRemotePermissions() bool { return true }
func (o open) CheckRemotePermission(string, string) error {
	return nil
}

// warned are the codes and names of the warnings that an operation is answered with.
func warned(t *testing.T, v metadata.View, request string) (codes, names []string) {
	t.Helper()
	e, err := metadata.ParseEnvelope([]byte(request))
	require.NoError(t, err)
	o, err := metadata.NewRegistry(backends()).Operation(metadata.APIMetadata, e)
	require.NoError(t, err)
	result, err := metadata.Apply(o.Args.(metadata.Command), v)
	require.NoError(t, err)
	if result.Reply == nil {
		return nil, nil
	}
	reply, err := result.Reply(metadata.View{Document: result.Document})
	require.NoError(t, err)
	var answer struct{ Warnings []metadata.Warning }
	require.NoError(t, json.Unmarshal(reply, &answer))
	for _, w := range answer.Warnings {
		codes, names = append(codes, w.Code), append(names, w.Name)
	}
	return codes, names
}

// TestPermissionsAreWarnedOf when one is made as when the document is replaced: of rules that compare
// with another engine's session variable, and of rules that use the claims of a caller without
// credentials.
func TestPermissionsAreWarnedOf(t *testing.T) {
	t.Parallel()
	const document = `{"version":3,"sources":[{"name":"default","kind":"postgres","tables":[{"table":"album"}],
		"logical_models":[{"name":"track","fields":[{"name":"id","type":"integer"}]}],
		"configuration":{"connection_info":{"database_url":"x"}}}],
		"remote_schemas":[{"name":"charts","definition":{"url":"http://charts.example"}}],
		"inherited_roles":[{"role_name":"anonymous","role_set":["visitor","reader"]}]}`
	view := func(role string) metadata.View {
		v := viewOf(t, json.RawMessage(document))
		v.Kind, v.Schema = metadata.DefaultKind, open{v.Schema, role}
		return v
	}
	for request, c := range map[string]struct{ code, name string }{
		`{"type":"pg_create_select_permission","args":{"table":"album","role":"clerk","permission":{"columns":[],"filter":{"id":{"_eq":"X-Acme-User-Id"}}}}}`:                                       {"foreign-session-variable", "select permission of role clerk on table album in source default"},
		`{"type":"pg_create_insert_permission","args":{"table":"album","role":"clerk","permission":{"check":{},"set":{"id":"x-acme-user-id"}}}}`:                                                    {"foreign-session-variable", "insert permission of role clerk on table album in source default"},
		`{"type":"pg_create_logical_model_select_permission","args":{"name":"track","role":"clerk","permission":{"columns":[],"filter":{"id":"x-acme-id"}}}}`:                                       {"foreign-session-variable", "select permission of role clerk on logical model track in source default"},
		`{"type":"add_remote_schema_permissions","args":{"remote_schema":"charts","role":"clerk","definition":{"schema":"type Query { top(of: ID @preset(value: [\"x\", \"x-acme-id\"])): ID }"}}}`: {"foreign-session-variable", "permission of role clerk on remote schema charts"},
		`{"type":"pg_create_delete_permission","args":{"table":"album","role":"anonymous","permission":{"filter":{"id":"X-Engine-User-Id"}}}}`:                                                      {"unproven-session-variable", "delete permission of role anonymous on table album in source default"},
		`{"type":"pg_create_update_permission","args":{"table":"album","role":"reader","permission":{"columns":[],"filter":{},"check":{"id":"REQ_USER_ID"}}}}`:                                      {"unproven-session-variable", "update permission of role reader on table album in source default"},
		`{"type":"add_remote_schema_permissions","args":{"remote_schema":"charts","role":"visitor","definition":{"schema":"type Query { top(of: ID @preset(value: \"x-engine-id\")): ID }"}}}`:      {"unproven-session-variable", "permission of role visitor on remote schema charts"},
		`{"type":"pg_create_delete_permission","args":{"table":"album","role":"ADMIN","permission":{"filter":{}}}}`:                                                                                 {"role-like-admin", "delete permission of role ADMIN on table album in source default"},
	} {
		codes, names := warned(t, view("anonymous"), request)
		require.Equal(t, []string{c.code}, codes, request)
		require.Equal(t, []string{c.name}, names, request)
	}
	for _, request := range []string{
		`{"type":"pg_create_select_permission","args":{"table":"album","role":"clerk","permission":{"columns":[],"filter":{"id":{"_eq":"X-Engine-User-Id"}}}}}`,
		`{"type":"pg_create_select_permission","args":{"table":"album","role":"anonymous","permission":{"columns":[],"filter":{"kind":{"_eq":"x-engine-role"}}}}}`,
	} {
		codes, _ := warned(t, view("anonymous"), request)
		require.Empty(t, codes, request)
	}
	codes, _ := warned(t, view(""), `{"type":"pg_create_delete_permission","args":{"table":"album","role":"anonymous","permission":{"filter":{"id":"X-Engine-User-Id"}}}}`)
	require.Empty(t, codes, "no caller has the role without credentials")

	codes, _ = warned(t, view("anonymous"), `{"type":"replace_metadata","args":{"version":3,"sources":[{"name":"default","kind":"postgres",
		"tables":[{"table":"album","select_permissions":[
			{"role":"anonymous","permission":{"columns":[],"filter":{"id":"X-Engine-User-Id"}}},
			{"role":"clerk","permission":{"columns":[],"filter":{"id":"X-Acme-User-Id"}}}]}],
		"configuration":{"connection_info":{"database_url":"x"}}}]}}`)
	require.Equal(t, []string{"unproven-session-variable", "foreign-session-variable"}, codes)
}
