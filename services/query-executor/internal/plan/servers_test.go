package plan_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/services/query-executor/internal/casetest"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/plan"
	"queryengine/services/query-executor/internal/plan/action"
	"queryengine/services/query-executor/internal/plan/write"
)

// asServers plans operations with the schema of the feature about servers.
func asServers(t *testing.T, test func(t *testing.T, plan func(role, text string, variables string) (*plan.Plan, [][]byte, error))) {
	t.Helper()
	casetest.Run(t, "../../testdata/cases", func(t *testing.T, c *casetest.Case) {
		if c.Feature.Name != "servers" || c.Name != "remote_alone" {
			return
		}
		test(t, func(role, text string, variables string) (*plan.Plan, [][]byte, error) {
			c.Session.Role = role
			op, err := parse.Parse(text, "", parse.Limits{})
			require.NoError(t, err, text)
			given, err := op.Values(nil, []byte(variables), parse.RefuseNull)
			require.NoError(t, err, text)
			p, err := c.Plan(op, given, nil)
			return p, given, err
		})
	})
}

// TestValidatedInputs: webhooks are shown the rows of an insert, and the arguments of other
// mutations, with the values of variables.
func TestValidatedInputs(t *testing.T) {
	t.Parallel()
	asServers(t, func(t *testing.T, build func(role, text string, variables string) (*plan.Plan, [][]byte, error)) {
		for _, tt := range []struct {
			text, variables string
			want            map[string]string // by the end of the URL
		}{
			{
				`mutation { insert_award(objects: [{id: 7, title: "x", employee_id: 1}, {id: 8, title: "y", employee_id: 2}]) { affected_rows } }`, ``,
				map[string]string{"/award/insert": `[{"id":7,"title":"x","employee_id":1},{"id":8,"title":"y","employee_id":2}]`},
			},
			{
				`mutation ($o: [award_insert_input!]!) { insert_award(objects: $o) { affected_rows } }`, `{"o":[{"id":7,"winner":{"data":{"name":"N","id":5}}}]}`,
				map[string]string{"/award/insert": `[{"id":7,"winner":{"data":{"name":"N","id":5}}}]`},
			},
			{
				`mutation ($v: String) { update_award(where: {id: {_in: [1, 2]}}, _set: {title: $v}) { affected_rows } }`, `{"v":"t"}`,
				map[string]string{"/award/update": `[{"where":{"id":{"_in":[1,2]}},"_set":{"title":"t"}}]`},
			},
			{
				`mutation { update_award_many(updates: [{where: {}, _set: {title: "a"}}, {where: {id: {_eq: 2}}, _set: {title: "b"}}]) { affected_rows } }`, ``,
				map[string]string{"/award/update": `[{"where":{},"_set":{"title":"a"}},{"where":{"id":{"_eq":2}},"_set":{"title":"b"}}]`},
			},
			{
				`mutation { update_award(where: {}, _set: {}) { affected_rows } }`, ``,
				map[string]string{},
			},
			{
				`mutation { delete_award(where: {title: {_is_null: true}}) { affected_rows } }`, ``,
				map[string]string{"/award/delete": `[{"where":{"title":{"_is_null":true}}}]`},
			},
		} {
			p, given, err := build("writer", tt.text, tt.variables)
			require.NoError(t, err, tt.text)
			got := map[string]string{}
			for _, part := range p.Parts {
				w, ok := part.(*write.Write)
				if !ok {
					continue
				}
				require.True(t, w.Validated(), tt.text)
				for _, in := range w.Inputs(given) {
					data, err := json.Marshal(in.Data)
					require.NoError(t, err)
					got[in.Webhook.URL[len("{{HANDLER_URL}}"):]] = string(data)
				}
			}
			require.Len(t, got, len(tt.want), tt.text)
			for url, want := range tt.want {
				require.JSONEq(t, want, got[url], tt.text)
			}
		}
	})
}

// TestCallsOfActions: asynchronous actions are queued by mutations, and looked up by id.
func TestCallsOfActions(t *testing.T) {
	t.Parallel()
	const id = `5bb92e20-2ee1-4d19-8c0a-6b1c6fdd4b3c`
	asServers(t, func(t *testing.T, build func(role, text string, variables string) (*plan.Plan, [][]byte, error)) {
		p, values, err := build("admin", `mutation { a: later(in: {n: 3}) }`, "")
		require.NoError(t, err)
		require.True(t, p.Separate)
		queued, ok := p.Parts[1].(*action.Queued)
		require.True(t, ok)
		inputs, err := queued.Inputs.JSON(values)
		require.NoError(t, err)
		require.Equal(t, []string{"a", "later", `{"in":{"n":3}}`}, []string{queued.RootField(), queued.Action.Meta.Name, string(inputs)})

		p, values, err = build("admin", `query ($i: uuid!) { later(id: $i) { id errors __typename output { id employee { name } } } }`, `{"i":"`+id+`"}`)
		require.NoError(t, err)
		result, ok := p.Parts[1].(*action.Result)
		require.True(t, ok)
		text, err := result.ID.Text(values)
		require.NoError(t, err)
		require.Equal(t, id, text)
		require.Equal(t, "later", result.Action)
		require.True(t, result.Related)
		require.False(t, result.OwnerOnly, "an admin sees all calls")
		require.Len(t, result.Joins, 1)
		require.Equal(t, "output", result.Joins[0].Key)
		_, err = result.ID.Text([][]byte{[]byte(`"x"`)})
		require.Equal(t, []string{"$.selectionSet.later.args.id", "invalid UUID"}, []string{apierror.From(err).Path, apierror.From(err).Message})

		for text, want := range map[string]string{
			`{ later(id: 5) { id } }`:                                      "expected a UUID for type 'uuid', but found an integer",
			`{ later(id: null) { id } }`:                                   "unexpected null value for type 'uuid'",
			`{ later(id: "5bb92e20+2ee1-4d19-8c0a-6b1c6fdd4b3c") { id } }`: "invalid UUID",
			`{ later { id } }`:                                             "missing required field 'id'",
			`{ count_later(id: "` + id + `") { output { none } } }`:        "unexpected subselection set for non-object field",
			`mutation { later { id } }`:                                    "unexpected subselection set for non-object field",
			`subscription @_multiple_top_level_fields { later(id: "` + id + `") { id } employee { id } }`:                                          "all fields of a subscription must be from the same source",
			`subscription @_multiple_top_level_fields { count_later(id: "` + id + `") { id } employee { id } }`:                                    "async action queries with no relationships aren't expected to mix with normal source database queries",
			`subscription @_multiple_top_level_fields { employee { id } employee_stream(batch_size: 1, cursor: {initial_value: {id: 1}}) { id } }`: "streaming and livequery subscriptions cannot be executed in the same subscription",
		} {
			_, _, err := build("admin", text, "")
			require.Equal(t, want, apierror.From(err).Message, text)
		}
		p, _, err = build("admin", `subscription { employee_stream(batch_size: 2, cursor: {initial_value: {id: 1}, ordering: DESC}) { id } }`, "")
		require.NoError(t, err)
		require.NotNil(t, p.Live.Cursor)
		require.Equal(t, "id", p.Live.Cursor.Column)
	})
}
