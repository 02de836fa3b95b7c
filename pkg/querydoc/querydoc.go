// Package querydoc reads GraphQL documents that are stored as text: the queries of
// collections, which endpoints run and the allow list permits.
//
// It knows syntax only. Whether a document suits a schema is found out when it is run.
package querydoc

import (
	"errors"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
)

// maxTokens bounds the work on one document, as it is bounded for requests.
const maxTokens = 500_000

// ErrSyntax is the error for a text that is no GraphQL document.
var ErrSyntax = errors.New("parsing the graphql query failed")

// Document is a parsed document. It is safe for concurrent use.
type Document struct {
	// Operations in the order of the text.
	Operations []Operation
	ast        *ast.QueryDocument
}

// Operation is one operation of a document.
type Operation struct {
	Kind      Kind
	Name      string
	Variables []Variable
}

// Kind is what an operation does.
type Kind string

// The kinds of operations.
const (
	Query        Kind = "query"
	Mutation     Kind = "mutation"
	Subscription Kind = "subscription"
)

// Variable is a declared variable.
type Variable struct {
	Name string
	// Type is the name of the type, of the elements for a list.
	Type    string
	List    bool
	NonNull bool
}

// Parse parses a text. Its error is ErrSyntax.
func Parse(text string) (*Document, error) {
	doc, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: text}, maxTokens)
	if err != nil || len(doc.Operations)+len(doc.Fragments) == 0 {
		return nil, ErrSyntax
	}
	d := &Document{ast: doc}
	for _, o := range doc.Operations {
		operation := Operation{Kind: Kind(o.Operation), Name: o.Name}
		for _, v := range o.VariableDefinitions {
			operation.Variables = append(operation.Variables, Variable{
				Name: v.Variable, Type: v.Type.Name(), List: v.Type.Elem != nil, NonNull: v.Type.NonNull,
			})
		}
		d.Operations = append(d.Operations, operation)
	}
	return d, nil
}
