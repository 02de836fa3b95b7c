// Package openapi describes the REST endpoints as an OpenAPI 3.0 document.
//
// The variables of an endpoint's query become parameters and a request body, its selection
// becomes the schema of the answer. Both are read from the schema of the administrator. An
// endpoint whose query doesn't suit that schema is described as far as possible, and what
// is wrong with it is reported in the description of the document.
package openapi
