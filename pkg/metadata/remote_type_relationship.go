package metadata

import "queryengine/pkg/apierror"

// CreateRemoteTypeRelationship are the arguments of create_remote_schema_remote_relationship.
type CreateRemoteTypeRelationship struct {
	RemoteSchema string `json:"remote_schema" meta:"required,nonempty"`
	Type         string `json:"type_name" meta:"required,nonempty"`
	RemoteRelationship
}

// Apply adds the relationship; one of the same name is replaced. For a remote schema that isn't
// there, nothing is done, and that is no error.
func (a *CreateRemoteTypeRelationship) Apply(v View) (*Result, error) {
	s := v.Document.RemoteSchema(a.RemoteSchema)
	if s == nil {
		return &Result{Document: v.Document}, nil
	}
	t := RemoteTypeRelationships{Type: a.Type}
	if old := find(s.Relationships, remoteTypeName, a.Type); old != nil {
		t = *old
	}
	relationship := a.RemoteRelationship
	t.Relationships = inserted(t.Relationships, &relationship, remoteRelationshipName)
	n := *s
	n.Relationships = inserted(s.Relationships, &t, remoteTypeName)
	return &Result{Document: v.Document.withRemoteSchema(&n), Objects: []ObjectID{s.RelationshipID(a.Type, a.Name)}}, nil
}

// UpdateRemoteTypeRelationship are the arguments of update_remote_schema_remote_relationship.
type UpdateRemoteTypeRelationship struct{ CreateRemoteTypeRelationship }

// Apply replaces the definition of the relationship.
func (a *UpdateRemoteTypeRelationship) Apply(v View) (*Result, error) {
	if err := v.checkRemoteTypeRelationship(a.RemoteSchema, a.Type, a.Name); err != nil {
		return nil, err
	}
	return a.CreateRemoteTypeRelationship.Apply(v)
}

// DeleteRemoteTypeRelationship are the arguments of delete_remote_schema_remote_relationship.
type DeleteRemoteTypeRelationship struct {
	RemoteSchema string `json:"remote_schema" meta:"required,nonempty"`
	Type         string `json:"type_name" meta:"required,nonempty"`
	Name         string `json:"name" meta:"required,nonempty"`
}

// Apply removes the relationship.
func (a *DeleteRemoteTypeRelationship) Apply(v View) (*Result, error) {
	if err := v.checkRemoteTypeRelationship(a.RemoteSchema, a.Type, a.Name); err != nil {
		return nil, err
	}
	id := v.Document.RemoteSchema(a.RemoteSchema).RelationshipID(a.Type, a.Name)
	return &Result{Document: v.Document.Without(id), Objects: []ObjectID{id}}, nil
}

// checkRemoteTypeRelationship refuses a name that stands for no relationship of the type.
func (v View) checkRemoteTypeRelationship(remote, typeName, name string) error {
	if s := v.Document.RemoteSchema(remote); s != nil {
		t := find(s.Relationships, remoteTypeName, typeName)
		if t != nil && find(t.Relationships, remoteRelationshipName, name) != nil {
			return nil
		}
	}
	return apierror.Newf(apierror.NotExists, "no relationship defined on remote schema %q with name %q", remote, name)
}
