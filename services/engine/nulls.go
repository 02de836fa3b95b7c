package engine

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/graphql-go/graphql"
	goast "github.com/graphql-go/graphql/language/ast"
	"github.com/graphql-go/graphql/language/visitor"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/formatter"
	"github.com/vektah/gqlparser/v2/parser"
)

// nullVariable begins the names of the variables that stand for null.
const nullVariable = "__null"

// withoutNulls puts a variable without a value into each place of an operation's text that has null, because
// graphql-go's parser doesn't know null. declareNulls declares them. Defaults of variables, which the engine doesn't
// send, stay unchanged.
func withoutNulls(text string) string {
	if !strings.Contains(text, "null") {
		return text
	}
	document, err := parser.ParseQuery(&ast.Source{Input: text})
	if err != nil {
		return text // graphql-go will say what is wrong
	}
	var n nulls
	for _, o := range document.Operations {
		n.directives(o.Directives)
		n.selections(o.SelectionSet)
	}
	for _, f := range document.Fragments {
		n.directives(f.Directives)
		n.selections(f.SelectionSet)
	}
	var b strings.Builder
	formatter.NewFormatter(&b).FormatQueryDocument(document)
	return b.String()
}

// nulls counts the nulls that it replaces.
type nulls int

func (n *nulls) selections(set ast.SelectionSet) {
	for _, s := range set {
		switch s := s.(type) {
		case *ast.Field:
			n.arguments(s.Arguments)
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
		n.arguments(d.Arguments)
	}
}

func (n *nulls) arguments(list ast.ArgumentList) {
	for _, a := range list {
		n.value(a.Value)
	}
}

func (n *nulls) value(v *ast.Value) {
	if v.Kind == ast.NullValue {
		*n++
		v.Kind, v.Raw = ast.Variable, nullVariable+strconv.Itoa(int(*n))
	}
	for _, c := range v.Children {
		n.value(c.Value)
	}
}

// declareNulls declares the variables that stand for null, with the types of their places. Its error is about a place
// that needs a value.
func declareNulls(schema *graphql.Schema, document *goast.Document) (err error) {
	var found []*goast.VariableDefinition
	info := graphql.NewTypeInfo(&graphql.TypeInfoConfig{Schema: schema})
	visitor.Visit(document, visitor.VisitWithTypeInfo(info, &visitor.VisitorOptions{Enter: func(p visitor.VisitFuncParams) (string, any) {
		if v, ok := p.Node.(*goast.Variable); ok && strings.HasPrefix(v.Name.Value, nullVariable) {
			if t, ok := info.InputType().(*graphql.NonNull); ok {
				err = fmt.Errorf("expected %q, found null", t)
			}
			found = append(found, goast.NewVariableDefinition(&goast.VariableDefinition{Variable: v, Type: written(info.InputType())}))
		}
		return visitor.ActionNoChange, nil
	}}), nil)
	for _, d := range document.Definitions {
		if o, ok := d.(*goast.OperationDefinition); ok {
			o.VariableDefinitions = append(o.VariableDefinitions, found...)
		}
	}
	return err
}

// written is a type as documents have it, any one for nil: that of a place inside of a scalar.
func written(t graphql.Type) goast.Type {
	switch t := t.(type) {
	case *graphql.List:
		return goast.NewList(&goast.List{Type: written(t.OfType)})
	case *graphql.NonNull:
		return goast.NewNonNull(&goast.NonNull{Type: written(t.OfType)})
	}
	name := graphql.String.Name()
	if t != nil {
		name = t.Name()
	}
	return goast.NewNamed(&goast.Named{Name: goast.NewName(&goast.Name{Value: name})})
}
