// Package remote plans requests to remote schemas, as root fields and as fields that are joined to
// rows: the document, the variables and the shape of the answer.
package remote

import (
	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/plan/answer"
	"queryengine/services/query-executor/internal/plan/read"
	"queryengine/services/query-executor/internal/plan/request"
	"queryengine/services/query-executor/internal/plan/walk"
	"queryengine/services/query-executor/internal/remote"
	"queryengine/services/query-executor/internal/schema"
)

// Planner plans requests to remote schemas.
type Planner struct{ *read.Planner }

// Query is a root field that a remote schema answers, with one call.
type Query struct {
	answer.Named
	Remote  *resolve.Remote
	Request request.Request
	// Key is where the remote's data has the value, and Shape what that consists of.
	Key   string
	Shape *remote.Shape
	// Joins are the fields of the value that others give.
	Joins []answer.Member
}

// Root plans a root field that a remote schema answers.
func (p *Planner) Root(name string, f *schema.Field, m *schema.RemoteField, s *walk.Selected) error {
	p.Separate = p.Separate || p.Mutates
	if p.Live != nil {
		p.Live.Remotes++
	}
	d := &document{remote: m.Remote, names: p.typeNames(m.Remote)}
	selected, err := p.remoteOwn(d, f, m, s)
	if err != nil {
		return err
	}
	kind := parse.Query
	switch {
	case p.Mutates:
		kind = parse.Mutation
	case p.Live != nil:
		kind = parse.Subscription
	}
	text := d.header(string(kind), p.Operation) + "{" + selected.text + "}"
	p.Answer.Add(&Query{
		Named: answer.Named{Field: name}, Remote: m.Remote, Request: request.New(text, p.Operation, d.variables),
		Key: s.Alias, Shape: selected.member.Below, Joins: belowOf(selected.joins),
	})
	p.DependOn(m.Remote)
	return nil
}

// belowOf are the joins in the value of a field.
func belowOf(joins []answer.Member) []answer.Member {
	if len(joins) == 0 {
		return nil
	}
	return joins[0].Below
}

// typeNames are the names of the types of a remote that clients know by others.
func (p *Planner) typeNames(r *resolve.Remote) map[string]string {
	names := map[string]string{}
	view := r.For(p.Role.Name)
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
