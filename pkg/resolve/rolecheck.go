package resolve

import (
	"encoding/json"
	"fmt"
	"strings"

	"queryengine/pkg/metadata"
	"queryengine/pkg/session"
)

// checkRoles finds inherited roles with parents that don't exist, or that inherit from
// themselves. A role exists when a permission or another inherited role names it.
func (s *Schema) checkRoles() []metadata.Inconsistency {
	if len(s.Document.InheritedRoles) == 0 {
		return nil
	}
	known := s.permissionRoles()
	for _, r := range s.Document.InheritedRoles {
		known[r.Name] = true
	}
	var list []metadata.Inconsistency
	for _, m := range s.Document.InheritedRoles {
		id := metadata.ObjectID{Kind: metadata.ObjectInheritedRole, Role: m.Name}
		var missing []string
		for _, p := range m.Set {
			if !known[p] {
				missing = append(missing, p)
			}
		}
		if len(missing) > 0 {
			list = append(list, inconsistent(id, m, fmt.Sprintf(
				"in inherited role %s: the following parent role(s) are not found: %s which are required to construct the inherited role: %q",
				m.Name, strings.Join(missing, ", "), m.Name)))
		}
		if s.roles.byName[m.Name] == nil {
			list = append(list, inconsistent(id, m, fmt.Sprintf("in inherited role %s: it inherits from itself", m.Name)))
		}
	}
	return list
}

// permissionRoles are the roles that permissions name.
func (s *Schema) permissionRoles() map[string]bool {
	roles := map[string]bool{session.Admin: true}
	for _, source := range s.Document.Sources {
		for _, t := range source.Tables {
			addRoles(roles, t.InsertPermissions)
			addRoles(roles, t.SelectPermissions)
			addRoles(roles, t.UpdatePermissions)
			addRoles(roles, t.DeletePermissions)
		}
		for _, f := range source.Functions {
			for _, p := range f.Permissions {
				roles[p.Role] = true
			}
		}
		for _, m := range source.LogicalModels {
			addRoles(roles, m.SelectPermissions)
		}
		for _, q := range source.NativeQueries {
			if q.Returns.Inline != nil {
				addRoles(roles, q.Returns.Inline.SelectPermissions)
			}
		}
	}
	addRawRoles(roles, s.Document.Actions, "permissions")
	for _, r := range s.Document.RemoteSchemas {
		for _, p := range r.Permissions {
			roles[p.Role] = true
		}
	}
	return roles
}

func addRoles[P any](roles map[string]bool, list []*metadata.Permission[P]) {
	for _, p := range list {
		roles[p.Role] = true
	}
}

// addRawRoles adds the roles of the permissions that objects have under key.
func addRawRoles(roles map[string]bool, objects []json.RawMessage, key string) {
	for _, o := range objects {
		fields, _ := members(o)
		permissions, _ := elements(find(fields, key))
		for _, p := range permissions {
			fields, _ := members(p)
			if role, ok := text(find(fields, "role")); ok {
				roles[role] = true
			}
		}
	}
}
