// Package remotetest is a remote schema for tests: a server that describes its schema, and answers
// nothing else.
package remotetest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/remoteschema"
)

// Server is a remote schema. It is safe for concurrent use.
type Server struct {
	*httptest.Server

	mu     sync.Mutex
	answer []byte
	asked  []http.Header
}

// Serve starts a server that offers the schema, until the test ends.
func Serve(t testing.TB, sdl string) *Server {
	t.Helper()
	s := &Server{answer: Answer(t, sdl)}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.asked = append(s.asked, r.Header)
		_, _ = w.Write(s.answer)
	}))
	t.Cleanup(s.Close)
	return s
}

// Set makes body the answer from now on.
func (s *Server) Set(body []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = body
}

// Asked are the headers of the calls so far.
func (s *Server) Asked() []http.Header {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

type object = map[string]any

// Answer is the answer to introspection of a server with the schema.
func Answer(t testing.TB, sdl string) json.RawMessage {
	t.Helper()
	s, err := remoteschema.FromSDL(sdl)
	require.NoError(t, err)
	root := func(t *remoteschema.Type) any {
		if t == nil {
			return nil
		}
		return object{"name": t.Name}
	}
	var types []any
	for _, one := range s.Types {
		types = append(types, typeAnswer(one))
	}
	raw, err := json.Marshal(object{"data": object{"__schema": object{
		"queryType": root(s.Query), "mutationType": root(s.Mutation), "subscriptionType": root(s.Subscription),
		"types": types, "directives": []any{},
	}}})
	require.NoError(t, err)
	return raw
}

func typeAnswer(t *remoteschema.Type) any {
	answer := object{"kind": t.Kind, "name": t.Name, "description": t.Description}
	switch t.Kind {
	case remoteschema.Object, remoteschema.Interface:
		fields := []any{}
		for _, f := range t.Fields {
			fields = append(fields, object{
				"name": f.Name, "description": f.Description, "args": inputs(f.Args), "type": ref(f.Type), "isDeprecated": false,
			})
		}
		answer["fields"], answer["interfaces"] = fields, named(t.Interfaces)
	case remoteschema.Union:
	case remoteschema.Enum:
		values := []any{}
		for _, v := range t.Values {
			values = append(values, object{"name": v.Name, "description": v.Description})
		}
		answer["enumValues"] = values
	case remoteschema.InputObject:
		answer["inputFields"] = inputs(t.Inputs)
	case remoteschema.Scalar:
	}
	if t.IsAbstract() {
		answer["possibleTypes"] = named(t.Possible)
	}
	return answer
}

func inputs(list []*remoteschema.Input) []any {
	answers := []any{}
	for _, i := range list {
		answers = append(answers, object{"name": i.Name, "description": i.Description, "type": ref(i.Type), "defaultValue": i.Default})
	}
	return answers
}

func named(list []*remoteschema.Type) []any {
	answers := []any{}
	for _, t := range list {
		answers = append(answers, object{"kind": t.Kind, "name": t.Name})
	}
	return answers
}

func ref(r *remoteschema.Ref) any {
	var answer object
	if r.Elem != nil {
		answer = object{"kind": "LIST", "ofType": ref(r.Elem)}
	} else {
		answer = object{"kind": r.Type.Kind, "name": r.Type.Name}
	}
	if r.NonNull {
		return object{"kind": "NON_NULL", "ofType": answer}
	}
	return answer
}
