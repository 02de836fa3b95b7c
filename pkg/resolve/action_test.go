package resolve_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
)

// withActions is the shop with custom types and actions.
func withActions(t testing.TB, types, actions string) *metadata.Document {
	doc := everything(t)
	more := parseDocument(t, `{"version":3,"sources":[],"custom_types":`+types+`,"actions":[`+actions+`]}`)
	doc.CustomTypes, doc.Actions = more.CustomTypes, more.Actions
	return doc
}

func TestCustomTypeFaults(t *testing.T) {
	t.Parallel()
	const because = "validation for the given custom types failed because "
	object := func(fields, relationships string) string {
		return `{"objects":[{"name":"O","fields":[` + fields + `],"relationships":[` + relationships + `]}]}`
	}
	relationship := func(source, table, field, column string) string {
		return `{"name":"r","type":"object","source":"` + source + `","remote_table":"` + table + `","field_mapping":{"` + field + `":"` + column + `"}}`
	}
	for types, want := range map[string]string{
		`{"scalars":[{"name":"T"},{"name":"Int"}],"enums":[{"name":"T","values":[{"value":"A"}]}]}`:     `duplicate type names: "Int", "T"`,
		`{"input_objects":[{"name":"I","fields":[{"name":"f","type":"X"}]}]}`:                           `the type "X" for field "f" in  input object type "I" does not exist`,
		`{"input_objects":[{"name":"I","fields":[{"name":"f","type":"Int"},{"name":"f","type":"I"}]}]}`: `the input object "I" has duplicate fields: "f"`,
		object(`{"name":"f","type":"[X!]"}`, ""):                                                        `the type "X" for field "f" in  object type "O" does not exist`,
		object(`{"name":"r","type":"Int"}`, relationship("default", "album", "r", "id")):                `the object "O" has duplicate fields: "r"`,
		object(`{"name":"f","type":"Int","arguments":[]}`, ""):                                          `the object "O" can't have arguments`,
		object(`{"name":"f","type":"Int"}`, relationship("other", "album", "f", "id")):                  `the remote table "album" for relationship "r" of object type "O" does not exist`,
		object(`{"name":"f","type":"Int"}`, relationship("default", "a.b", "f", "id")):                  `the remote table "a.b" for relationship "r" of object type "O" does not exist`,
		object(`{"name":"f","type":"Int"}`, relationship("default", "album", "g", "id")):                `the field "g" for relationship "r" in object type "O" does not exist`,
		object(`{"name":"f","type":"[Int]"}`, relationship("default", "album", "f", "id")):              `the type of the field "f" for relationship "r" in object type "O" is a list type`,
		object(`{"name":"f","type":"Int"}`, relationship("default", "album", "f", "none")):              `the column "none" of remote table "album" for relationship "r" of object type "O" does not exist`,
		`{"enums":[{"name":"E","values":[{"value":"A"},{"value":"A"}]}]}`:                               `the enum type "E" has duplicate values: "A"`,
		`{"input_objects":[{"name":"I","fields":[{"name":"f","type":"O"}]}],"objects":[` +
			`{"name":"O","fields":[{"name":"f","type":"O"}]}]}`: `the type "O" for field "f" in  input object type "I" does not exist`,
	} {
		require.Equal(t, []string{because + want}, problems(build(withActions(t, types, ""), shop())), types)
	}
	types := `{"objects":[{"name":"O","fields":[{"name":"a","type":"X"},{"name":"b","type":"Y"}]}]}`
	require.Equal(t, []string{
		"validation for the given custom types failed for the following reasons:\n" +
			"  • the type \"X\" for field \"a\" in  object type \"O\" does not exist\n" +
			"  • the type \"Y\" for field \"b\" in  object type \"O\" does not exist\n",
		`in action "a": custom types are inconsistent`,
	}, problems(build(withActions(t, types, `{"name":"a","definition":{"handler":"http://h","output_type":"Int"}}`), shop())))
}

func TestActionFaults(t *testing.T) {
	t.Parallel()
	const types = `{"scalars":[{"name":"Anything"}],"enums":[{"name":"Mood","values":[{"value":"good"}]}],
		"input_objects":[{"name":"In","fields":[{"name":"at","type":"timestamptz!"},{"name":"in","type":"[In!]"}]}],
		"objects":[{"name":"Ref","fields":[{"name":"id","type":"Int!"}]},
			{"name":"Out","fields":[{"name":"id","type":"Int!"},{"name":"ref","type":"[Ref!]"},{"name":"mood","type":"Mood"},{"name":"out","type":"Out"}],
				"relationships":[{"name":"album","type":"object","remote_table":"album","field_mapping":{"id":"id"}}]},
			{"name":"Bad","fields":[{"name":"ref","type":"Ref"}],
				"relationships":[{"name":"album","type":"object","remote_table":"album","field_mapping":{"ref":"id"}}]}]}`
	o := options()
	o.Env = func(name string) (string, bool) { return "http://x", name == "HANDLER" }
	for _, c := range []struct{ definition, want string }{
		{`"handler":"{{HANDLER}}","output_type":"Out!","arguments":[{"name":"i","type":"In!"},{"name":"m","type":"Mood"},{"name":"j","type":"[jsonb]"},{"name":"s","type":"Anything"}]`, ""},
		{`"handler":"http://h","output_type":"[uuid!]","type":"query"`, ""},
		{`"handler":"http://h","output_type":"Int","arguments":[{"name":"o","type":"[Out]"}]`, `the type: "Out" is not defined in custom types or it is not a scalar/enum/input_object`},
		{`"handler":"http://h","output_type":"Int","arguments":[{"name":"o","type":"What"}]`, `the type: "What" is not defined in custom types or it is not a scalar/enum/input_object`},
		{`"handler":"http://h","output_type":"In"`, `the type: "In" is not an object or scalar type defined in custom types`},
		{`"handler":"http://h","output_type":"What!"`, `the type: "What" is not an object or scalar type defined in custom types`},
		{`"handler":"http://h","output_type":"Mood"`, `the type: "Mood" is not an object or scalar type defined in custom types`},
		{`"handler":"http://h","output_type":"Bad"`, `Relationships cannot be defined with nested object fields: "album"`},
		{`"handler":"http://h","output_type":"Out","kind":"asynchronous"`, `Async action relations cannot be used with object fields: "ref", "out"`},
		{`"handler":"{{NONE}}/{{HANDLER}}/{{NO}}","output_type":"Int"`, `Value for environment variables not found: NONE, NO`},
		{`"handler":"http://h","output_type":"Int","headers":[{"name":"x","value_from_env":"NONE"}]`, `environment variable 'NONE' not set`},
	} {
		doc := withActions(t, types, `{"name":"act","definition":{`+c.definition+`},"permissions":[{"role":"clerk"}]}`)
		s := resolve.Build(doc, map[string]*catalog.Source{"default": shop()}, nil, nil, o)
		if c.want == "" {
			require.Empty(t, problems(s), c.definition)
			require.NotNil(t, s.Action("act"))
			continue
		}
		require.Equal(t, []string{`in action "act": ` + c.want}, problems(s))
		require.Nil(t, s.Action("act"))
	}
}

const echo = `{"name":"echo","definition":{"handler":"http://h","output_type":"Int","kind":"asynchronous"},"permissions":[{"role":"clerk"},{"role":"admin"}]}`

func TestActionsOfRoles(t *testing.T) {
	t.Parallel()
	doc := withActions(t, `{}`, echo)
	doc.InheritedRoles = []*metadata.InheritedRole{{Name: "lead", Set: []string{"clerk"}}}
	s := build(doc, shop())
	for role, want := range map[string]bool{"admin": true, "clerk": true, "lead": true, "guest": false} {
		require.Equal(t, want, s.Allowed(s.Action("echo"), role), role)
	}
	require.Equal(t, []string{"cannot define permission for admin role"}, problems(s))
	i := s.Inconsistencies()[0]
	require.Equal(t, "action_permission admin permission in echo", i.Name)
	require.JSONEq(t, `{"action":"echo","role":"admin","comment":null}`, dump(t, i.Definition))
}

func TestAsynchronousActionsTakeTheNamesOfTypes(t *testing.T) {
	t.Parallel()
	s := build(withActions(t, `{"scalars":[{"name":"echo"}]}`, echo), shop())
	require.Contains(t, problems(s), `in action "echo": found conflicting definitions for GraphQL type "echo"`)
	require.Nil(t, s.Action("echo"))
}

func TestActionsTakeTheNamesOfRootFields(t *testing.T) {
	t.Parallel()
	const refusal = "Encountered conflicting definitions in the selection set for 'query_root' for field 'album' defined in " +
		"[action album, table album in source default]. Fields must not be defined more than once across all sources."
	doc := withActions(t, `{}`, `{"name":"album","definition":{"handler":"http://h","output_type":"Int","type":"query"}}`)
	before := build(everything(t), shop())
	require.Empty(t, problems(before))
	for _, prev := range []*resolve.Schema{nil, before} {
		s := resolve.Build(doc, map[string]*catalog.Source{"default": shop()}, nil, prev, options())
		list := s.Inconsistencies()
		require.Len(t, list, 1)
		require.Equal(t, "Conflicting objects: "+refusal, list[0].Reason)
		require.Equal(t, refusal, list[0].Refusal)
	}
}

func TestActionsAreTakenOver(t *testing.T) {
	t.Parallel()
	const types = `{"objects":[{"name":"O","fields":[{"name":"id","type":"Int"}],
		"relationships":[{"name":"albums","type":"array","remote_table":"album","field_mapping":{"id":"artist_id"}},
			{"name":"album","type":"object","remote_table":"album","field_mapping":{"id":"id"}}]}]}`
	doc := withActions(t, types, echo)
	catalogs := map[string]*catalog.Source{"default": shop()}
	first := resolve.Build(doc, catalogs, nil, nil, options())
	again := resolve.Build(doc, catalogs, nil, first, options())
	require.Same(t, first.Action("echo"), again.Action("echo"))
	r := again.TypeRelationships(again.CustomType("O"))
	require.Len(t, r, 2)
	require.True(t, r[0].Array)
	require.False(t, r[0].Unique)
	require.True(t, r[1].Unique)

	// A table that goes makes the types inconsistent, and the actions with them.
	gone := *doc
	gone.Sources = document(t, tracked(artistTable)).Sources
	s := resolve.Build(&gone, catalogs, nil, again, options())
	require.Nil(t, s.Action("echo"))
	require.Len(t, s.Inconsistencies(), 3)
}
