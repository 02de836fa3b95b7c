package plan

import (
	"queryengine/pkg/apierror"
	"queryengine/pkg/jsontext"
	"queryengine/pkg/remoteschema"
	"queryengine/pkg/resolve"
	"queryengine/pkg/session"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/plan/input"
	"queryengine/services/query-executor/internal/remote"
	"queryengine/services/query-executor/internal/schema"
)

// RemoteQuery is a root field that a remote schema answers, with one call.
type RemoteQuery struct {
	Named
	Remote  *resolve.Remote
	Request RemoteRequest
	// Key is where the remote's data has the value, and Shape what that consists of.
	Key   string
	Shape *remote.Shape
	// Joins are the fields of the value that others give.
	Joins []JoinMember
}

// RemoteRequest is a request to a remote: all of its body but the values of the variables.
type RemoteRequest struct {
	// Document is GraphQL, and Operation the name of the operation in it, "" for none.
	Document, Operation string
	Variables           []RemoteVariable

	head []byte // the body as far as it is the same for all values
	own  remoteValues
}

// newRequest makes the request of a document.
func newRequest(document, operation string, variables []RemoteVariable) RemoteRequest {
	head := jsontext.AppendString([]byte(`{"query":`), document)
	if operation != "" {
		head = jsontext.AppendString(append(head, `,"operationName":`...), operation)
	}
	return RemoteRequest{Document: document, Operation: operation, Variables: variables, head: head, own: newRemoteValues(variables)}
}

// Body is the body of the request for the values of the operation's variables.
func (r *RemoteRequest) Body(values [][]byte, s *session.Session) ([]byte, error) {
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

// remoteValues gives variables of a remote their values.
type remoteValues struct {
	list  []RemoteVariable
	parts *input.Parts
}

func newRemoteValues(list []RemoteVariable) remoteValues {
	origins := make([]*input.Origin, len(list))
	for i := range list {
		origins[i] = &list[i].Origin
	}
	return remoteValues{list: list, parts: input.Locate(origins)}
}

// append appends the members of the object of variables.
func (r remoteValues) append(dst []byte, values [][]byte, s *session.Session) ([]byte, error) {
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

// RemoteVariable is a variable of a request to a remote.
type RemoteVariable struct {
	// Name and Type are what the remote knows.
	Name, Type string
	// Session is set for the value of a session variable.
	Session *remoteschema.SessionVariable
	// Origin is where any other value comes from.
	input.Origin
}

// json is the value, nil when there is none.
func (v *RemoteVariable) json(values, parts [][]byte, s *session.Session) ([]byte, error) {
	if v.Session == nil {
		return v.In(values, parts), nil
	}
	text, ok := s.Variables[v.Session.Name]
	if !ok {
		return nil, apierror.Newf(apierror.NotFound, "%q session variable expected, but not found", v.Session.Name)
	}
	return v.Session.Coerce(text)
}

// root plans a root field that a remote schema answers.
func (p *remotePlanner) root(name string, f *schema.Field, m *schema.RemoteField, s *selected) error {
	p.separate = p.separate || p.mutates
	if p.live != nil {
		p.live.remotes++
	}
	d := &remoteDocument{remote: m.Remote, names: p.typeNames(m.Remote)}
	selected, err := p.remoteOwn(d, f, m, s)
	if err != nil {
		return err
	}
	kind := parse.Query
	switch {
	case p.mutates:
		kind = parse.Mutation
	case p.live != nil:
		kind = parse.Subscription
	}
	text := d.header(string(kind), p.operation) + "{" + selected.text + "}"
	p.answer.add(&RemoteQuery{
		Named: Named{Field: name}, Remote: m.Remote, Request: newRequest(text, p.operation, d.variables),
		Key: s.Alias, Shape: selected.member.Below, Joins: belowOf(selected.joins),
	})
	p.dependOn(m.Remote)
	return nil
}

// belowOf are the joins in the value of a field.
func belowOf(joins []JoinMember) []JoinMember {
	if len(joins) == 0 {
		return nil
	}
	return joins[0].Below
}

// dependOn notes that the plan depends on what the remote schema is.
func (p *state) dependOn(r *resolve.Remote) {
	for _, known := range p.remotes {
		if known == r {
			return
		}
	}
	p.remotes = append(p.remotes, r)
}

// typeNames are the names of the types of a remote that clients know by others.
func (p *remotePlanner) typeNames(r *resolve.Remote) map[string]string {
	names := map[string]string{}
	view := r.For(p.role.Name)
	if view == nil {
		return names
	}
	for _, t := range view.Types {
		if t.Name != t.Remote {
			names[t.Remote] = t.Name
		}
	}
	return names
}
