// Package request makes the bodies of requests to remote schemas: planned documents, with the
// values of variables, of session variables and of the keys of joins.
package request

import (
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/jsontext"
	"queryengine/pkg/remoteschema"
	"queryengine/pkg/session"
	"queryengine/services/query-executor/internal/plan/input"
)

// Request is a request to a remote: all of its body but the values of the variables.
type Request struct {
	// Document is GraphQL, and Operation the name of the operation in it, "" for none.
	Document, Operation string
	Variables           []Variable

	head []byte // the body as far as it is the same for all values
	own  values
}

// New makes the request of a document.
func New(document, operation string, variables []Variable) Request {
	head := jsontext.AppendString([]byte(`{"query":`), document)
	if operation != "" {
		head = jsontext.AppendString(append(head, `,"operationName":`...), operation)
	}
	return Request{Document: document, Operation: operation, Variables: variables, head: head, own: newValues(variables)}
}

// Body is the body of the request for the values of the operation's variables.
func (r *Request) Body(values [][]byte, s *session.Session) ([]byte, error) {
	body := append(make([]byte, 0, len(r.head)+64*(len(r.Variables)+1)), r.head...)
	body, err := r.own.append(append(body, `,"variables":{`...), values, s)
	if err != nil {
		return nil, err
	}
	if len(r.Variables) == 0 {
		body = body[:len(r.head)]
	} else {
		body = append(body, '}')
	}
	return append(body, '}'), nil
}

// values gives variables of a remote their values.
type values struct {
	list  []Variable
	parts *input.Parts
}

func newValues(list []Variable) values {
	origins := make([]*input.Origin, len(list))
	for i := range list {
		origins[i] = &list[i].Origin
	}
	return values{list: list, parts: input.Locate(origins)}
}

// append appends the members of the object of variables.
func (r values) append(dst []byte, values [][]byte, s *session.Session) ([]byte, error) {
	parts, err := r.parts.Find(values)
	if err != nil {
		return nil, err
	}
	first := true
	for i := range r.list {
		json, err := r.list[i].json(values, parts, s)
		if err != nil {
			return nil, err
		}
		if json == nil {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(jsontext.AppendString(dst, r.list[i].Name), ':')
		dst = append(dst, json...)
	}
	return dst, nil
}

// Variable is a variable of a request to a remote.
type Variable struct {
	// Name and Type are what the remote knows.
	Name, Type string
	// Session is set for the value of a session variable.
	Session *remoteschema.SessionVariable
	// Origin is where any other value comes from.
	input.Origin
}

// json is the value, nil when there is none.
func (v *Variable) json(values, parts [][]byte, s *session.Session) ([]byte, error) {
	if v.Session == nil {
		return v.In(values, parts), nil
	}
	text, ok := s.Variables[v.Session.Name]
	if !ok {
		return nil, apierror.Newf(apierror.NotFound, "%q session variable expected, but not found", v.Session.Name)
	}
	return v.Session.Coerce(text)
}

// Names of variables that the engine makes up. A client's variable that is called like one of
// them is called otherwise at the remote, or it could take the place of a preset.
const (
	PartPrefix    = "engine_json_var_"
	sessionPrefix = "x_engine_"
	joinPrefix    = "engine_join_var_"
)

// VariableName is the name of a client's variable at the remote.
func VariableName(name string) string {
	bare := strings.TrimLeft(name, "_")
	if strings.HasPrefix(bare, PartPrefix) || strings.HasPrefix(bare, sessionPrefix) || strings.HasPrefix(bare, joinPrefix) {
		return "_" + name
	}
	return name
}
