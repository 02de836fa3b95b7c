package metadata

import (
	"cmp"
	"slices"
	"strings"

	"queryengine/pkg/apierror"
)

// RESTEndpoint answers requests for a path with the result of a stored query.
type RESTEndpoint struct {
	Comment    *string            `json:"comment"`
	Definition EndpointDefinition `json:"definition" meta:"required"`
	Methods    []string           `json:"methods" meta:"required"`
	Name       string             `json:"name" meta:"required,nonempty"`
	// URL is the path below /api/rest/; a segment that begins with a colon is a variable.
	URL string `json:"url" meta:"required,nonempty"`
}

// EndpointDefinition is what an endpoint runs.
type EndpointDefinition struct {
	Query QueryReference `json:"query" meta:"required"`
}

// QueryReference names a query of a collection.
type QueryReference struct {
	Collection string `json:"collection_name" meta:"required,nonempty"`
	Query      string `json:"query_name" meta:"required,nonempty"`
}

// endpointMethods are the methods that endpoints can have.
var endpointMethods = []string{"GET", "POST", "PUT", "DELETE", "PATCH"}

func (e *RESTEndpoint) check() error {
	if len(e.Methods) == 0 {
		return apierror.At(apierror.New(apierror.ParseFailed, "parsing NonEmpty failed, unexpected empty list"), "methods")
	}
	for i, m := range e.Methods {
		if !slices.Contains(endpointMethods, m) {
			return apierror.At(apierror.Newf(apierror.ParseFailed,
				"parsing EndpointMethod failed, expected one of %s, but encountered %s", strings.Join(endpointMethods, ", "), m), "methods", i)
		}
	}
	return nil
}

// ID names the endpoint among the objects of the document.
func (e *RESTEndpoint) ID() ObjectID { return ObjectID{Kind: ObjectRESTEndpoint, Name: e.Name} }

func endpointName(e *RESTEndpoint) string { return e.Name }

// CompareEndpoints is the order of endpoints: by URL, then by name.
func CompareEndpoints(a, b *RESTEndpoint) int {
	return cmp.Or(compareText(a.URL, b.URL), compareText(a.Name, b.Name))
}

// CreateRESTEndpoint are the arguments of create_rest_endpoint.
type CreateRESTEndpoint struct{ RESTEndpoint }

// Apply adds the endpoint.
func (a *CreateRESTEndpoint) Apply(v View) (*Result, error) {
	if find(v.Document.RESTEndpoints, endpointName, a.Name) != nil {
		return nil, apierror.Newf(apierror.AlreadyExists, "Endpoint with name: %s already exists", a.Name)
	}
	endpoint := a.RESTEndpoint
	doc := *v.Document
	i, _ := slices.BinarySearchFunc(doc.RESTEndpoints, &endpoint, CompareEndpoints)
	doc.RESTEndpoints = slices.Insert(slices.Clone(doc.RESTEndpoints), i, &endpoint)
	return &Result{Document: &doc, Objects: []ObjectID{endpoint.ID()}}, nil
}

// DropRESTEndpoint are the arguments of drop_rest_endpoint.
type DropRESTEndpoint struct {
	Name string `json:"name" meta:"required,nonempty"`
}

// Apply removes the endpoint.
func (a *DropRESTEndpoint) Apply(v View) (*Result, error) {
	if find(v.Document.RESTEndpoints, endpointName, a.Name) == nil {
		return nil, apierror.Newf(apierror.NotExists, "endpoint with name: %s does not exist", a.Name)
	}
	return &Result{
		Document: v.Document.Without(ObjectID{Kind: ObjectRESTEndpoint, Name: a.Name}), Verdict: VerdictAny,
	}, nil
}
