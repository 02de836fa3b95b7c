package engine_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/services/engine"
)

type greeting struct {
	Text string `json:"text"`
	For  string `json:"for"`
}

type greet struct {
	Name  string    `json:"name"`
	Times *int      `json:"times"`
	At    time.Time `json:"at"`
}

// actionTypes fits greet and greeting.
const actionTypes = `{"type":"set_custom_types","args":{"scalars":[{"name":"timestamptz"}],"objects":[{"name":"Greeting","fields":[{"name":"text","type":"String!"},{"name":"for","type":"String!"}]}]}}`

func createAction(name, kind, input, output string) string {
	return fmt.Sprintf(`{"type":"create_action","args":{"name":%q,"definition":{"kind":"synchronous","type":%q,"handler":"go://greet","arguments":%s,"output_type":%q}}}`,
		name, kind, input, output)
}

const greetArguments = `[{"name":"name","type":"String!"},{"name":"times","type":"Int"},{"name":"at","type":"timestamptz!"}]`

// TestActionInGo runs an action with its types, as its caller and as another role.
func TestActionInGo(t *testing.T) {
	t.Parallel()
	places(t, func(t *testing.T, apart bool) {
		m := mount(t, apart, engine.Action("greet", func(ctx context.Context, in greet) (greeting, error) {
			switch in.Name {
			case "stranger":
				return greeting{}, &engine.Error{Message: "no one is there", Code: "stranger", Status: http.StatusNotFound, Extensions: map[string]any{"hint": "ask again"}}
			case "broken":
				return greeting{}, errors.New("the password is 1234")
			case "panic":
				panic("at the disco")
			case "exit":
				runtime.Goexit() // as t.FailNow does
			}
			var seen struct{ People []struct{ Name string } }
			if err := engine.ClientOf(ctx).Run(ctx, `query ($limit: Int!) { people(limit: $limit, order_by: {id: asc}) { name } }`, map[string]any{"limit": 2}, &seen); err != nil {
				return greeting{}, err
			}
			var all struct {
				Count struct{ Aggregate struct{ Count int } }
			}
			if err := engine.ClientOf(ctx).As("admin", nil).Run(ctx, `{ count: people_aggregate { aggregate { count } } }`, nil, &all); err != nil {
				return greeting{}, err
			}
			s := engine.SessionOf(ctx)
			return greeting{
				Text: fmt.Sprintf("%s, %s and %s of %d", in.Name, seen.People[0].Name, seen.People[1].Name, all.Count.Aggregate.Count),
				For:  s.Role + " " + s.Get("user-id") + s.Get("X-Engine-Nothing") + " " + in.At.UTC().Format(time.TimeOnly),
			}, nil
		}))
		m.metadata(actionTypes)
		m.metadata(createAction("greet", "mutation", greetArguments, "Greeting!"))
		m.metadata(`{"type":"create_action_permission","args":{"action":"greet","role":"user"}}`)
		call := func(name string) string {
			return m.query(fmt.Sprintf(`mutation { greet(name: %q, at: "2100-01-02T03:04:05Z") { text for } }`, name), user("even"))
		}
		require.JSONEq(t, `{"data":{"greet":{"text":"hello, person 2 and person 4 of 10","for":"user even 03:04:05"}}}`, call("hello"))
		require.JSONEq(t, `{"errors":[{"message":"no one is there","extensions":{"code":"stranger","hint":"ask again"}}]}`, call("stranger"))
		require.NotContains(t, call("broken"), "1234")
		require.Contains(t, call("broken"), "internal error")
		require.Contains(t, m.log.String(), "1234")
		require.Contains(t, call("panic"), "internal error")
		require.Contains(t, m.log.String(), "at the disco")
		require.Contains(t, call("exit"), "internal error")
		require.Contains(t, call("hello"), "person 2", "a panic is that of one call")
		stranger := map[string]string{"X-Engine-Admin-Secret": secret, "X-Engine-Role": "stranger"}
		require.Contains(t, m.query(`mutation { greet(name: "x", at: "2100-01-02T03:04:05Z") { text } }`, stranger), "validation-failed", "a role without the permission")
	})
}

// TestEmptyListsInGo: a nil slice is an empty list.
func TestEmptyListsInGo(t *testing.T) {
	t.Parallel()
	type none struct{}
	m := mount(t, false, engine.Action("greet", func(context.Context, none) ([]string, error) { return nil, nil }))
	m.metadata(createAction("greet", "mutation", "[]", "[String!]!"))
	require.JSONEq(t, `{"data":{"greet":[]}}`, m.query(`mutation { greet }`, admin))
}

// TestMetadataThatDoesNotFitTheCode: what the build lacks, and types that differ, are inconsistent, and name both sides.
func TestMetadataThatDoesNotFitTheCode(t *testing.T) {
	t.Parallel()
	m := mount(t, false,
		engine.Action("greet", func(context.Context, greet) (greeting, error) { return greeting{}, nil }),
		engine.OnEvent("watch", func(context.Context, engine.Event[map[string]any]) error { return nil }))
	m.metadata(actionTypes)
	for _, c := range []struct{ body, want string }{
		{createAction("greet", "mutation", `[{"name":"name","type":"Int!"}]`, "Greeting!"), `argument \"name\": the handler takes String!, the metadata has Int!`},
		{createAction("greet", "mutation", `[{"name":"name","type":"String"},{"name":"at","type":"timestamptz!"}]`, "Greeting"), `argument \"name\": the handler takes String!, the metadata has String`},
		{createAction("greet", "mutation", `[{"name":"name","type":"String!"},{"name":"at","type":"timestamptz!"},{"name":"more","type":"Int"}]`, "Greeting"), `argument \"more\": the handler has none, the metadata has Int`},
		{createAction("greet", "mutation", `[{"name":"name","type":"String!"}]`, "Greeting"), `argument \"at\": the handler takes timestamptz!, the metadata has none`},
		{createAction("greet", "mutation", greetArguments, "[Greeting]"), `output: the handler returns Greeting!, the metadata has [Greeting]`},
		{createAction("greet", "mutation", greetArguments, "String"), `output: the handler returns Greeting!, the metadata has String`},
		{createAction("greet", "query", greetArguments, "Greeting"), `the handler is that of a mutation`},
		{strings.ReplaceAll(createAction("greet", "mutation", greetArguments, "Greeting"), "go://greet", "go://nowhere"), `this build of the engine has no handler \"nowhere\" (go://nowhere)`},
		{strings.ReplaceAll(createAction("greet", "mutation", greetArguments, "Greeting"), "go://greet", "go://watch"), `go://watch serves calls of another kind (event trigger)`},
		{`{"type":"add_remote_schema","args":{"name":"gone","definition":{"url":"go://gone"}}}`, `this build of the engine has no handler \"gone\"`},
		{`{"type":"create_cron_trigger","args":{"name":"c","webhook":"go://gone","schedule":"0 0 1 1 *","include_in_metadata":true}}`, `this build of the engine has no handler`},
		{`{"type":"pg_create_event_trigger","args":{"name":"e","table":"people","webhook":"go://gone","insert":{"columns":"*"}}}`, `this build of the engine has no handler`},
		{`{"type":"pg_create_insert_permission","args":{"table":"people","role":"user","permission":{"columns":["id"],"check":{},"validate_input":{"type":"http","definition":{"url":"go://gone"}}}}}`, `this build of the engine has no handler`},
	} {
		status, answer := m.post("/v1/metadata", c.body, admin)
		require.Equal(t, http.StatusBadRequest, status, "%s: %s", c.body, answer)
		require.Contains(t, answer, c.want, c.body)
	}
	m.metadata(createAction("greet", "mutation", greetArguments, "Greeting"))
}

// Dated is a part of structs that embed it.
type Dated struct {
	At string `json:"at"`
}

// TestEmbeddedStructsInGo describes the fields of a struct as package json has them.
func TestEmbeddedStructsInGo(t *testing.T) {
	t.Parallel()
	type flat struct {
		*Dated
		Name string `json:"name"`
	}
	type deep struct {
		Dated `json:"dated"`
		Name  string `json:"name"`
	}
	m := mount(t, false,
		engine.Action("flat", func(_ context.Context, in flat) (string, error) { return in.At + in.Name, nil }),
		engine.Action("deep", func(_ context.Context, in deep) (string, error) { return in.At + in.Name, nil }))
	m.metadata(`{"type":"set_custom_types","args":{"input_objects":[{"name":"DatedInput","fields":[{"name":"at","type":"String!"}]}]}}`)
	create := func(name, arguments string) (int, string) {
		return m.post("/v1/metadata", `{"type":"create_action","args":{"name":"`+name+`","definition":{"handler":"go://`+name+`","output_type":"String!","arguments":[{"name":"name","type":"String!"},`+arguments+`]}}}`, admin)
	}
	_, refused := create("flat", `{"name":"at","type":"String!"},{"name":"Dated","type":"DatedInput"}`)
	require.Contains(t, refused, `argument \"Dated\": the handler has none`)
	status, answer := create("flat", `{"name":"at","type":"String!"}`)
	require.Equal(t, http.StatusOK, status, answer)
	status, answer = create("deep", `{"name":"dated","type":"DatedInput!"}`)
	require.Equal(t, http.StatusOK, status, answer)
	require.JSONEq(t, `{"data":{"flat":"12","deep":"34"}}`, m.query(`mutation { flat(at: "1", name: "2") deep(dated: {at: "3"}, name: "4") }`, admin))
}

// Branch is input that contains itself.
type Branch struct {
	In  *Branch `json:"in"`
	IDs []int64 `json:"ids,omitempty"`
}

// TestDeepInputOfActions: values in another form than the Go type's are found in one pass, however deep they are.
func TestDeepInputOfActions(t *testing.T) {
	t.Parallel()
	m := mount(t, false, engine.Action("last", func(_ context.Context, in Branch) (int64, error) {
		for in.In != nil {
			in = *in.In
		}
		return in.IDs[len(in.IDs)-1], nil
	}, engine.Query()))
	m.metadata(`{"type":"set_custom_types","args":{"input_objects":[{"name":"BranchInput","fields":[{"name":"in","type":"BranchInput"},{"name":"ids","type":"[bigint!]"}]}]}}`)
	m.metadata(`{"type":"create_action","args":{"name":"last","definition":{"type":"query","handler":"go://last","timeout":10,"output_type":"bigint!","arguments":[
		{"name":"in","type":"BranchInput"},{"name":"ids","type":"[bigint!]"}]}}}`)
	deep := strings.Repeat(`{"in":`, 190) + `{"ids":[` + strings.Repeat(`"1",`, 200_000) + `"9007199254740993"]}` + strings.Repeat(`}`, 190)
	_, answer := m.post("/v1/graphql", `{"query":"query ($in: BranchInput) { last(in: $in) }","variables":{"in":`+deep+`}}`, admin)
	require.JSONEq(t, `{"data":{"last":9007199254740993}}`, answer)
}
