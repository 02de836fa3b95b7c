package resolve

import (
	"queryengine/pkg/gqlname"
	"queryengine/pkg/metadata"
	"queryengine/pkg/remoteschema"
)

// RemoteTypeRelationships are the consistent relationships that lead from an object type of a
// remote schema, by its name there.
func (s *Schema) RemoteTypeRelationships(r *Remote, typeName string) []*RemoteRelationship {
	var list []*RemoteRelationship
	for _, of := range r.Meta.Relationships {
		if of.Type != typeName {
			continue
		}
		for _, m := range of.Relationships {
			if found, p := s.remoteTypeRelationship(r, typeName, m); p.reason == "" {
				list = append(list, found)
			}
		}
	}
	return list
}

func (s *Schema) remoteTypeRelationship(r *Remote, typeName string, m *metadata.RemoteRelationship) (*RemoteRelationship, problem) {
	t := r.Upstream.RemoteType(typeName)
	switch {
	case t == nil:
		return nil, problemf("no type named %q defined in remote schema %q", typeName, r.Name)
	case t.Kind != remoteschema.Object:
		return nil, problemf("remote relationships on a remote schema can only be defined on object types")
	case !gqlname.Definable(m.Name):
		return nil, problemf("%q is not a valid GraphQL identifier", m.Name)
	case t.RemoteField(m.Name) != nil:
		return nil, problemf("conflicting definitions for field %q", m.Name)
	}
	found := &RemoteRelationship{Name: m.Name, Meta: m}
	left := func(name string) (JoinField, problem) { return remoteJoinField(t, name) }
	if to := m.Definition.ToRemoteSchema; to != nil {
		return found, s.joinRemote(found, to, left)
	}
	return found, s.joinSource(found, m.Definition.ToSource, left)
}

// remoteJoinField finds a field of an object type of a remote that can be joined by.
func remoteJoinField(t *remoteschema.Type, name string) (JoinField, problem) {
	var allowed []string
	for _, f := range t.Fields {
		if len(f.Args) > 0 || !f.Type.Named().IsInput() { // an object has no value to compare
			continue
		}
		if f.Remote == name {
			return JoinField{Name: name, Remote: f}, problem{}
		}
		allowed = append(allowed, quote(f.Remote))
	}
	// The blanks are missing on the wire, too.
	return JoinField{}, problemf("field with name %qis not provided by the lhs entity%qfor defining a join condition, the allowed fields are %s",
		name, t.Remote, alternatives(allowed))
}

// eachRemoteType calls f for the relationships that lead from types of remote schemas. Those of
// a remote that can't be used go with it.
func (s *Schema) eachRemoteType(f func(r *Remote, typeName string, m *metadata.RemoteRelationship)) {
	for _, r := range s.Remotes {
		for _, t := range r.Meta.Relationships {
			for _, m := range t.Relationships {
				f(r, t.Type, m)
			}
		}
	}
}

// remoteTypeDefinition is a relationship of a type of a remote schema as inconsistent objects
// show it.
type remoteTypeDefinition struct {
	Remote string `json:"remote_schema"`
	Type   string `json:"type_name"`
	*metadata.RemoteRelationship
}
