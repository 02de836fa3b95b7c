package remoteschema_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/metadata"
	"queryengine/pkg/remoteschema"
)

func customize(t *testing.T, s *remoteschema.Schema, customization string) (*remoteschema.Schema, error) {
	t.Helper()
	c := &metadata.RemoteCustomization{}
	require.NoError(t, json.Unmarshal([]byte(customization), c))
	return s.Customize(c)
}

func TestCustomize(t *testing.T) {
	t.Parallel()
	s, err := customize(t, parse(t, upstream), `{"type_names":{"prefix":"My","suffix":"_x","mapping":{"User":"Person","String":"Text"}},
		"field_names":[{"parent_type":"Query","prefix":"my_","mapping":{"hello":"salute"}}]}`)
	require.NoError(t, err)
	require.Empty(t, s.Namespace)
	require.Equal(t, "Query", s.Query.Name, "root types keep their names without a namespace")
	require.Equal(t, "salute", s.Query.RemoteField("hello").Name)
	require.Equal(t, "user", s.Query.Field("my_user").Remote)
	require.Equal(t, "Person", s.Query.Field("my_user").Type.String())
	require.Equal(t, "User", s.Query.Field("my_user").Type.Remote())
	require.Equal(t, "MyMessage_x", s.RemoteType("Message").Name)
	require.Equal(t, "[MyStatus_x!]", s.Type("MyMessageWhere_x").Input("status").Type.String())
	require.Equal(t, "Int", s.Type("Int").Remote)
	require.Equal(t, "Text", s.RemoteType("String").Name, "a mapping wins even for scalars that every schema has")
	require.Same(t, s.Type("MyMessage_x"), s.Type("MyCommunication_x").Possible[0])

	s, err = customize(t, parse(t, upstream), `{"root_fields_namespace":"crm","type_names":{"mapping":{"Mutation":"Changes"}}}`)
	require.NoError(t, err)
	require.Equal(t, "crm", s.Namespace)
	require.Equal(t, "crmQuery", s.Query.Name)
	require.Equal(t, "Changes", s.Mutation.Name)
	require.Equal(t, "User", s.Type("User").Name)
}

func TestCustomizePermissions(t *testing.T) {
	t.Parallel()
	s, err := parse(t, upstream).Restrict(`
		type User { user_id: Int }
		type Query {
			user(user_id: Int! @preset(value: "x-engine-user-id")): User
			messages(where: MessageWhere @preset(value: {id: {eq: 1}, name: "x-engine-name", status: [READ]})): [Message]
		}
		type Message { id: Int! }`)
	require.NoError(t, err)
	s, err = customize(t, s, `{"type_names":{"prefix":"My"}}`)
	require.NoError(t, err)
	preset := s.Query.Field("messages").Presets[0]
	require.Equal(t, "MessageWhere", preset.Type.Remote(), "a hidden type is still known by its name at the remote")
	require.Nil(t, s.RemoteType("MessageWhere"))
	object, ok := preset.Value.(remoteschema.ObjectValue)
	require.True(t, ok)
	require.Equal(t, remoteschema.Literal{Text: "{eq: 1}"}, object.Fields[0].Value)
	variable, ok := object.Fields[1].Value.(remoteschema.SessionVariable)
	require.True(t, ok)
	require.Equal(t, "x_engine_name", variable.Variable())
	require.Equal(t, remoteschema.Literal{Text: "[READ]"}, object.Fields[2].Value)
}

func TestCustomizeFaults(t *testing.T) {
	t.Parallel()
	for customization, want := range map[string]string{
		`{"type_names":{"mapping":{"User":"Message"}}}`:                         `Type name mappings are not distinct; the following types appear more than once: "Message"`,
		`{"field_names":[{"parent_type":"User","mapping":{"text":"user_id"}}]}`: `Field name mappings for object type "User" are not distinct; the following fields appear more than once: "user_id"`,
		`{"field_names":[{"parent_type":"Message","mapping":{"msg":"text"}}]}`: `Remote schema customization inconsistency: field name mapping for field "msg" of interface "Communication" ` +
			`is inconsistent with mapping for type "Message". Interface field name maps to "msg". Type field name maps to "text".`,
	} {
		_, err := customize(t, parse(t, upstream), customization)
		require.Equal(t, want, apierror.From(err).Message)
		require.Equal(t, apierror.RemoteSchemaError, apierror.From(err).Code)
	}
}
