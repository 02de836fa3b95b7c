package queryexecutor

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/graphql-go/graphql"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/remoteschema"
)

// remoteServer is a GraphQL server that remembers what it was queried.
type remoteServer struct {
	*httptest.Server
	schema graphql.Schema

	mu       sync.Mutex
	requests []remoteRequest
	// instead answers instead of the schema, once it is set.
	instead http.HandlerFunc
	// sockets answers WebSockets, once it is set.
	sockets http.HandlerFunc
}

type remoteRequest struct {
	Query     string         `json:"query"`
	Operation string         `json:"operationName"`
	Variables map[string]any `json:"variables"`
	header    http.Header
}

func (s *remoteServer) answerWith(f http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.instead = f
}

// asked takes the requests since the last call.
func (s *remoteServer) asked() []remoteRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.requests
	s.requests = nil
	return list
}

func (s *remoteServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	sockets := s.sockets
	s.mu.Unlock()
	if sockets != nil && isSocket(r) {
		sockets(w, r)
		return
	}
	body, _ := io.ReadAll(r.Body)
	request := remoteRequest{header: r.Header}
	if err := json.Unmarshal(body, &request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	s.requests = append(s.requests, request)
	instead := s.instead
	s.mu.Unlock()
	if instead != nil {
		instead(w, r)
		return
	}
	w.Header().Add("Set-Cookie", "taste=sweet")
	_ = json.NewEncoder(w).Encode(graphql.Do(graphql.Params{
		Schema: s.schema, RequestString: request.Query, OperationName: request.Operation, VariableValues: request.Variables,
		Context: r.Context(),
	}))
}

type thing = map[string]any

// newRemoteServer is a server about people and robots.
func newRemoteServer(t testing.TB) *remoteServer {
	t.Helper()
	people := []thing{
		{"kind": "Person", "id": 1, "name": "Kim", "mood": "HAPPY", "boss": 2},
		{"kind": "Person", "id": 2, "name": "Lou", "mood": "SAD"},
		{"kind": "Robot", "id": 3, "name": "R2", "model": "astromech"},
	}
	s := &remoteServer{schema: remoteTestSchema(t, people)}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func remoteTestSchema(t testing.TB, people []thing) graphql.Schema {
	t.Helper()
	mood := graphql.NewEnum(graphql.EnumConfig{Name: "Mood", Values: graphql.EnumValueConfigMap{
		"HAPPY": {Value: "HAPPY"}, "SAD": {Value: "SAD"},
	}})
	var person, robot *graphql.Object
	typeOf := func(p graphql.ResolveTypeParams) *graphql.Object {
		if o, _ := p.Value.(thing); o["kind"] == "Robot" {
			return robot
		}
		return person
	}
	being := graphql.NewInterface(graphql.InterfaceConfig{Name: "Being", ResolveType: typeOf, Fields: graphql.Fields{
		"id": {Type: graphql.NewNonNull(graphql.Int)}, "name": {Type: graphql.String},
	}})
	find := func(id any) any {
		for _, p := range people {
			if p["id"] == id {
				return p
			}
		}
		return nil
	}
	person = graphql.NewObject(graphql.ObjectConfig{Name: "Person", Description: "Somebody.", Interfaces: []*graphql.Interface{being}, Fields: graphql.FieldsThunk(func() graphql.Fields {
		return graphql.Fields{
			"id": {Type: graphql.NewNonNull(graphql.Int)}, "name": {Type: graphql.String}, "mood": {Type: mood},
			"boss": {Type: person, Resolve: func(p graphql.ResolveParams) (any, error) {
				source, _ := p.Source.(thing)
				return find(source["boss"]), nil
			}},
			"echo": {
				Type: graphql.String, Description: "Spoken.", Args: graphql.FieldConfigArgument{"text": {Type: graphql.String}},
				Resolve: func(p graphql.ResolveParams) (any, error) { return p.Args["text"], nil },
			},
		}
	})})
	robot = graphql.NewObject(graphql.ObjectConfig{Name: "Robot", Interfaces: []*graphql.Interface{being}, Fields: graphql.Fields{
		"id": {Type: graphql.NewNonNull(graphql.Int)}, "name": {Type: graphql.String}, "model": {Type: graphql.String},
	}})
	union := graphql.NewUnion(graphql.UnionConfig{Name: "Thing", Types: []*graphql.Object{person, robot}, ResolveType: typeOf})
	filter := graphql.NewInputObject(graphql.InputObjectConfig{Name: "Filter", Fields: graphql.InputObjectConfigFieldMap{
		"ids": {Type: graphql.NewList(graphql.NewNonNull(graphql.Int))}, "mood": {Type: mood}, "name": {Type: graphql.String},
	}})
	matches := func(p graphql.ResolveParams) (any, error) {
		list := []thing{}
		where, _ := p.Args["where"].(thing)
		ids, _ := where["ids"].([]any)
		for _, one := range people {
			wanted := len(ids) == 0
			for _, id := range ids {
				wanted = wanted || one["id"] == id
			}
			if m := where["mood"]; m != nil && m != one["mood"] {
				wanted = false
			}
			if n := where["name"]; n != nil && n != one["name"] {
				wanted = false
			}
			if wanted {
				list = append(list, one)
			}
		}
		return list, nil
	}
	where := graphql.FieldConfigArgument{"where": {Type: filter}}
	query := graphql.NewObject(graphql.ObjectConfig{Name: "Query", Fields: graphql.Fields{
		"hello": {
			Type: graphql.String, Args: graphql.FieldConfigArgument{"to": {Type: graphql.String, DefaultValue: "world"}},
			Resolve: func(p graphql.ResolveParams) (any, error) {
				to, _ := p.Args["to"].(string)
				return "Hello " + to, nil
			},
		},
		"person": {
			Type: person, Args: graphql.FieldConfigArgument{"id": {Type: graphql.NewNonNull(graphql.Int)}},
			Resolve: func(p graphql.ResolveParams) (any, error) { return find(p.Args["id"]), nil },
		},
		"beings": {Type: graphql.NewList(being), Args: where, Resolve: matches},
		"things": {Type: graphql.NewList(union), Args: where, Resolve: matches},
	}})
	mutation := graphql.NewObject(graphql.ObjectConfig{Name: "Mutation", Fields: graphql.Fields{
		"greet": {
			Type: graphql.String, Args: graphql.FieldConfigArgument{"to": {Type: graphql.NewNonNull(graphql.String)}},
			Resolve: func(p graphql.ResolveParams) (any, error) {
				to, _ := p.Args["to"].(string)
				return "Hi " + to, nil
			},
		},
	}})
	subscription := graphql.NewObject(graphql.ObjectConfig{Name: "Subscription", Fields: graphql.Fields{
		"moods":    {Type: person, Args: where},
		"greeting": {Type: graphql.String, Args: graphql.FieldConfigArgument{"to": {Type: graphql.String}}},
	}})
	schema, err := graphql.NewSchema(graphql.SchemaConfig{Query: query, Mutation: mutation, Subscription: subscription, Types: []graphql.Type{person, robot}})
	require.NoError(t, err)
	for _, listed := range schema.TypeMap() {
		if enum, ok := listed.(*graphql.Enum); ok {
			// Enums make their tables when these are first needed, without a lock.
			enum.ParseValue("")
			enum.Serialize("")
		}
	}
	return schema
}

// introspection is the server's answer to introspection.
func (s *remoteServer) introspection(t testing.TB) json.RawMessage {
	t.Helper()
	raw, err := json.Marshal(graphql.Do(graphql.Params{Schema: s.schema, RequestString: remoteschema.Query, OperationName: remoteschema.Operation}))
	require.NoError(t, err)
	return raw
}
