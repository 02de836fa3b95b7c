package resolve

import (
	"encoding/json"
	"fmt"
	"slices"
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
		addRawRoles(roles, source.LogicalModels, "select_permissions")
	}
	addRawRoles(roles, s.Document.Actions, "permissions")
	addRawRoles(roles, s.Document.RemoteSchemas, "permissions")
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

// rootUse is a name in a root of the schema.
type rootUse struct {
	namespace, root, name string
}

// rootConflicts finds root fields that several tables and functions define. Sources with a
// namespace conflict with nobody but themselves.
func (s *Schema) rootConflicts() []metadata.Inconsistency {
	size := 0
	for _, source := range s.Sources {
		size += 11*len(source.Tables) + 2*len(source.Functions)
	}
	owners := make(map[rootUse]metadata.ObjectID, size)
	var list []metadata.Inconsistency
	seen := map[[2]metadata.ObjectID]bool{}
	claim := func(source *Source, root, name string, id metadata.ObjectID) {
		use := rootUse{source.Namespace, root, name}
		other, taken := owners[use]
		if !taken {
			owners[use] = id
			return
		}
		pair := [2]metadata.ObjectID{other, id}
		if other == id || seen[pair] {
			return
		}
		seen[pair] = true
		objects := []metadata.InconsistentObject{s.object(other), s.object(id)}
		list = append(list, conflicting(fmt.Sprintf(
			"Encountered conflicting definitions in the selection set for '%s' for field '%s' defined in [%s, %s]. Fields must not be defined more than once across all sources.",
			root, name, objects[0].Name, objects[1].Name), objects))
	}
	for _, source := range s.Sources {
		for _, t := range source.Tables {
			if t.Name == "" {
				continue
			}
			id := tableID(t)
			for i, f := range t.RootFields.All() {
				claim(source, rootOf(i < queryFields), f.Name, id)
			}
		}
		for _, f := range source.Functions {
			id := functionID(f)
			claim(source, rootOf(!f.Mutation), f.Field.Name, id)
			if !f.Mutation {
				claim(source, rootOf(true), f.AggregateField.Name, id)
			}
		}
	}
	return list
}

func rootOf(query bool) string {
	if query {
		return "query_root"
	}
	return "mutation_root"
}

// object describes a table or function in a group of conflicting objects.
func (s *Schema) object(id metadata.ObjectID) metadata.InconsistentObject {
	o := metadata.InconsistentObject{ID: id, Definition: id.Table, Name: objectName(id), Type: id.Kind}
	if id.Kind == metadata.ObjectFunction {
		functions := s.Source(id.Source).Meta.Functions
		o.Definition = functions[slices.IndexFunc(functions, func(f *metadata.Function) bool { return f.Function == id.Table })]
	}
	return o
}
