package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/graphql-go/graphql"
	"github.com/stretchr/testify/require"

	"queryengine/services/engine"
)

// handlerOf serves a schema by HTTP as its users do: with graphql-go, and a loader of its own for each request.
func handlerOf(schema graphql.Schema) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var o struct {
			Query, OperationName string
			Variables            map[string]any
		}
		if err := json.NewDecoder(r.Body).Decode(&o); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		_ = json.NewEncoder(w).Encode(graphql.Do(graphql.Params{
			Schema: schema, RequestString: o.Query, VariableValues: o.Variables, OperationName: o.OperationName, Context: r.Context(),
		}))
	})
}

// BenchmarkCode compares functions with the same code behind HTTP: an action, and a remote join of 100 rows.
func BenchmarkCode(b *testing.B) {
	prices := engine.NewLoader(func(_ context.Context, ids []int) (map[int]string, error) {
		found := make(map[int]string, len(ids))
		for _, id := range ids {
			found[id] = "1 EUR"
		}
		return found, nil
	})
	schema, err := graphql.NewSchema(graphql.SchemaConfig{Query: graphql.NewObject(graphql.ObjectConfig{Name: "Query", Fields: graphql.Fields{
		"price": &graphql.Field{
			Type: graphql.String, Args: graphql.FieldConfigArgument{"id": &graphql.ArgumentConfig{Type: graphql.NewNonNull(graphql.Int)}},
			Resolve: func(p graphql.ResolveParams) (any, error) {
				id, _ := p.Args["id"].(int)
				return prices.Load(p.Context, id)
			},
		},
	}})})
	require.NoError(b, err)
	type input struct {
		N int `json:"n"`
	}
	remote := httptest.NewServer(handlerOf(schema))
	b.Cleanup(remote.Close)
	handler := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var call struct{ Input input }
		_ = json.NewDecoder(r.Body).Decode(&call)
		fmt.Fprint(w, call.Input.N+1)
	}))
	b.Cleanup(handler.Close)
	m := mount(b, false, engine.RemoteSchema("shop", schema), engine.Action("next", func(_ context.Context, in input) (int, error) { return in.N + 1, nil }))
	m.sql(`INSERT INTO people SELECT i, 'person', 'odd' FROM generate_series(11, 100) AS i`)
	for name, urls := range map[string][2]string{"go": {"go://shop", "go://next"}, "http": {remote.URL, handler.URL}} {
		m.metadata(fmt.Sprintf(`{"type":"add_remote_schema","args":{"name":%q,"definition":{"url":%q,"customization":{"root_fields_namespace":%q}}}}`, name, urls[0], name))
		m.metadata(fmt.Sprintf(`{"type":"pg_create_remote_relationship","args":{"source":"default","table":"people","name":"price_%s","definition":{"to_remote_schema":{"remote_schema":%q,"lhs_fields":["id"],"remote_field":{"price":{"arguments":{"id":"$id"}}}}}}}`, name, name))
		m.metadata(fmt.Sprintf(`{"type":"create_action","args":{"name":"next_%s","definition":{"handler":%q,"arguments":[{"name":"n","type":"Int!"}],"output_type":"Int!"}}}`, name, urls[1]))
	}
	for _, way := range []string{"go", "http"} {
		for kind, query := range map[string]string{
			"join":   `{ people(order_by: {id: asc}) { id price_` + way + ` } }`,
			"action": `mutation { next_` + way + `(n: 41) }`,
		} {
			body, err := json.Marshal(map[string]string{"query": query})
			require.NoError(b, err)
			answer := m.query(query, admin)
			require.NotContains(b, answer, "errors")
			b.Run(kind+"/"+way, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					r := httptest.NewRequestWithContext(b.Context(), http.MethodPost, "/v1/graphql", strings.NewReader(string(body)))
					r.Header.Set("X-Engine-Admin-Secret", secret)
					r.Header.Set("Content-Type", "application/json")
					w := httptest.NewRecorder()
					m.handler.ServeHTTP(w, r)
					if got, _ := io.ReadAll(w.Body); len(got) != len(answer) {
						b.Fatalf("%s", got)
					}
				}
			})
		}
	}
}
