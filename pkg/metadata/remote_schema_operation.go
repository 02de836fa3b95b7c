package metadata

import (
	"encoding/json"

	"queryengine/pkg/apierror"
)

// AddRemoteSchema are the arguments of add_remote_schema.
type AddRemoteSchema struct {
	Name       string                 `json:"name" meta:"required,nonempty"`
	Definition RemoteSchemaDefinition `json:"definition" meta:"required"`
	Comment    *string                `json:"comment"`
}

// Apply adds the remote schema, which must answer.
func (a *AddRemoteSchema) Apply(v View) (*Result, error) {
	if v.Document.RemoteSchema(a.Name) != nil {
		return nil, apierror.Newf(apierror.AlreadyExists, "remote schema with name %q already exists", a.Name)
	}
	return a.set(v, &RemoteSchema{Name: a.Name}, VerdictNew), nil
}

// set puts the definition into a copy of s, and asks the server.
func (a *AddRemoteSchema) set(v View, s *RemoteSchema, verdict Verdict) *Result {
	n := *s
	n.Definition, n.Comment = a.Definition, a.Comment
	if len(n.Definition.Headers) == 0 {
		n.Definition.Headers = nil
	}
	return &Result{
		Document: v.Document.withRemoteSchema(&n), Objects: []ObjectID{n.ID()}, Verdict: verdict,
		Introspect: Introspection{Remotes: []string{a.Name}, Required: true},
	}
}

// UpdateRemoteSchema are the arguments of update_remote_schema.
type UpdateRemoteSchema struct{ AddRemoteSchema }

// Apply replaces the definition. Permissions stay; relationships that lead from types of the
// remote are dropped, as the established engine does it.
func (a *UpdateRemoteSchema) Apply(v View) (*Result, error) {
	old := v.Document.RemoteSchema(a.Name)
	if old == nil {
		return nil, apierror.Newf(apierror.NotExists, "remote schema with name %q doesn't exist", a.Name)
	}
	kept := *old
	kept.Relationships = nil
	r := a.set(v, &kept, VerdictNamed)
	// A server that is the same and doesn't answer is used as it was.
	r.Introspect.Required = v.Remotes[a.Name] == nil || !old.Definition.SameAddress(&a.Definition)
	return r, nil
}

// RemoveRemoteSchema are the arguments of remove_remote_schema.
type RemoveRemoteSchema struct {
	Name    string `json:"name" meta:"required,nonempty"`
	Cascade bool   `json:"cascade"`
}

// Apply removes the remote schema with its permissions. Relationships to it forbid that, or are removed, too, by cascade.
func (a *RemoveRemoteSchema) Apply(v View) (*Result, error) {
	s := v.Document.RemoteSchema(a.Name)
	if s == nil {
		return nil, apierror.New(apierror.NotExists, "no such remote schema")
	}
	doc, err := v.drop(v.Document.Without(s.ID()), a.Cascade, s.ID())
	if err != nil {
		return nil, err
	}
	return &Result{Document: doc, Verdict: VerdictAny}, nil
}

// ReloadRemoteSchema are the arguments of reload_remote_schema.
type ReloadRemoteSchema struct {
	Name string `json:"name" meta:"required,nonempty"`
}

// Apply asks the server again.
func (a *ReloadRemoteSchema) Apply(v View) (*Result, error) {
	s := v.Document.RemoteSchema(a.Name)
	if s == nil {
		return nil, apierror.Newf(apierror.NotExists, "remote schema with name %q does not exist", a.Name)
	}
	return &Result{
		Document: v.Document, Objects: []ObjectID{s.ID()}, Introspect: Introspection{Remotes: []string{a.Name}},
	}, nil
}

// IntrospectRemoteSchema are the arguments of introspect_remote_schema.
type IntrospectRemoteSchema struct {
	Name string `json:"name" meta:"required,nonempty"`
}

// Answer is what the server answered when it was queried last.
func (a *IntrospectRemoteSchema) Answer(v View) (json.RawMessage, error) {
	raw := v.Remotes[a.Name]
	if raw == nil || v.Document.RemoteSchema(a.Name) == nil {
		return nil, apierror.Newf(apierror.NotExists, "remote schema: %q not found", a.Name)
	}
	return raw, nil
}
