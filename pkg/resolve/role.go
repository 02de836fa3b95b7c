package resolve

import (
	"slices"

	"queryengine/pkg/metadata"
)

// Role is an inherited role.
type Role struct {
	Name string
	// Parents in the order of the document; they may be inherited roles themselves.
	Parents []string
}

// roleSet is the graph of the inherited roles; roles on a cycle are not in it.
type roleSet struct {
	byName map[string]*Role
	meta   []*metadata.InheritedRole
}

func newRoleSet(list []*metadata.InheritedRole) *roleSet {
	s := &roleSet{byName: make(map[string]*Role, len(list)), meta: list}
	for _, m := range list {
		s.byName[m.Name] = &Role{Name: m.Name, Parents: m.Set}
	}
	for {
		cycle := s.cycle()
		if cycle == nil {
			return s
		}
		for _, name := range cycle {
			delete(s.byName, name)
		}
	}
}

func (s *roleSet) equal(o *roleSet) bool { return slices.Equal(s.meta, o.meta) }

// any reports whether f holds for the role or one of the roles that it inherits from.
func (s *roleSet) any(role string, f func(string) bool) bool {
	if f(role) {
		return true
	}
	r := s.byName[role]
	return r != nil && slices.ContainsFunc(r.Parents, func(p string) bool { return s.any(p, f) })
}

// cycle returns the roles of a cycle; nil for none.
func (s *roleSet) cycle() []string {
	done := map[string]bool{}
	var path []string
	var visit func(name string) []string
	visit = func(name string) []string {
		if i := slices.Index(path, name); i >= 0 {
			return slices.Clone(path[i:])
		}
		r := s.byName[name]
		if r == nil || done[name] {
			return nil
		}
		path = append(path, name)
		for _, p := range r.Parents {
			if c := visit(p); c != nil {
				return c
			}
		}
		path = path[:len(path)-1]
		done[name] = true
		return nil
	}
	for _, m := range s.meta {
		if c := visit(m.Name); c != nil {
			return c
		}
	}
	return nil
}
