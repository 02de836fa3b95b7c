package resolve

import (
	"slices"

	"queryengine/pkg/endpoint"
	"queryengine/pkg/metadata"
)

// endpointCheck is the faults of the REST endpoints of a document.
type endpointCheck struct {
	document *metadata.Document
	problems []metadata.Inconsistency
}

// holdsFor reports whether doc has the same endpoints and queries.
func (c *endpointCheck) holdsFor(doc *metadata.Document) bool {
	return c != nil && slices.Equal(c.document.RESTEndpoints, doc.RESTEndpoints) &&
		slices.Equal(c.document.QueryCollections, doc.QueryCollections)
}

// checkEndpoints returns the REST endpoints that can't be served.
func (s *Schema) checkEndpoints() []metadata.Inconsistency {
	check := s.endpoints.Load()
	if !check.holdsFor(s.Document) {
		_, problems := endpoint.Compile(s.Document)
		check = &endpointCheck{s.Document, problems}
		s.endpoints.Store(check)
	}
	return check.problems
}
