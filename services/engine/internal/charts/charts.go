// Package charts is a small GraphQL server to try remote schemas with: it knows the places of the
// sample's artists in the charts, by HTTP and by WebSocket. Places follow from the artist's id.
package charts

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
	"github.com/graphql-go/graphql"
)

// maxBody is how many bytes of a request are read.
const maxBody = 1 << 20

// Handler answers GraphQL requests. It is safe for concurrent use.
type Handler struct{ schema graphql.Schema }

// New makes the server's schema. It fails when that isn't valid.
func New() (*Handler, error) {
	position := graphql.NewObject(graphql.ObjectConfig{Name: "Position", Fields: graphql.Fields{
		"artist": {Type: graphql.NewNonNull(graphql.Int)}, "chart": {Type: graphql.NewNonNull(graphql.String)}, "place": {Type: graphql.Int},
	}})
	query := graphql.NewObject(graphql.ObjectConfig{Name: "Query", Fields: graphql.Fields{
		"charts": {Type: graphql.NewList(graphql.NewNonNull(graphql.String)), Resolve: func(graphql.ResolveParams) (any, error) {
			return []string{"world"}, nil
		}},
		"position": {
			Type: position,
			Args: graphql.FieldConfigArgument{
				"artist": {Type: graphql.NewNonNull(graphql.Int)}, "chart": {Type: graphql.String, DefaultValue: "world"},
			},
			Resolve: func(p graphql.ResolveParams) (any, error) {
				artist, _ := p.Args["artist"].(int) // it is required
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
	return &Handler{schema: schema}, err
}

// request is what a client asks.
type request struct {
	Query     string         `json:"query"`
	Operation string         `json:"operationName"`
	Variables map[string]any `json:"variables"`
}

func (h *Handler) answer(ctx context.Context, r *request) *graphql.Result {
	return graphql.Do(graphql.Params{
		Schema: h.schema, RequestString: r.Query, OperationName: r.Operation, VariableValues: r.Variables, Context: ctx,
	})
}

// ServeHTTP answers a request, or those of a WebSocket.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Upgrade") != "" {
		h.serveSocket(w, r)
		return
	}
	var asked request
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&asked); err != nil {
		http.Error(w, "expecting a GraphQL request: "+err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(h.answer(r.Context(), &asked)) // a client that has gone needs no answer
}

// serveSocket speaks graphql-transport-ws. A subscription gets one result, and stays open.
func (h *Handler) serveSocket(w http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{"graphql-transport-ws"}})
	if err != nil {
		return // Accept has answered
	}
	defer func() { _ = conn.CloseNow() }()
	conn.SetReadLimit(maxBody)
	for {
		var m struct {
			Type    string  `json:"type"`
			ID      string  `json:"id"`
			Payload request `json:"payload"`
		}
		if wsjson.Read(r.Context(), conn, &m) != nil {
			return
		}
		var reply map[string]any
		switch m.Type {
		case "connection_init":
			reply = map[string]any{"type": "connection_ack"}
		case "ping":
			reply = map[string]any{"type": "pong"}
		case "subscribe":
			reply = map[string]any{"type": "next", "id": m.ID, "payload": h.answer(r.Context(), &m.Payload)}
		default:
			continue
		}
		if wsjson.Write(r.Context(), conn, reply) != nil {
			return
		}
	}
}
