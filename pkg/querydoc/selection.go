package querydoc

import "github.com/vektah/gqlparser/v2/ast"

// Selection is what an operation selects of a value: an object, or objects in lists. It isn't safe for concurrent use.
type Selection struct {
	fragments ast.FragmentDefinitionList
	sets      []ast.SelectionSet
	// fields are those of the sets and their fragments, by the names of the answer; nil before they are needed.
	fields map[string]*Selection
}

// Selection is what the only operation of a document selects, nil when there are several.
func (d *Document) Selection() *Selection {
	if len(d.ast.Operations) != 1 {
		return nil
	}
	return &Selection{fragments: d.ast.Fragments, sets: []ast.SelectionSet{d.ast.Operations[0].SelectionSet}}
}

// Field is what is selected of a field, by its name in the answer; nil for a scalar, whose values may be any JSON.
func (s *Selection) Field(name string) *Selection {
	if s.fields == nil {
		s.fields = map[string]*Selection{}
		opened := map[string]bool{}
		for _, set := range s.sets {
			s.add(set, opened)
		}
	}
	return s.fields[name]
}

func (s *Selection) add(set ast.SelectionSet, opened map[string]bool) {
	for _, part := range set {
		switch part := part.(type) {
		case *ast.Field:
			if len(part.SelectionSet) == 0 {
				continue
			}
			known := s.fields[part.Alias]
			if known == nil {
				known = &Selection{fragments: s.fragments}
				s.fields[part.Alias] = known
			}
			known.sets = append(known.sets, part.SelectionSet)
		case *ast.InlineFragment:
			s.add(part.SelectionSet, opened)
		case *ast.FragmentSpread:
			if f := s.fragments.ForName(part.Name); f != nil && !opened[part.Name] {
				opened[part.Name] = true
				s.add(f.SelectionSet, opened)
			}
		}
	}
}
