// Package endpoint reads the REST endpoints of a metadata document: their paths, the queries that they
// run, and their faults.
//
// Metadata asks it for the inconsistent ones, the gateway serves the others. Both come to
// the same verdict, because it depends on the document alone.
package endpoint

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"queryengine/pkg/metadata"
	"queryengine/pkg/querydoc"
)

// Endpoint is an endpoint that can be served. It is safe for concurrent use.
type Endpoint struct {
	Meta *metadata.RESTEndpoint
	Path []Segment
	// Query is the text of the stored query, Operation its only operation.
	Query     string
	Operation querydoc.Operation
	// Derived reports whether the endpoint is that of a document of a collection, and has no definition of its own. Its path has no
	// variables, and no other document has it.
	Derived bool
}

// Segment is a part of a path between slashes.
type Segment struct {
	// Text is the literal text, or the name of the variable.
	Text     string
	Variable bool
}

func (s Segment) String() string {
	if s.Variable {
		return ":" + s.Text
	}
	return s.Text
}

// Compile returns the endpoints that can be served, in the order of the document, and why
// the others can't.
func Compile(doc *metadata.Document) ([]*Endpoint, []metadata.Inconsistency) {
	var usable []*Endpoint
	var problems []metadata.Inconsistency
	for _, m := range doc.RESTEndpoints {
		e, reason := compile(doc, m)
		if reason == "" {
			usable = append(usable, e)
			continue
		}
		problems = append(problems, metadata.Inconsistency{
			ID: m.ID(), Definition: m, Name: "rest_endpoint " + m.Name, Reason: reason, Type: metadata.ObjectRESTEndpoint,
		})
	}
	for _, c := range doc.QueryCollections {
		if c.REST {
			usable = append(usable, derived(c)...)
		}
	}
	usable, ambiguous := withoutAmbiguous(usable)
	return usable, append(problems, ambiguous...)
}

// derived are the endpoints of the documents of a collection, at COLLECTION/NAME: of those with one operation that is no subscription.
func derived(c *metadata.QueryCollection) (list []*Endpoint) {
	for _, q := range c.Definition.Queries {
		m := &metadata.RESTEndpoint{
			Name: c.Name + "/" + q.Name, URL: url.PathEscape(c.Name) + "/" + url.PathEscape(q.Name), Methods: []string{http.MethodGet, http.MethodPost},
			Definition: metadata.EndpointDefinition{Query: metadata.QueryReference{Collection: c.Name, Query: q.Name}},
		}
		e := &Endpoint{Meta: m, Path: []Segment{{Text: c.Name}, {Text: q.Name}}, Derived: true}
		if e.read(&q) != "" {
			continue
		}
		if e.Operation.Kind == querydoc.Mutation {
			m.Methods = m.Methods[1:]
		}
		list = append(list, e)
	}
	return list
}

// compile looks at one endpoint alone.
func compile(doc *metadata.Document, m *metadata.RESTEndpoint) (e *Endpoint, reason string) {
	e = &Endpoint{Meta: m}
	if reason := e.readQuery(doc); reason != "" {
		return nil, fmt.Sprintf("Inconsistent object: in endpoint %s: %s", m.Name, reason)
	}
	seen := map[string]bool{}
	for text := range strings.SplitSeq(m.URL, "/") {
		name, variable := strings.CutPrefix(text, ":")
		switch {
		case name == "":
			return nil, "Empty segments or unnamed variables are not allowed: " + m.URL
		case variable && seen[name]:
			return nil, "Duplicate variables found in endpoint path: " + m.URL
		}
		seen[name] = seen[name] || variable
		e.Path = append(e.Path, Segment{name, variable})
	}
	return e, ""
}

// readQuery finds the query and its operation.
func (e *Endpoint) readQuery(doc *metadata.Document) (reason string) {
	want := e.Meta.Definition.Query
	collection := doc.QueryCollection(want.Collection)
	if collection == nil {
		return fmt.Sprintf("collection with name %s does not exist", want.Collection)
	}
	stored := collection.Query(want.Query)
	if stored == nil {
		return fmt.Sprintf("query with name %s does not exist in collection %s", want.Query, want.Collection)
	}
	return e.read(stored)
}

// read reads the operation of a stored query.
func (e *Endpoint) read(stored *metadata.StoredQuery) (reason string) {
	parsed, err := querydoc.Parse(stored.Query)
	switch {
	case err != nil, len(parsed.Operations) == 0:
		return fmt.Sprintf("query with name %s has no definitions.", stored.Name)
	case len(parsed.Operations) > 1:
		return fmt.Sprintf("query with name %s has multiple definitions.", stored.Name)
	case parsed.Operations[0].Kind == querydoc.Subscription:
		return fmt.Sprintf("query with name %s is a subscription", stored.Name)
	}
	e.Query, e.Operation = stored.Query, parsed.Operations[0]
	return ""
}

// Matches reports whether the path, split at its slashes, is one of the endpoint.
func (e *Endpoint) Matches(path []string) bool {
	return slices.EqualFunc(e.Path, path, func(s Segment, text string) bool { return s.Variable || s.Text == text })
}

// Takes reports whether the endpoint answers requests of the method.
func (e *Endpoint) Takes(method string) bool { return slices.Contains(e.Meta.Methods, method) }
