// Package rest finds the REST endpoint that a request means, and makes the variables of its
// query out of the request.
//
// It reads the metadata document and the request, and runs nothing.
package rest

import (
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"queryengine/pkg/apierror"
	"queryengine/pkg/endpoint"
	"queryengine/pkg/metadata"
)

// Routes are the endpoints of one document. They are safe for concurrent use.
type Routes struct {
	document *metadata.Document
	byLength map[int][]*endpoint.Endpoint
	// derived are those of collections, by collection and name.
	derived map[[2]string]*endpoint.Endpoint
}

// Match is an endpoint with the values of its path's variables.
type Match struct {
	*endpoint.Endpoint
	PathValues map[string]string
}

// New returns the routes of a document. Endpoints that are inconsistent are left out.
func New(doc *metadata.Document) *Routes {
	usable, _ := endpoint.Compile(doc)
	r := &Routes{document: doc, byLength: map[int][]*endpoint.Endpoint{}, derived: map[[2]string]*endpoint.Endpoint{}}
	for _, e := range usable {
		if e.Derived {
			r.derived[[2]string{e.Path[0].Text, e.Path[1].Text}] = e
			continue
		}
		r.byLength[len(e.Path)] = append(r.byLength[len(e.Path)], e)
	}
	return r
}

// Cache makes routes once for each document that has other endpoints than the one before.
type Cache struct{ last atomic.Pointer[Routes] }

// Of returns the routes of a document.
func (c *Cache) Of(doc *metadata.Document) *Routes {
	last := c.last.Load()
	switch {
	case last != nil && last.document == doc:
		return last
	case last != nil && slices.Equal(last.document.RESTEndpoints, doc.RESTEndpoints) &&
		slices.Equal(last.document.QueryCollections, doc.QueryCollections):
		last = &Routes{document: doc, byLength: last.byLength, derived: last.derived}
	default:
		last = New(doc)
	}
	c.last.Store(last)
	return last
}

// methods are the possible methods of endpoints, in the order of the wire format.
var methods = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodPatch}

// standard are the methods of HTTP that no endpoint can have.
var standard = []string{http.MethodHead, http.MethodOptions, http.MethodConnect, http.MethodTrace}

// Find returns the endpoint for a path, whose segments are not escaped.
func (r *Routes) Find(method string, path []string) (*Match, error) {
	switch {
	case slices.Contains(standard, method):
		return nil, apierror.Newf(apierror.BadRequest, "Method %s not supported.", method)
	case !slices.Contains(methods, method):
		return nil, apierror.New(apierror.BadRequest, "Nonstandard method not allowed for REST endpoints")
	}
	var fitting []*endpoint.Endpoint
	for _, e := range r.byLength[len(path)] {
		if e.Matches(path) {
			fitting = append(fitting, e)
		}
	}
	if len(path) == 2 {
		if e := r.derived[[2]string{path[0], path[1]}]; e != nil {
			fitting = append(fitting, e)
		}
	}
	if len(fitting) == 0 {
		return nil, apierror.New(apierror.NotFound, "Endpoint not found").WithStatus(http.StatusNotFound)
	}
	var taking []*endpoint.Endpoint
	for _, e := range fitting {
		if e.Takes(method) {
			taking = append(taking, e)
		}
	}
	switch len(taking) {
	case 0:
		return nil, notAllowed(fitting)
	case 1:
		return newMatch(taking[0], path), nil
	}
	return nil, apierror.New(apierror.Unexpected, "Multiple endpoints match request")
}

func notAllowed(fitting []*endpoint.Endpoint) error {
	var allowed []string
	for _, m := range methods {
		if slices.ContainsFunc(fitting, func(e *endpoint.Endpoint) bool { return e.Takes(m) }) {
			allowed = append(allowed, m)
		}
	}
	return apierror.New(apierror.MethodNotAllowed, "Allowed methods: "+strings.Join(allowed, ", "))
}

func newMatch(e *endpoint.Endpoint, path []string) *Match {
	m := &Match{Endpoint: e, PathValues: map[string]string{}}
	for i, s := range e.Path {
		if s.Variable {
			m.PathValues[s.Text] = path[i]
		}
	}
	return m
}
