package e2e

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
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
	subscription := graphql.NewObject(graphql.ObjectConfig{Name: "Subscription", Fields: graphql.Fields{
		"climber": {Type: position, Resolve: func(graphql.ResolveParams) (any, error) {
			return map[string]any{"artist": 1, "chart": "world", "place": 10}, nil
		}},
	}})
	schema, err := graphql.NewSchema(graphql.SchemaConfig{Query: query, Subscription: subscription})
	require.NoError(t, err)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") != "" {
			climb(w, r, schema)
			return
		}
		var request chartsRequest
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		_ = json.NewEncoder(w).Encode(request.answer(r.Context(), schema))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

type chartsRequest struct {
	Query     string         `json:"query"`
	Operation string         `json:"operationName"`
	Variables map[string]any `json:"variables"`
}

func (r *chartsRequest) answer(ctx context.Context, schema graphql.Schema) *graphql.Result {
	return graphql.Do(graphql.Params{
		Schema: schema, RequestString: r.Query, OperationName: r.Operation, VariableValues: r.Variables, Context: ctx,
	})
}

// climb answers a subscription with one result.
func climb(w http.ResponseWriter, r *http.Request, schema graphql.Schema) {
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{"graphql-transport-ws"}})
	if err != nil {
		return
	}
	defer func() { _ = conn.CloseNow() }()
	for {
		var m struct {
			Type    string        `json:"type"`
			ID      string        `json:"id"`
			Payload chartsRequest `json:"payload"`
		}
		if wsjson.Read(r.Context(), conn, &m) != nil {
			return
		}
		reply := map[string]any{"type": "connection_ack"}
		if m.Type == "subscribe" {
			reply = map[string]any{"type": "next", "id": m.ID, "payload": m.Payload.answer(r.Context(), schema)}
		}
		if wsjson.Write(r.Context(), conn, reply) != nil {
			return
		}
	}
}
