package engine

import (
	"errors"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/formatter"
	"github.com/vektah/gqlparser/v2/parser"
)

// errNullInList is for what graphql-go has no way to say.
var errNullInList = errors.New("graphql-go doesn't read null in a list: use a variable for the list")

// withoutNulls leaves out arguments and input fields that are null in the text of an operation, because graphql-go's
// parser doesn't know null. Resolvers can't tell them from missing ones, but for those with a default.
func withoutNulls(text string) (string, error) {
	if !strings.Contains(text, "null") {
		return text, nil
	}
	document, err := parser.ParseQuery(&ast.Source{Input: text})
	if err != nil {
		return text, nil //nolint:nilerr // graphql-go will say what is wrong
	}
	n := &nulls{}
	for _, o := range document.Operations {
		for _, v := range o.VariableDefinitions {
			if v.DefaultValue != nil && v.DefaultValue.Kind == ast.NullValue {
				v.DefaultValue, n.found = nil, true
			}
			n.value(v.DefaultValue)
		}
		n.directives(o.Directives)
		n.selections(o.SelectionSet)
	}
	for _, f := range document.Fragments {
		n.directives(f.Directives)
		n.selections(f.SelectionSet)
	}
	switch {
	case n.inList:
		return "", errNullInList
	case !n.found:
		return text, nil
	}
	var b strings.Builder
	formatter.NewFormatter(&b).FormatQueryDocument(document)
	return b.String(), nil
}

// nulls removes nulls.
type nulls struct{ found, inList bool }

func (n *nulls) selections(set ast.SelectionSet) {
	for _, s := range set {
		switch s := s.(type) {
		case *ast.Field:
			s.Arguments = n.arguments(s.Arguments)
			n.directives(s.Directives)
			n.selections(s.SelectionSet)
		case *ast.InlineFragment:
			n.directives(s.Directives)
			n.selections(s.SelectionSet)
		case *ast.FragmentSpread:
			n.directives(s.Directives)
		}
	}
}

func (n *nulls) directives(list ast.DirectiveList) {
	for _, d := range list {
		d.Arguments = n.arguments(d.Arguments)
	}
}

func (n *nulls) arguments(list ast.ArgumentList) ast.ArgumentList {
	var kept ast.ArgumentList
	for _, a := range list {
		if a.Value.Kind == ast.NullValue {
			n.found = true
			continue
		}
		n.value(a.Value)
		kept = append(kept, a)
	}
	return kept
}

func (n *nulls) value(v *ast.Value) {
	if v == nil {
		return
	}
	var kept ast.ChildValueList
	for _, c := range v.Children {
		if c.Value.Kind == ast.NullValue {
			n.inList = n.inList || v.Kind == ast.ListValue
			n.found = true
			continue
		}
		n.value(c.Value)
		kept = append(kept, c)
	}
	v.Children = kept
}
