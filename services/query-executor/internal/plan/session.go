package plan

import (
	"slices"

	"queryengine/pkg/backend"
	"queryengine/pkg/ir"
	"queryengine/pkg/resolve"
	"queryengine/services/query-executor/internal/plan/answer"
	"queryengine/services/query-executor/internal/plan/input"
	"queryengine/services/query-executor/internal/plan/read"
	"queryengine/services/query-executor/internal/plan/request"
)

// SessionDeps is which session variables the answer to a plan depends on.
type SessionDeps struct {
	// Names are those that are used by name, sorted.
	Names []string
	// Settings are what sources set for each session.
	Settings []string
	// All reports whether any of them may be.
	All bool
	// Opaque reports whether the answer may depend on more than that, also on the client's headers.
	Opaque bool
}

// What SessionDeps looks into has these fields. With another one, this doesn't compile until SessionDeps knows whether answers
// depend on the session by it.
type (
	queryFields struct {
		answer.Named
		Source   *resolve.Source
		Root     ir.Root
		Bindings input.Bindings
		Joins    []answer.Member
	}
	joinFields struct {
		Parts  int
		Nulls  bool
		Query  *answer.JoinQuery
		Remote *request.Call
		Joins  []answer.Member
	}
	joinQueryFields struct {
		Source   *resolve.Source
		Root     ir.Root
		Columns  []string
		Keys     []backend.Key
		Bindings input.Bindings
	}
)

var (
	_ = queryFields(read.Query{})
	_ = joinFields(answer.Join{})
	_ = joinQueryFields(answer.JoinQuery{})
)

// SessionDeps finds the session variables that a plan uses. A part of another kind may use all.
func (p *Plan) SessionDeps() SessionDeps {
	u := &SessionDeps{}
	for _, part := range p.Parts {
		switch part := part.(type) {
		case *answer.Text, *answer.Introspection:
		case *read.Query:
			u.query(part.Source, part.Root)
			u.joins(part.Joins)
		default:
			u.All, u.Opaque = true, true
		}
	}
	for i := range p.Lookups {
		u.query(p.Lookups[i].Table.Source, p.Lookups[i].Root)
	}
	slices.Sort(u.Names)
	return *u
}

// joins looks into requests to other sources.
func (u *SessionDeps) joins(list []answer.Member) {
	for _, m := range list {
		u.joins(m.Below)
		if j := m.Join; j != nil {
			if j.Remote != nil {
				u.All, u.Opaque = true, true
			}
			if j.Query != nil {
				u.query(j.Query.Source, j.Query.Root)
			}
			u.joins(j.Joins)
		}
	}
}

// query looks into a statement, and what its source sets for it.
func (u *SessionDeps) query(source *resolve.Source, root ir.Root) {
	settings, names := backend.BoundBySession(source.Dialect)
	if settings != "" && !slices.Contains(u.Settings, settings) {
		u.Settings = append(u.Settings, settings)
	}
	for _, name := range names {
		u.name(name)
	}
	ir.Walk(root, u.note)
}

func (u *SessionDeps) name(name string) {
	if !slices.Contains(u.Names, name) {
		u.Names = append(u.Names, name)
	}
}

// note notes a part of a statement.
func (u *SessionDeps) note(p ir.Part) bool {
	switch p := p.(type) {
	case ir.SessionVar:
		u.name(p.Name)
	case ir.SessionObject:
		u.All = true
	}
	return true
}
