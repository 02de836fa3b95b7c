package resolve_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/catalog"
	"queryengine/pkg/remoteschema/remotetest"
	"queryengine/pkg/resolve"
)

// TestRemoteTypesAndThoseOfTheEngine: types of the engine that are something else take a remote
// schema away, and equal ones are one.
func TestRemoteTypesAndThoseOfTheEngine(t *testing.T) {
	t.Parallel()
	const types = `{"objects":[{"name":"Result","fields":[{"name":"id","type":"Int!"},{"name":"of","type":"[String!]"}]},
			{"name":"Linked","fields":[{"name":"id","type":"Int!"}],"relationships":[
				{"name":"album","type":"object","source":"default","remote_table":"album","field_mapping":{"id":"id"}}]}],
		"input_objects":[{"name":"Given","fields":[{"name":"a","type":"Int"}]}],"enums":[{"name":"Mood","values":[{"value":"good"},{"value":"bad"}]}],
		"scalars":[{"name":"Anything"}]}`
	const action = `{"name":"act","definition":{"handler":"http://h","output_type":"Result"}}`
	for sdl, other := range map[string]string{
		`type Query { r: Result } type Result { of: [String!] id: Int! }`:           "",
		`type Query { r: Result } type Result { of: [String] id: Int! }`:            "type Result {\n  id: Int!\n  of: [String!]\n}",
		`type Query { r: Result } interface Result { of: [String!] id: Int! }`:      "type Result {\n  id: Int!\n  of: [String!]\n}",
		`type Query { r: Linked } type Linked { id: Int! }`:                         "type Linked {\n  album: album\n  id: Int!\n}",
		`type Query { r(g: Given): Int } input Given { a: Int }`:                    "",
		`type Query { r(g: Given): Int } input Given { a: Int b: Int }`:             "input Given {\n  a: Int\n}",
		`type Query { r: Mood } enum Mood { bad good }`:                             "",
		`type Query { r: Mood } enum Mood { good }`:                                 "enum Mood {\n  bad\n  good\n}",
		`type Query { r: Anything } scalar Anything`:                                "",
		`type Query { r: Anything } enum Anything { A }`:                            "scalar Anything",
		`type Query { r: mutation_root } type mutation_root { a: Int }`:             "a root type of the engine",
		`schema { query: query_root } type query_root { r: Int }`:                   "",
		`type Query { r: album_bool_exp } type album_bool_exp { a: Int }`:           "a type that is made for a table",
		`type Query { r(w: album_bool_exp): Int } input album_bool_exp { id: Int }`: "",
		`type Query { r: album_aggregate } enum album_aggregate { A }`:              "a type that is made for a table",
		`type Query { r: order_by } enum order_by { asc desc }`:                     "",
	} {
		doc := withActions(t, types, action)
		doc.RemoteSchemas = parseDocument(t, `{"version":3,"sources":[],"remote_schemas":[`+remote("other", "}")+`]}`).RemoteSchemas
		s := resolve.New(doc, resolve.Findings{
			Catalogs: map[string]*catalog.Source{"default": shop()}, Remotes: map[string]json.RawMessage{"other": remotetest.Answer(t, sdl)},
		}, nil, options())
		if other == "" {
			require.NotNil(t, s.Remote("other"), "%s: %s", sdl, problems(s))
			continue
		}
		require.Nil(t, s.Remote("other"), sdl)
		text := strings.Join(problems(s), "\n")
		require.Contains(t, text, "Conflicting types: Found conflicting definitions for GraphQL type", sdl)
		require.Contains(t, text, "\nLatter has definition:\n"+other, sdl)
	}
}
