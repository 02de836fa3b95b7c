package queryexecutor

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/metadata"
	"queryengine/pkg/nodetest"
	"queryengine/pkg/session"
)

// TestApolloGateway: Apollo's gateway answers queries over the engine and another subgraph, in both directions, as admin and as a role, which gets
// what it may see of entities.
func TestApolloGateway(t *testing.T) {
	t.Parallel()
	dir := nodetest.Install(t, "testdata/apollogateway")
	e := newFixture(t, "testdata/cases/federation", Config{Federation: true})
	server := subgraph(t, e)
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

// subgraph serves an executor as a gateway does, to a caller that names its role.
func subgraph(t *testing.T, e *Executor) *httptest.Server {
	t.Helper()
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
	t.Cleanup(server.Close)
	return server
}

// federated is the fixture with a configuration of the table customer, and names of root fields that begin with prefix.
func federated(t *testing.T, configuration, prefix string) *Executor {
	t.Helper()
	e := newFixture(t, "testdata/cases/federation", Config{Federation: true})
	next := *e.state.Load().snapshot
	next.Version++
	doc := *next.Document
	source := *doc.Sources[0]
	source.Tables = slices.Clone(source.Tables)
	i := slices.IndexFunc(source.Tables, func(t *metadata.Table) bool { return t.Table.Name == "customer" })
	table := *source.Tables[i]
	table.ApolloFederation = json.RawMessage(configuration)
	source.Tables[i] = &table
	if prefix != "" {
		source.Customization = &metadata.Customization{RootFields: &metadata.RootFieldsCustomization{Prefix: prefix}}
	}
	doc.Sources = []*metadata.Source{&source}
	next.Document = &doc
	e.apply(&next)
	return e
}

// TestTwoEnginesComposeIntoOneGraph by Apollo's composition, with the directives of Federation 2, and Apollo's gateway answers over both.
func TestTwoEnginesComposeIntoOneGraph(t *testing.T) {
	t.Parallel()
	dir := nodetest.Install(t, "testdata/apollogateway")
	crm := federated(t, `{"enable":"v1","shareable":["name"],"inaccessible":["apart"],"tags":["crm"],"field_tags":{"secret":["pii"]}}`, "")
	shop := federated(t, `{"enable":"v1","shareable":["name"],"resolvable":false}`, "shop_")
	input := mustJSON(t, map[string]any{
		"subgraphs": []map[string]string{
			{"name": "crm", "url": subgraph(t, crm).URL, "role": session.Admin}, {"name": "shop", "url": subgraph(t, shop).URL, "role": "clerk"},
		},
		"queries": []string{`{ shop_customer(order_by: {id: asc}) { id name secret } customer_by_pk(id: 1) { name } }`},
	})
	var got struct {
		Fields, Tags []string
		Answers      json.RawMessage
	}
	require.NoError(t, json.Unmarshal(nodetest.Run(t, dir, strings.NewReader(input), "engines.mjs"), &got))
	require.Equal(t, []string{"apart_aggregate", "id", "name", "secret", "visits", "visits_aggregate"}, got.Fields, "the graph doesn't show apart")
	require.Equal(t, []string{"crm", "pii"}, got.Tags)
	require.JSONEq(t, `[
		{"errors":[],"data":{"shop_customer":[{"id":2,"name":"Bea","secret":"y"}],"customer_by_pk":{"name":"Ada"}}}]`, string(got.Answers))
}
