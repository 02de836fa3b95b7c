package metadata

import "queryengine/pkg/apierror"

// AddRemoteSchemaPermissions are the arguments of add_remote_schema_permissions.
type AddRemoteSchemaPermissions struct {
	RemoteSchema string `json:"remote_schema" meta:"required,nonempty"`
	RemoteSchemaPermission
}

// Apply adds the permission, whose document must fit the remote.
func (a *AddRemoteSchemaPermissions) Apply(v View) (*Result, error) {
	if !v.Schema.HasRemotePermissions() {
		return nil, apierror.New(apierror.ConstraintViolation,
			"remote schema permissions can only be added when remote schema permissions are enabled in the graphql-engine")
	}
	s := v.Document.RemoteSchema(a.RemoteSchema)
	switch {
	case s == nil:
		return nil, noRemoteSchema(a.RemoteSchema)
	case s.Permission(a.Role) != nil:
		return nil, apierror.Newf(apierror.AlreadyExists,
			"permissions for role: %q for remote schema:%q already exists", a.Role, a.RemoteSchema)
	case a.Role == "admin":
		return nil, apierror.New(apierror.ConstraintViolation, "cannot define permission for admin role")
	}
	if err := v.Schema.CheckRemotePermission(a.RemoteSchema, a.Definition.Schema); err != nil {
		return nil, err
	}
	n := *s
	permission := a.RemoteSchemaPermission
	n.Permissions = inserted(s.Permissions, &permission, remotePermissionRole)
	id := ObjectID{Kind: ObjectRemotePermission, Remote: a.RemoteSchema, Role: a.Role}
	r := &Result{Document: v.Document.withRemoteSchema(&n), Objects: []ObjectID{id}}
	return v.warnOf(r, presetRules(a.RemoteSchema, &permission)), nil
}

// DropRemoteSchemaPermissions are the arguments of drop_remote_schema_permissions.
type DropRemoteSchemaPermissions struct {
	RemoteSchema string `json:"remote_schema" meta:"required,nonempty,alias=table"`
	Role         string `json:"role" meta:"required,nonempty"`
}

// Apply removes the permission.
func (a *DropRemoteSchemaPermissions) Apply(v View) (*Result, error) {
	s := v.Document.RemoteSchema(a.RemoteSchema)
	switch {
	case s == nil:
		return nil, noRemoteSchema(a.RemoteSchema)
	case s.Permission(a.Role) == nil:
		return nil, apierror.Newf(apierror.NotExists,
			"permissions for role: %q for remote schema:%q doesn't exist", a.Role, a.RemoteSchema)
	}
	id := ObjectID{Kind: ObjectRemotePermission, Remote: a.RemoteSchema, Role: a.Role}
	return &Result{Document: v.Document.Without(id), Objects: []ObjectID{id}}, nil
}

func noRemoteSchema(name string) error {
	return apierror.Newf(apierror.NotExists, "remote schema %q doesn't exist", name)
}
