package resolve_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
	"queryengine/pkg/remoteschema/remotetest"
	"queryengine/pkg/resolve"
)

const helpSDL = `
type Person { id: ID! name: String }
type Query { person(id: ID!): Person people(where: Where, ids: [ID!]): [Person] hello: String count(from: Int!): Counter }
type Counter { next(by: Int!): Int }
input Where { id: ID name: String age: Int ok: Boolean mood: Mood }
enum Mood { GOOD BAD }
type Mutation { rename(id: ID!, name: String): Person }`

// remote is a remote schema of a document; rest are more of its keys.
func remote(name, rest string) string {
	return fmt.Sprintf(`{"name":%q,"definition":{"url":"http://%s"%s}`, name, name, rest)
}

// withRemotes is the shop with remote schemas, whose schemas are in sdl by name.
func withRemotes(t *testing.T, remotes []string, sdl map[string]string, roles string, keys ...string) *resolve.Schema {
	t.Helper()
	doc := parseDocument(t, fmt.Sprintf(`{"version":3,"remote_schemas":[%s],"inherited_roles":[%s],"sources":[{"name":"default","kind":"postgres",
		"configuration":{"connection_info":{"database_url":"x"}},"tables":[%s,%s,%s,%s]}]}`,
		strings.Join(remotes, ","), roles, tracked(artistTable), tracked(genreTable), tracked(trackTable), tracked(albumTable, keys...)))
	found := resolve.Findings{Catalogs: map[string]*catalog.Source{"default": shop()}, Remotes: map[string]json.RawMessage{}}
	for name, text := range sdl {
		found.Remotes[name] = remotetest.Answer(t, text)
	}
	o := options()
	o.RemoteSchemaPermissions = true
	return resolve.New(doc, found, nil, o)
}

func TestRemoteSchemaConflicts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, definition, sdl, want string
	}{
		{"root field of a remote", `}`, `type Query { hello: String }`, `Duplicate remote field 'hello'`},
		{"root field of a mutation", `}`, `type Query { a: Int } type Mutation { rename: Int }`, `Duplicate remote field 'rename'`},
		{"root field of a source", `}`, `type Query { album_by_pk: Int }`, `Field cannot be overwritten by remote field 'album_by_pk'`},
		{"mutation of a source", `}`, `type Query { a: Int } type Mutation { insert_album: Int }`, `Field cannot be overwritten by remote field 'insert_album'`},
		{"the roots are apart", `}`, `type Query { insert_album: Int }`, ``},
		{"case counts", `}`, `type Query { Hello: Int }`, ``},
		{"a namespace", `,"customization":{"root_fields_namespace":"other"}}`, `type Query { hello: String }`, ``},
		{"a namespace that is taken", `,"customization":{"root_fields_namespace":"hello"}}`, `type Query { a: String }`, `Duplicate remote field 'hello'`},
		{"an equal type", `}`, `type Person { name: String id: ID! } type Query { me: Person }`, ``},
		{
			"an unequal type", `}`, `type Person { id: ID } type Query { me: Person }`,
			"Conflicting types: Found conflicting definitions for GraphQL type 'Person'.  The definition at 'Person' differs from the definition at e.g. 'Person'.\n" +
				"Former has definition:\ntype Person {\n  id: ID\n}\nLatter has definition:\ntype Person {\n  id: ID!\n  name: String\n}",
		},
		{"an unequal type under another name", `,"customization":{"type_names":{"prefix":"My"}}}`, `type Person { id: ID } type Query { me: Person }`, ``},
		{
			"the type of a table", `}`, `type artist { id: ID } type Query { me: artist }`,
			"Conflicting types: Found conflicting definitions for GraphQL type 'artist'.  The definition at 'artist' differs from the definition at e.g. 'artist'.\n" +
				"Former has definition:\ntype artist {\n  id: ID\n}\nLatter has definition:\nthe rows of table artist in source default",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := withRemotes(t, []string{remote("help", "}"), remote("other", c.definition)}, map[string]string{"help": helpSDL, "other": c.sdl}, "")
			require.NotNil(t, s.Remote("help"))
			if c.want == "" {
				require.NotNil(t, s.Remote("other"), problems(s))
				require.Empty(t, problems(s))
				return
			}
			require.Nil(t, s.Remote("other"))
			require.Equal(t, []string{c.want}, problems(s))
			require.Equal(t, "remote_schema other", s.Inconsistencies()[0].Name)
			require.Equal(t, metadata.ObjectID{Kind: metadata.ObjectRemoteSchema, Remote: "other"}, s.Inconsistencies()[0].ID)
		})
	}
}

func permitted(t *testing.T, role, sdl string) string {
	t.Helper()
	return fmt.Sprintf(`{"role":%q,"definition":{"schema":%s}}`, role, dump(t, sdl))
}

func TestRemoteSchemaPermissions(t *testing.T) {
	t.Parallel()
	const hello, people = `type Query { hello: String }`, `type Query { people: [Person] } type Person { id: ID! name: String }`
	s := withRemotes(t, []string{remote("help", `},"permissions":[`+strings.Join([]string{
		permitted(t, "a", hello), permitted(t, "a2", `schema { query: Query } type Query { hello: String }`),
		permitted(t, "b", people), permitted(t, "own", people), permitted(t, "bad", `type Query { hullo: String }`),
	}, ",")+`]`)}, map[string]string{"help": helpSDL}, strings.Join([]string{
		`{"role_name":"same","role_set":["a","a2","clerk"]}`, `{"role_name":"differs","role_set":["a","b"]}`,
		`{"role_name":"own","role_set":["a","b"]}`, `{"role_name":"under","role_set":["differs","a"]}`,
	}, ","), `"select_permissions":[{"role":"clerk","permission":{"columns":["id"],"filter":{}}}]`)
	help := s.Remote("help")
	fields := func(role string) []string {
		view := help.For(role)
		if view == nil {
			return nil
		}
		var names []string
		for _, f := range view.Query.Fields {
			names = append(names, f.Name)
		}
		return names
	}
	require.Equal(t, []string{"person", "people", "hello", "count"}, fields("admin"))
	require.Equal(t, []string{"hello"}, fields("a"))
	require.Equal(t, []string{"hello"}, fields("same"))
	require.Equal(t, []string{"people"}, fields("own"))
	for _, role := range []string{"differs", "under", "bad", "clerk", "nobody"} {
		require.Nil(t, help.For(role), role)
	}
	view := help.For("a")
	require.Same(t, view, help.For("a"), "a view is made once")
	require.Equal(t, []string{
		`validation for the given role-based schema failed because field "hullo" does not exist in the "Object": "Query"`,
		`Could not inherit permission for the role 'differs' for the entity: 'remote schema: 'help''`,
		`Could not inherit permission for the role 'under' for the entity: 'remote schema: 'help''`,
	}, problems(s))
	require.Equal(t, "remote_schema_permission bad permission in remote schema help", s.Inconsistencies()[0].Name)
	require.JSONEq(t, `{"remote_schema":"help"}`, dump(t, s.Inconsistencies()[1].Entity))
}

func TestRemoteSchemasAreTakenOver(t *testing.T) {
	t.Parallel()
	doc := parseDocument(t, `{"version":3,"sources":[],"remote_schemas":[`+remote("help", "}")+`]}`)
	raw := remotetest.Answer(t, helpSDL)
	first := resolve.New(doc, resolve.Findings{Remotes: map[string]json.RawMessage{"help": raw}}, nil, options())
	again := resolve.New(doc, resolve.Findings{Remotes: map[string]json.RawMessage{"help": append(json.RawMessage{}, raw...)}}, first, options())
	require.Same(t, first.Remote("help"), again.Remote("help"))

	renamed := parseDocument(t, `{"version":3,"sources":[],"remote_schemas":[`+remote("help", `,"customization":{"type_names":{"prefix":"x"}}}`)+`]}`)
	next := resolve.New(renamed, resolve.Findings{Remotes: map[string]json.RawMessage{"help": raw}}, again, options())
	require.NotSame(t, again.Remote("help"), next.Remote("help"))
	require.Same(t, again.Remote("help").Upstream, next.Remote("help").Upstream)
	require.NotNil(t, next.Remote("help").For("anybody").Type("xPerson"))

	gone := resolve.New(doc, resolve.Findings{RemoteErrors: map[string]string{"help": "it is down"}}, next, options())
	require.Nil(t, gone.Remote("help"))
	require.Equal(t, []string{"it is down"}, problems(gone))
	stale := resolve.New(doc, resolve.Findings{
		Remotes: map[string]json.RawMessage{"help": raw}, RemoteErrors: map[string]string{"help": "it is down"},
	}, gone, options())
	require.NotNil(t, stale.Remote("help"), "a remote that is down is used as it was")
	require.Equal(t, []string{"it is down"}, problems(stale))
}

func toRemote(field string, left ...string) string {
	raw, _ := json.Marshal(left) // texts always encode
	return fmt.Sprintf(`"remote_relationships":[{"name":"r","definition":{"to_remote_schema":
		{"remote_schema":"help","lhs_fields":%s,"remote_field":%s}}}]`, raw, field)
}

func TestRelationshipsToRemoteSchemas(t *testing.T) {
	t.Parallel()
	s := withRemotes(t, []string{remote("help", `},"permissions":[`+
		permitted(t, "all", `type Query { people(where: Where @preset(value: {id: 5}), ids: [ID!]): [Person] } type Person { id: ID! } input Where { id: ID }`)+`,`+
		permitted(t, "some", `type Query { people(ids: [ID!]): [Person] } type Person { id: ID! }`)+`]`)},
		map[string]string{"help": helpSDL}, "",
		toRemote(`{"people":{"arguments":{"ids":"$artist_id","where":{"id":"$id","name":"x"}}}}`, "id", "artist_id"))
	require.Empty(t, problems(s))
	r := s.RemoteRelationships(table(s, "album"))[0]
	require.Equal(t, "artist_id", r.Left[1].Column.Name)
	require.Same(t, s.Remote("help"), r.Remote.Remote)
	require.Len(t, r.Remote.Path, 1)
	args := r.Remote.Path[0].Args
	require.Equal(t, resolve.JoinReference(1), args[0].Value)
	object, ok := args[1].Value.(resolve.JoinObject)
	require.True(t, ok)
	require.Equal(t, resolve.JoinReference(0), object[0].Value)
	require.Equal(t, resolve.JoinLiteral(`"x"`), object[1].Value)

	require.Len(t, r.Remote.For("admin", r), 1)
	require.Nil(t, r.Remote.For("some", r), "an argument of the definition is hidden")
	require.Nil(t, r.Remote.For("nobody", r))

	id := s.Remote("help").Meta.ID()
	require.Equal(t, []string{`remote relationship album.r in source "default"`}, described(s, s.Dependents(id)))
	require.Equal(t, "remote schema help", s.Describe(id))
}

func TestRelationshipsToRemoteSchemasOverridePresets(t *testing.T) {
	t.Parallel()
	s := withRemotes(t, []string{remote("help", `},"permissions":[`+
		permitted(t, "clerk", `type Query { person(id: ID! @preset(value: 5)): Person } type Person { id: ID! }`)+`]`)},
		map[string]string{"help": helpSDL}, "", toRemote(`{"person":{"arguments":{"id":"$id"}}}`, "id"))
	r := s.RemoteRelationships(table(s, "album"))[0]
	path := r.Remote.For("clerk", r)
	require.Len(t, path, 1)
	require.Equal(t, "id", path[0].Args[0].Name)
}

func TestRelationshipsToRemoteSchemasProblems(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ field, want string }{
		{`{"nothing":{"arguments":{}}}`, `field with name "nothing" not found in remote schema`},
		{`{"person":{"arguments":{"id":"$id"},"field":{"boss":{"arguments":{}}}}}`, `remote field with name "boss" and type "Person" not found`},
		{`{"hello":{"arguments":{},"field":{"boss":{"arguments":{}}}}}`, `remote field with name "boss" and type "String" not found`},
		{`{"person":{"arguments":{"key":"$id"}}}`, `argument with name "key" not found in remote schema`},
		{`{"people":{"arguments":{"where":{"key":"$id"}}}}`, `argument with name "key" not found in remote schema`},
		{`{"person":{"arguments":{"id":"$label"}}}`, `variable "label" is not found`},
		{`{"people":{"arguments":{"where":{"age":"old"}}}}`, `expected type "Int" but got "String"`},
		{`{"people":{"arguments":{"where":{"age":1.5}}}}`, `expected type "Int" but got "Float"`},
		{`{"people":{"arguments":{"where":{"name":true}}}}`, `expected type "String" but got "Boolean"`},
		{`{"people":{"arguments":{"where":{"age":null}}}}`, `null is not allowed here`},
		{`{"people":{"arguments":{"where":{"mood":"GOOD"}}}}`, `enum value is not supported`},
		{`{"people":{"arguments":{"ids":["$id",1]}}}`, `multiple elements in list value is not supported`},
		{`{"people":{"arguments":{"where":{"age":["$id"]}}}}`, `expected type "Int" but got "[Int]"`},
		{`{"person":{"arguments":{"id":true}}}`, `Only ID, Int, uuid or String scalar types can be joined to the ID type, but received "Boolean"`},
		{`{"person":{"arguments":{"id":{"a":1}}}}`, `type "ID"not an input object type`},
		{`{"count":{"arguments":{},"field":{"next":{"arguments":{}}}}}`, `required argument with name "from" is missing`},
	} {
		s := withRemotes(t, []string{remote("help", "}")}, map[string]string{"help": helpSDL}, "", toRemote(c.field, "id"))
		require.Equal(t, []string{`in table "album": in remote relationship "r": ` + c.want}, problems(s))
		require.Empty(t, s.RemoteRelationships(table(s, "album")))
	}
	s := withRemotes(t, []string{remote("help", "}")}, map[string]string{"help": helpSDL}, "",
		toRemote(`{"people":{"arguments":{"ids":["$id"],"where":{"ok":true,"age":3,"id":4}}}}`, "id"))
	require.Empty(t, problems(s))
}

func TestCheckRemotePermission(t *testing.T) {
	t.Parallel()
	s := withRemotes(t, []string{remote("help", "}")}, map[string]string{"help": helpSDL}, "")
	require.True(t, s.HasRemotePermissions())
	require.NoError(t, s.CheckRemotePermission("help", `type Query { hello: String }`))
	require.Equal(t, apierror.ValidationFailed, apierror.From(s.CheckRemotePermission("help", `type Query { hello: Int }`)).Code)
	require.Equal(t, `remote schema "other" doesn't exist`, apierror.From(s.CheckRemotePermission("other", ``)).Message)
	require.True(t, s.IsRemoteField("hello"))
	require.False(t, s.IsRemoteField("rename"))
}

func TestRelationshipsFromRemoteSchemas(t *testing.T) {
	t.Parallel()
	from := func(typeName, name, definition string) string {
		return `},"remote_relationships":[{"type_name":"` + typeName + `","relationships":[{"name":"` + name + `","definition":` + definition + `}]}]`
	}
	albums := `{"to_source":{"source":"default","table":"album","relationship_type":"array","field_mapping":{"id":"id"}}}`
	rate := `{"to_remote_schema":{"remote_schema":"rates","lhs_fields":["name"],"remote_field":{"rate":{"arguments":{"of":"$name"}}}}}`
	sdl := map[string]string{"help": helpSDL, "rates": `type Query { rate(of: String): Float }`}
	build := func(rest string) *resolve.Schema {
		return withRemotes(t, []string{remote("help", rest), remote("rates", "}")}, sdl, "")
	}
	s := build(from("Person", "albums", albums))
	require.Empty(t, problems(s))
	const onPerson = `remote_relationship albums on type Person in remote schema help`
	album := metadata.ObjectID{Kind: metadata.ObjectTable, Source: "default", Table: public("album")}
	require.Contains(t, described(s, s.Dependents(album)), onPerson)
	require.Contains(t, described(s, s.Dependents(metadata.ObjectID{Kind: metadata.ObjectSource, Source: "default"})), onPerson)
	require.Empty(t, s.Dependents(s.Remote("help").Meta.ID()), "it goes with its own remote schema")

	s = build(from("Person", "rate", rate))
	require.Equal(t, []string{`remote_relationship rate on type Person in remote schema help`}, described(s, s.Dependents(s.Remote("rates").Meta.ID())))

	for _, c := range []struct{ rest, want string }{
		{from("Missing", "r", albums), `no type named "Missing" defined in remote schema "help"`},
		{from("Where", "r", albums), `remote relationships on a remote schema can only be defined on object types`},
		{from("Person", "name", albums), `conflicting definitions for field "name"`},
		{
			from("Person", "r", strings.Replace(albums, `"id":`, `"key":`, 1)),
			`field with name "key"is not provided by the lhs entity"Person"for defining a join condition, the allowed fields are "id" or "name"`,
		},
		{from("Person", "r", strings.Replace(albums, `"album"`, `"nothing"`, 1)), `table "nothing" does not exist in source: default`},
		{from("Person", "r", strings.Replace(rate, `"rates"`, `"x"`, 1)), `remote schema with name "x" not found`},
	} {
		s := build(c.rest)
		name := "r"
		if strings.Contains(c.rest, `"name":"name"`) {
			name = "name"
		}
		require.Equal(t, []string{`in remote schema "help": in remote relationship "` + name + `": ` + c.want}, problems(s))
	}
	i := build(from("Missing", "r", albums)).Inconsistencies()[0]
	require.Equal(t, "remote_schema_remote_relationship remote_relationship r on type Missing in remote schema help", i.Name)
	require.Equal(t, "remote_schema_remote_relationship", i.Type)
}

// TestRelationshipsFromLists: lists are joined to columns and arguments that are lists, too, and objects to nothing.
func TestRelationshipsFromLists(t *testing.T) {
	t.Parallel()
	const sdl = `scalar Any type User { id: ID tags: [String!]! boss: User } type Query {
		user: User find(id: ID, ids: [ID], any: Any, ref: Ref): User } input Ref { id: ID ids: [ID!] }`
	toTable := func(mapping string) string {
		return `{"to_source":{"source":"default","table":"album","relationship_type":"array","field_mapping":` + mapping + `}}`
	}
	toField := func(arguments string) string {
		return `{"to_remote_schema":{"remote_schema":"users","lhs_fields":["id","tags"],"remote_field":{"find":{"arguments":` + arguments + `}}}}`
	}
	const list = `the type of the field "tags" is a list type, and `
	for _, c := range []struct{ definition, want string }{
		{toTable(`{"id":"id"}`), ``},
		{toTable(`{"tags":"tags"}`), ``},
		{toTable(`{"tags":"meta"}`), ``},
		{toTable(`{"tags":"id"}`), list + `the column "id" holds no lists`},
		{toTable(`{"tags":"title"}`), list + `the column "title" holds no lists`},
		{toTable(`{"id":"id","tags":"title"}`), list + `the column "title" holds no lists`},
		{toTable(`{"boss":"id"}`), `field with name "boss"is not provided by the lhs entity"User"for defining a join condition, the allowed fields are "id" or "tags"`},
		{toField(`{"id":"$id","ids":"$tags","any":"$tags","ref":{"ids":"$tags"}}`), ``},
		{toField(`{"id":"$tags"}`), list + `"ID" is expected`},
		{toField(`{"ids":["$tags"]}`), list + `"ID" is expected`},
		{toField(`{"ref":{"id":"$tags"}}`), list + `"ID" is expected`},
		{toField(`{"ref":"$tags"}`), list + `"Ref" is expected`},
	} {
		s := withRemotes(t, []string{remote("users", `},"remote_relationships":[{"type_name":"User","relationships":[{"name":"r","definition":`+c.definition+`}]}]`)},
			map[string]string{"users": sdl}, "")
		want := []string{}
		if c.want != "" {
			want = []string{`in remote schema "users": in remote relationship "r": ` + c.want}
		}
		require.Equal(t, want, problems(s), c.definition)
	}
}
