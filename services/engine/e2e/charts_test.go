package e2e

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/graphql-go/graphql"
	"github.com/stretchr/testify/require"
)

// charts is the address of a GraphQL server for the examples: it knows the places of artists.
func charts(t *testing.T) string {
	t.Helper()
	position := graphql.NewObject(graphql.ObjectConfig{Name: "Position", Fields: graphql.Fields{
		"artist": {Type: graphql.NewNonNull(graphql.Int)}, "chart": {Type: graphql.NewNonNull(graphql.String)}, "place": {Type: graphql.Int},
	}})
	query := graphql.NewObject(graphql.ObjectConfig{Name: "Query", Fields: graphql.Fields{
		"charts": {Type: graphql.NewList(graphql.NewNonNull(graphql.String))},
		"position": {
			Type: position,
			Args: graphql.FieldConfigArgument{
				"artist": {Type: graphql.NewNonNull(graphql.Int)}, "chart": {Type: graphql.String, DefaultValue: "world"},
			},
			Resolve: func(p graphql.ResolveParams) (any, error) {
				artist, _ := p.Args["artist"].(int)
				return map[string]any{"artist": artist, "chart": p.Args["chart"], "place": 10 * artist}, nil
			},
		},
	}})
	schema, err := graphql.NewSchema(graphql.SchemaConfig{Query: query})
	require.NoError(t, err)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request struct {
			Query     string         `json:"query"`
			Operation string         `json:"operationName"`
			Variables map[string]any `json:"variables"`
		}
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		_ = json.NewEncoder(w).Encode(graphql.Do(graphql.Params{
			Schema: schema, RequestString: request.Query, OperationName: request.Operation, VariableValues: request.Variables, Context: r.Context(),
		}))
	}))
	t.Cleanup(server.Close)
	return server.URL
}
