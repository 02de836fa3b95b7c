package querydoc

import (
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/formatter"
)

// Normal is the text that all documents of one syntax tree share: without blanks, commas
// and comments that mean nothing, and without selections of __typename, which clients add
// on their own.
func (d *Document) Normal() string {
	doc := &ast.QueryDocument{}
	for _, o := range d.ast.Operations {
		c := *o
		c.SelectionSet = withoutTypename(o.SelectionSet)
		doc.Operations = append(doc.Operations, &c)
	}
	for _, f := range d.ast.Fragments {
		c := *f
		c.SelectionSet = withoutTypename(f.SelectionSet)
		doc.Fragments = append(doc.Fragments, &c)
	}
	var text strings.Builder
	formatter.NewFormatter(&text, formatter.WithIndent("")).FormatQueryDocument(doc)
	return text.String()
}

// withoutTypename returns a copy; the document stays as it is.
func withoutTypename(set ast.SelectionSet) ast.SelectionSet {
	out := slices.Clone(set)
	out = slices.DeleteFunc(out, func(s ast.Selection) bool {
		field, ok := s.(*ast.Field)
		return ok && field.Name == "__typename"
	})
	for i, s := range out {
		switch s := s.(type) {
		case *ast.Field:
			c := *s
			c.SelectionSet = withoutTypename(s.SelectionSet)
			out[i] = &c
		case *ast.InlineFragment:
			c := *s
			c.SelectionSet = withoutTypename(s.SelectionSet)
			out[i] = &c
		}
	}
	return out
}
