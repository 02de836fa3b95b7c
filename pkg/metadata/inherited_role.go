package metadata

import (
	"slices"
	"strings"

	"queryengine/pkg/apierror"
)

// InheritedRole is a role made of others.
type InheritedRole struct {
	Name string   `json:"role_name" meta:"required,nonempty"`
	Set  []string `json:"role_set" meta:"required"`
}

func (r *InheritedRole) check() error {
	if slices.Contains(r.Set, "") {
		return apierror.At(apierror.New(apierror.ParseFailed, "empty string not allowed"), "role_set", slices.Index(r.Set, ""))
	}
	r.Set = slices.Clone(r.Set)
	slices.Sort(r.Set)
	r.Set = slices.Compact(r.Set)
	return nil
}

// AddInheritedRole are the arguments of add_inherited_role.
type AddInheritedRole struct{ InheritedRole }

// Apply adds the role, or replaces one of that name.
func (a *AddInheritedRole) Apply(v View) (*Result, error) {
	role := a.InheritedRole
	if slices.Contains(role.Set, role.Name) {
		return nil, apierror.New(apierror.InvalidParams, "an inherited role name cannot be in the role combination")
	}
	doc := *v.Document
	doc.InheritedRoles = inserted(doc.InheritedRoles, &role, roleName)
	if err := doc.checkRoleCycles(); err != nil {
		return nil, err
	}
	return &Result{Document: &doc, Objects: []ObjectID{{Kind: ObjectInheritedRole, Role: role.Name}}}, nil
}

// DropInheritedRole are the arguments of drop_inherited_role.
type DropInheritedRole struct {
	Name string `json:"role_name" meta:"required,nonempty"`
}

// Apply removes the role.
func (a *DropInheritedRole) Apply(v View) (*Result, error) {
	if find(v.Document.InheritedRoles, roleName, a.Name) == nil {
		return nil, apierror.Newf(apierror.NotExists, "%q inherited role doesn't exist", a.Name)
	}
	id := ObjectID{Kind: ObjectInheritedRole, Role: a.Name}
	return &Result{Document: v.Document.Without(id), Objects: []ObjectID{id}}, nil
}

func roleName(r *InheritedRole) string { return r.Name }

// rolesOf is the role and, when it is an inherited one, all that it is made of.
func (d *Document) rolesOf(role string) []string {
	roles := []string{role}
	for i := 0; i < len(roles); i++ {
		inherited := find(d.InheritedRoles, roleName, roles[i])
		if inherited == nil {
			continue
		}
		for _, parent := range inherited.Set {
			if !slices.Contains(roles, parent) {
				roles = append(roles, parent)
			}
		}
	}
	return roles
}

// checkRoleCycles refuses inherited roles that are made of themselves.
func (d *Document) checkRoleCycles() error {
	done := map[string]bool{}
	for _, role := range d.InheritedRoles {
		if cycle := d.roleCycle(role.Name, nil, done); cycle != nil {
			return apierror.Newf(apierror.CyclicDependency, `found cycle(s) in roles: ["%s"]`, strings.Join(cycle, `","`))
		}
	}
	return nil
}

func (d *Document) roleCycle(role string, above []string, done map[string]bool) []string {
	if i := slices.Index(above, role); i >= 0 {
		return append(slices.Clone(above[i:]), role)
	}
	inherited := find(d.InheritedRoles, roleName, role)
	if inherited == nil || done[role] {
		return nil
	}
	for _, parent := range inherited.Set {
		if cycle := d.roleCycle(parent, append(slices.Clone(above), role), done); cycle != nil {
			return cycle
		}
	}
	done[role] = true
	return nil
}
