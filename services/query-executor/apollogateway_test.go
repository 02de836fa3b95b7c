package queryexecutor

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/nodetest"
	"queryengine/pkg/session"
)

// TestApolloGateway: Apollo's gateway answers queries over the engine and another subgraph, in both directions, as admin and as a role, which gets
// what it may see of entities.
func TestApolloGateway(t *testing.T) {
	t.Parallel()
	dir := nodetest.Install(t, "testdata/apollogateway")
	e := newFixture(t, "testdata/cases/federation", Config{Federation: true})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Query     string                     `json:"query"`
			Variables map[string]json.RawMessage `json:"variables"`
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		variables, _ := json.Marshal(body.Variables)
		role := r.Header.Get("X-Engine-Role")
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(answer(t, e, &request{
			session: &session.Session{Role: role, Variables: map[string]string{session.RoleHeader: role}}, text: body.Query, variables: variables,
		}))
	}))
	defer server.Close()
	const (
		customers = `{ orders { id customer { id name } } }`
		both      = `{ customer(order_by: {id: asc}) { name orders { id customer { name } } } }`
		seats     = `{ orders { id seat { price } customer { visits { id } } } }`
	)
	for _, c := range []struct {
		role, queries, want string
	}{
		{session.Admin, mustJSON(t, []string{customers, both, seats}), `[
			{"errors":[],"data":{"orders":[{"id":10,"customer":{"id":2,"name":"Bea"}},{"id":11,"customer":{"id":1,"name":"Ada"}},{"id":12,"customer":null},{"id":13,"customer":{"id":2,"name":"Bea"}}]}},
			{"errors":[],"data":{"customer":[{"name":"Ada","orders":[{"id":11,"customer":{"name":"Ada"}}]},{"name":"Bea","orders":[{"id":10,"customer":{"name":"Bea"}},{"id":13,"customer":{"name":"Bea"}}]},{"name":"Cid","orders":[]}]}},
			{"errors":[],"data":{"orders":[{"id":10,"seat":{"price":9},"customer":{"visits":[{"id":1}]}},{"id":11,"seat":{"price":10.50},"customer":{"visits":[]}},{"id":12,"seat":null,"customer":null},{"id":13,"seat":{"price":9},"customer":{"visits":[{"id":1}]}}]}}]`},
		// It sees customers above 1, one at a time.
		{"clerk", mustJSON(t, []string{customers}), `[
			{"errors":[],"data":{"orders":[{"id":10,"customer":{"id":2,"name":"Bea"}},{"id":11,"customer":null},{"id":12,"customer":null},{"id":13,"customer":{"id":2,"name":"Bea"}}]}}]`},
	} {
		input := `{"url":"` + server.URL + `","role":"` + c.role + `","queries":` + c.queries + `}`
		require.JSONEq(t, c.want, string(nodetest.Run(t, dir, bytes.NewReader([]byte(input)), "gateway.mjs")), c.role)
	}
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}
