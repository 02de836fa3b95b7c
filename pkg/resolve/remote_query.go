package resolve

import (
	"queryengine/pkg/apierror"
	"queryengine/pkg/metadata"
)

// HasRemotePermissions reports whether permissions hide remote schemas from roles.
func (s *Schema) HasRemotePermissions() bool { return s.options.RemoteSchemaPermissions }

// OpenRole is the role of requests without credentials, "" for none.
func (s *Schema) OpenRole() string { return s.options.OpenRole }

// CheckRemotePermission refuses the document of a permission that doesn't fit the remote
// schema.
func (s *Schema) CheckRemotePermission(name, document string) error {
	r := s.Remote(name)
	if r == nil {
		return apierror.Newf(apierror.NotExists, "remote schema %q doesn't exist", name)
	}
	v := r.permitted(&metadata.RemoteSchemaPermission{Definition: metadata.RemoteSchemaPermissionDefinition{Schema: document}})
	return v.problem
}

// IsRemoteField reports whether a remote schema has a root field of that name for queries.
func (s *Schema) IsRemoteField(name string) bool {
	for _, r := range s.Remotes {
		if r.admin.Namespace != "" {
			if r.admin.Namespace == name {
				return true
			}
			continue
		}
		if r.admin.Query.Field(name) != nil {
			return true
		}
	}
	return false
}
