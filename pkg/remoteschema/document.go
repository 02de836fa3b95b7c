package remoteschema

import (
	"errors"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"

	"queryengine/pkg/apierror"
)

// maxTokens bounds the work on one document of a permission.
const maxTokens = 500_000

// document is a list of definitions whose references are names.
type document struct {
	definitions                   []*ast.Definition
	query, mutation, subscription string // the names of the root types, "" for none
}

func (d *document) definition(name string) *ast.Definition {
	return find(d.definitions, func(d *ast.Definition) bool { return d.Name == name })
}

// FromSDL makes a schema out of its text in GraphQL's schema language. Directives count for
// nothing.
func FromSDL(text string) (*Schema, error) {
	parsed, err := parseSDL(text)
	if err != nil {
		return nil, err
	}
	d := &document{definitions: parsed.Definitions}
	d.setRoots(parsed.Schema)
	return d.link()
}

func parseSDL(text string) (*ast.SchemaDocument, error) {
	doc, err := parser.ParseSchemaWithLimit(&ast.Source{Input: text}, maxTokens)
	if err != nil {
		message := err.Error()
		var e *gqlerror.Error
		if errors.As(err, &e) {
			message = e.Message
		}
		return nil, apierror.New(apierror.ParseFailed, message)
	}
	return doc, nil
}

// setRoots takes the root types that the document names, else those with the usual names.
// With a list of root types, only those in it count.
func (d *document) setRoots(schema ast.SchemaDefinitionList) {
	if len(schema) == 0 {
		for _, root := range []struct {
			name *string
			text string
		}{{&d.query, "Query"}, {&d.mutation, "Mutation"}, {&d.subscription, "Subscription"}} {
			if d.definition(root.text) != nil {
				*root.name = root.text
			}
		}
		return
	}
	for _, o := range schema[0].OperationTypes {
		switch o.Operation {
		case ast.Query:
			d.query = o.Type
		case ast.Mutation:
			d.mutation = o.Type
		case ast.Subscription:
			d.subscription = o.Type
		}
	}
}

// parseValue reads a value that is spelt in GraphQL.
func parseValue(text string) (*ast.Value, error) {
	doc, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: "{f(a:" + text + "\n)}"}, maxTokens)
	if err != nil {
		return nil, errors.New("not a value of GraphQL")
	}
	for _, o := range doc.Operations {
		for _, s := range o.SelectionSet {
			if f, ok := s.(*ast.Field); ok && len(f.Arguments) == 1 {
				return f.Arguments[0].Value, nil
			}
		}
	}
	return nil, errors.New("not a value of GraphQL")
}

// isIntrospection reports whether the name belongs to introspection, which every server has.
func isIntrospection(name string) bool { return strings.HasPrefix(name, "__") }
