package read

import (
	"slices"

	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/plan/walk"
	"queryengine/services/query-executor/internal/schema"
)

// CheckNode plans the selections on an interface or a union for all types that they name, to
// find their faults whatever type the row turns out to have.
func (p *Planner) CheckNode(abstract *schema.Type, s *walk.Selected) error {
	err := p.Within(abstract.Name, s, func(s *walk.Selected) error {
		_, err := p.FieldOf(abstract, s)
		return err
	})
	if err != nil {
		return err
	}
	for _, name := range TypeConditions(s.Sets) {
		if t := Possible(abstract, name, p.Role); t != nil {
			if err := p.tryFields(t, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// tryFields looks for faults in a selection set on rows of a table, and keeps nothing.
func (p *Planner) tryFields(t *schema.Table, s *walk.Selected) error {
	before, known := p.Begin(t.Source), p.Dependencies
	_, err := p.Fields(t, s)
	p.Statement, p.Dependencies = before, known
	p.Joins, p.Joined = nil, nil
	return err
}

// Possible is the table behind an object type that an interface or a union stands for.
func Possible(abstract *schema.Type, name string, role *schema.Role) *schema.Table {
	for _, t := range abstract.Possible() {
		if t.Name == name {
			return role.TableOf(t)
		}
	}
	return nil
}

// TypeConditions lists the types that fragments are for, each once.
func TypeConditions(sets [][]parse.Selection) []string {
	var names []string
	walked := map[*parse.Fragment]bool{}
	add := func(name string) {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	var walk func(set []parse.Selection)
	walk = func(set []parse.Selection) {
		for _, s := range set {
			switch s := s.(type) {
			case *parse.Inline:
				add(s.On)
				walk(s.Selections)
			case *parse.Spread:
				if !walked[s.Fragment] {
					walked[s.Fragment] = true
					add(s.Fragment.On)
					walk(s.Fragment.Selections)
				}
			}
		}
	}
	for _, set := range sets {
		walk(set)
	}
	return names
}
