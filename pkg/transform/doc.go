// Package transform changes the requests that webhooks get, and their answers, as users
// define it: method, URL, query parameters, headers and body of a request, the body of an
// answer.
//
// CompileRequest and CompileResponse read a definition once, when it is stored or when a
// service takes it over; what they return is immutable and safe for concurrent use. Apply
// is pure: it sends nothing. Every part of a request is computed from the original request;
// no part sees what became of another, and the failures of all parts are reported together.
package transform
