package remoteschema_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/remoteschema"
)

const upstream = `
"what a user writes"
type Message implements Communication { id: Int! name: String! msg: String! "why not" errorMsg: String }
interface Communication { id: Int! msg: String! }
type User { user_id: Int userMessages(where: MessageWhere, limit: Int = 5): [Message] text(text: String): String }
input MessageWhere { id: IntCompare name: String status: [Status!] }
input IntCompare { eq: Int gt: Int }
enum Status { READ SENT }
union Found = User | Message
scalar Time
type Query {
  hello: String
  now(at: Time): Time
  messages(where: MessageWhere, status: Status): [Message]
  user(user_id: Int!): User
  users(user_ids: [Int]!): [User]
  search: [Found]
}
type Mutation { set(id: Int!, name: String = "x"): User }
`

func parse(t *testing.T, sdl string) *remoteschema.Schema {
	t.Helper()
	s, err := remoteschema.FromSDL(sdl)
	require.NoError(t, err)
	return s
}

func TestRestrict(t *testing.T) {
	t.Parallel()
	s, err := parse(t, upstream).Restrict(`
		schema { query: Query }
		type Message { id: Int! errorMsg: String }
		type User { user_id: Int userMessages(where: MessageWhere @preset(value: {id: {eq: "x-engine-User-Id"}}), limit: Int = 5): [Message] }
		input MessageWhere { id: IntCompare @preset(value: {eq: 1}) name: String }
		input IntCompare { eq: Int }
		enum Status { READ }
		type Query {
			now(at: Time @preset(value: "x-engine-x", static: true)): Time
			messages(where: MessageWhere, status: Status @preset(value: SENT)): [Message]
			user(user_id: Int! @preset(value: "x-engine-user-id")): User
			users(user_ids: [Int]! @preset(value: 3)): [User]
		}`)
	require.NoError(t, err)
	require.Nil(t, s.Mutation)
	require.Empty(t, s.Type("Message").Interfaces)
	require.Equal(t, "what a user writes", s.Type("Message").Description)
	require.Equal(t, "why not", s.Type("Message").Field("errorMsg").Description)
	require.Nil(t, s.Type("Message").Field("msg"))

	presets := func(f *remoteschema.Field) map[string]remoteschema.Value {
		m := map[string]remoteschema.Value{}
		for _, p := range f.Presets {
			require.Nil(t, f.Arg(p.Name))
			m[p.Name] = p.Value
		}
		return m
	}
	integer := parse(t, upstream).Type("Int")
	session := func(v remoteschema.Value) remoteschema.SessionVariable {
		variable, ok := v.(remoteschema.SessionVariable)
		require.True(t, ok)
		require.Equal(t, integer.Remote, variable.Type.Remote)
		return variable
	}
	q := s.Query
	require.Equal(t, map[string]remoteschema.Value{"at": remoteschema.Literal{Text: `"x-engine-x"`}}, presets(q.Field("now")))
	require.Equal(t, map[string]remoteschema.Value{"status": remoteschema.Literal{Text: "SENT"}}, presets(q.Field("messages")))
	require.NotNil(t, q.Field("messages").Arg("where"))
	require.Equal(t, "x_engine_user_id", session(presets(q.Field("user"))["user_id"]).Variable())
	require.Equal(t, remoteschema.Literal{Text: "3"}, presets(q.Field("users"))["user_ids"])
	where, ok := presets(s.Type("User").Field("userMessages"))["where"].(remoteschema.ObjectValue)
	require.True(t, ok)
	id, ok := where.Fields[0].Value.(remoteschema.ObjectValue)
	require.True(t, ok)
	require.Equal(t, "x-engine-user-id", session(id.Fields[0].Value).Name)
	input := s.Type("MessageWhere")
	require.Nil(t, input.Input("id"))
	require.Equal(t, remoteschema.Literal{Text: "{eq: 1}"}, input.Presets[0].Value)
}

// An input object whose fields all have presets is nothing that a client could give.
func TestRestrictToFilledInputs(t *testing.T) {
	t.Parallel()
	const remote = `
		input Size { height: Int unit: Unit! }
		input Unit { name: String }
		input Box { size: Size label: String }
		type Query { photo(size: Size): String boxed(box: Box, sizes: [Size]): String }`
	s, err := parse(t, remote).Restrict(`
		input Size { height: Int @preset(value: "x-engine-height") unit: Unit! }
		input Unit { name: String @preset(value: "px") }
		input Box { size: Size label: String }
		type Query { photo(size: Size): String boxed(box: Box): String }`)
	require.NoError(t, err)
	require.Nil(t, s.Type("Size"))
	require.Nil(t, s.RemoteType("Unit"))
	photo, box := s.Query.Field("photo"), s.Type("Box")
	require.Empty(t, photo.Args)
	require.Nil(t, box.Input("size"))
	require.NotNil(t, box.Input("label"))
	for _, preset := range []*remoteschema.Preset{photo.Presets[0], box.Presets[0]} {
		require.Equal(t, "size", preset.Name)
		value, ok := preset.Value.(remoteschema.ObjectValue)
		require.True(t, ok)
		require.Equal(t, "height", value.Fields[0].Name)
		require.Equal(t, remoteschema.ObjectField{Name: "unit", Value: remoteschema.Literal{Text: `{name: "px"}`}}, value.Fields[1])
	}

	s, err = parse(t, remote).Restrict(`
		input Unit { name: String @preset(value: "px") }
		input Size { unit: Unit! }
		type Query { boxed(sizes: [Size]): String }`)
	require.NoError(t, err)
	require.NotNil(t, s.Type("Size"), "how many there are is for the client to say")
}

func TestRestrictFaults(t *testing.T) {
	t.Parallel()
	const query = "type Query { hello: String }\n"
	for sdl, fault := range map[string]string{
		query + `type User { user_id: Int! }`:                                           `expected type of "user_id"("Object field") to be Int but received Int!`,
		query + `interface Communication { id: Int }`:                                   `expected type of "id"("Interface field") to be Int! but received Int`,
		query + `input IntCompare { eq: Boolean }`:                                      `expected type of "eq"("Input object argument") to be Int but received Boolean`,
		query + `enum Job { A }`:                                                        `"Enum": "Job" does not exist in the upstream remote schema`,
		query + `input Job { a: Int }`:                                                  `"Input object": "Job" does not exist in the upstream remote schema`,
		query + `scalar Job`:                                                            `"Scalar": "Job" does not exist in the upstream remote schema`,
		query + `type User { userMessages(limit: Int = 6): [Message] }`:                 `expected default value of input value: "limit"of input object "userMessages" to be 5 but received 6`,
		`type Query { hello(a: Int): String }`:                                          `input argument "a" does not exist in the input object:"hello"`,
		query + `input IntCompare { lte: Int }`:                                         `input argument "lte" does not exist in the input object:"IntCompare"`,
		`type Query { user: User }`:                                                     `field: "user" expects the following non nullable arguments to be present: "user_id"`,
		query + `type User { name: String }`:                                            `field "name" does not exist in the "Object": "User"`,
		query + `interface Communication { at: Int }`:                                   `field "at" does not exist in the "Interface": "Communication"`,
		query + `union Found = User | Query`:                                            `union "Found" contains members which do not exist in the members of the remote schema union :"Query"`,
		query + `type User implements Node { user_id: Int }`:                            `custom interfaces are not supported. Object"User" implements the following custom interfaces: "Node"`,
		query + `type User implements Communication { user_id: Int }`:                   `object "User" is trying to implement the following interfaces that do not exist in the corresponding upstream remote object: "Communication"`,
		query + `enum Status { IDLE READ GONE }`:                                        `enum "Status" contains the following enum values that do not exist in the corresponding upstream remote enum: "IDLE" and "GONE"`,
		query + `schema { query: Query } schema { query: Query }`:                       `multiple schema definitions found`,
		`type User { user_id: Int }`:                                                    `query root does not exist in the schema definition`,
		query + `enum Status { READ } enum Status { READ }`:                             `duplicate type names found: "Status"`,
		query + `type User { user_id: Int user_id: Int }`:                               `duplicate fields: "user_id"found in the "Object" "User"`,
		`type Query { users(user_ids: [Int]!, user_ids: [Int]!): [User] }`:              `duplicate arguments: "user_ids"found in the field: "users"`,
		query + `enum Status { READ READ }`:                                             `duplicate enum values: "READ" found in the "Status" enum`,
		query + `type User @a @a { user_id: Int }`:                                      `duplicate directives: "a"found in the "Object" "User"`,
		query + `type User { user_id: Int @a }`:                                         `"Directive": "a" does not exist in the upstream remote schema`,
		query + `type User { user_id: Int @preset(value: 2) }`:                          `Preset directives can be defined only on INPUT_FIELD_DEFINITION or ARGUMENT_DEFINITION`,
		query + `input IntCompare { eq: Int @preset(value: 2) @preset(value: 3) }`:      `found multiple preset directives at "Input object argument" "eq"`,
		query + `input IntCompare { eq: Int @preset }`:                                  `no arguments found in the preset directive`,
		query + `input IntCompare { eq: Int @preset(static: true) }`:                    `preset argument "value" not found at "eq"`,
		query + `input IntCompare { eq: Int @preset(value: 2, static: 1) }`:             `expected preset static value to be a Boolean value`,
		query + `input IntCompare { eq: Int @preset(value: {a: 1}) }`:                   `expected preset value "{a:1}" of type "Int" to be a scalar value`,
		query + `input MessageWhere { id: IntCompare @preset(value: 2) }`:               `expected preset value "2" of type "IntCompare" to be an input object value`,
		query + `input MessageWhere { id: IntCompare @preset(value: {lte: 2}) }`:        `"lte" does not exist in the input object "IntCompare"`,
		query + `input MessageWhere { status: [Status!] @preset(value: "READ") }`:       `expected preset value "READ" of type "Status" to be an enum value`,
		query + `input MessageWhere { status: [Status!] @preset(value: [READ, X]) }`:    `"X" not found in the enum: "Status"`,
		query + `input MessageWhere { status: [Status!] @preset(value: "x-engine-s") }`: `illegal preset value at "status". Session arguments can only be set for singleton values`,
	} {
		_, err := parse(t, upstream).Restrict(sdl)
		require.Equal(t, "validation for the given role-based schema failed because "+fault, apierror.From(err).Message, sdl)
		require.Equal(t, apierror.ValidationFailed, apierror.From(err).Code)
	}

	_, err := parse(t, upstream).Restrict("type Query { hello: Int hallo: String }")
	require.Equal(t, "validation for the given role-based schema failed for the following reasons:\n"+
		" • expected type of \"hello\"(\"Object field\") to be String but received Int\n"+
		" • field \"hallo\" does not exist in the \"Object\": \"Query\"\n", apierror.From(err).Message)
	_, err = parse(t, upstream).Restrict("type Query {")
	require.Equal(t, apierror.ParseFailed, apierror.From(err).Code)
	_, err = parse(t, upstream).Restrict("type Query { user(user_id: Int!): User }")
	require.Equal(t, `validation for the given role-based schema failed because Could not find type with name "User"`, apierror.From(err).Message)
}
