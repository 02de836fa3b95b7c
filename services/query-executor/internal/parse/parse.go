package parse

import (
	"errors"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"

	"queryengine/pkg/apierror"
)

// Limits bound the work on one document; 0 is no limit.
type Limits struct {
	// Tokens of the document.
	Tokens int
}

// Parse parses a document and prepares the operation called name, or the only one when
// name is empty.
func Parse(text, name string, l Limits) (*Operation, error) {
	doc, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: text}, l.Tokens)
	if err != nil || len(doc.Operations)+len(doc.Fragments) == 0 {
		return nil, notValid(err)
	}
	chosen, err := choose(doc.Operations, name)
	if err != nil {
		return nil, err
	}
	return newConverter(doc).operation(chosen)
}

// notValid is the error for a text that can't be parsed. The parser's own words are only
// told where it stopped because of a limit.
func notValid(err error) error {
	message := "not a valid graphql query"
	var fault *gqlerror.Error
	if errors.As(err, &fault) && strings.HasPrefix(fault.Message, "exceeded") {
		message = "the graphql query is too large: " + fault.Message
	}
	e := apierror.New(apierror.ValidationFailed, message)
	e.Path = "$.query"
	return e
}

// choose picks the operation that a request asks for.
func choose(operations ast.OperationList, name string) (*ast.OperationDefinition, error) {
	if name == "" {
		if len(operations) != 1 {
			return nil, apierror.New(apierror.ValidationFailed,
				"exactly one operation has to be present in the document when operationName is not specified")
		}
		return operations[0], nil
	}
	for _, o := range operations {
		if o.Name == "" {
			return nil, apierror.New(apierror.ValidationFailed,
				"operationName cannot be used when an anonymous operation exists in the document")
		}
	}
	for _, o := range operations {
		if o.Name == name {
			return o, nil
		}
	}
	return nil, apierror.Newf(apierror.ValidationFailed, "no such operation found in the document: %q", name)
}
