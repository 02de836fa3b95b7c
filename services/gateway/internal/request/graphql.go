// Package request reads the bodies that clients send: GraphQL requests and batches, the
// explain request, and as much of a metadata or data request as its route depends on.
//
// Variables and whole requests stay the bytes that came. Errors have the codes, paths and
// texts of the wire format.
package request

import (
	"fmt"
	"net/url"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/jsonwalk"
)

// GraphQL is one GraphQL request.
type GraphQL struct {
	Query         string
	OperationName string
	// Variables is a JSON object within the body, or nil.
	Variables []byte
	// ReadOnly refuses operations that write.
	ReadOnly bool
	// WritesNothing has queries that call no volatile functions run as ReadOnly. With ReadOnly, others are refused.
	WritesNothing bool
	// Document names the document.
	Document Document
}

// Document is how a request names its document, besides its text or instead of it.
type Document struct {
	// ID is documentId, "" for none.
	ID string
	// Persisted reports whether the request has extensions.persistedQuery, and Hash is the SHA-256 in that, in lower case; "" for another
	// version, or for none.
	Persisted bool
	Hash      string
	// New reports whether the text may be kept for requests that have its hash alone.
	New bool
}

// Named reports whether the document is named.
func (d *Document) Named() bool { return d.ID != "" || d.Persisted }

// Body is the body of a GraphQL endpoint.
type Body struct {
	value jsonwalk.Value
}

// ReadBody checks that a body is JSON.
func ReadBody(body []byte) (Body, error) {
	v, err := parse(body)
	return Body{v}, err
}

// IsBatch reports whether the body is a list of requests.
func (b Body) IsBatch() bool { return b.value.Kind == jsonwalk.Array }

// Len is the number of requests in a batch.
func (b Body) Len() int {
	n := 0
	_ = b.value.Elements(func(int, jsonwalk.Value) error { n++; return nil }) // the body was scanned before
	return n
}

// Single reads a body that is not a batch.
func (b Body) Single() (GraphQL, error) { return Read(b.value) }

// Batch reads each request of a batch and calls f with it, or with its error.
func (b Body) Batch(f func(i int, r GraphQL, err error) error) error {
	return b.value.Elements(func(i int, v jsonwalk.Value) error {
		r, err := Read(v)
		return f(i, r, err)
	})
}

// Read reads one request out of a larger text.
func Read(v jsonwalk.Value) (GraphQL, error) {
	var r GraphQL
	if v.Kind != jsonwalk.Object {
		return r, wrongKind("GraphQL request", jsonwalk.Object, v)
	}
	found := false
	err := v.Members(func(key []byte, m jsonwalk.Value) error {
		switch string(key) {
		case "query":
			if m.Kind != jsonwalk.String {
				return apierror.At(wrongKind("Text", jsonwalk.String, m), string(key))
			}
			r.Query, found = m.Text(), true
		case "operationName":
			if m.Kind != jsonwalk.String && m.Kind != jsonwalk.Null {
				return apierror.At(wrongKind("Text", jsonwalk.String, m), string(key))
			}
			if m.Kind == jsonwalk.String {
				r.OperationName = m.Text()
			}
		case "variables":
			if m.Kind != jsonwalk.Object && m.Kind != jsonwalk.Null {
				return apierror.At(wrongKind("variables", jsonwalk.Object, m), string(key))
			}
			if m.Kind == jsonwalk.Object {
				r.Variables = m.Raw
			}
		case "documentId":
			if m.Kind != jsonwalk.String && m.Kind != jsonwalk.Null {
				return apierror.At(wrongKind("Text", jsonwalk.String, m), string(key))
			}
			if m.Kind == jsonwalk.String {
				r.Document.ID = m.Text()
			}
		case "extensions":
			r.Document.readExtensions(m)
		}
		return nil
	})
	switch {
	case err != nil:
		return r, err
	case !found && !r.Document.Named():
		return r, missingKey("query")
	}
	return r, nil
}

// ReadVariables reads variables that stand alone; nil for null.
func ReadVariables(text []byte) ([]byte, error) {
	v, err := parse(text)
	switch {
	case err != nil:
		return nil, err
	case v.Kind == jsonwalk.Null:
		return nil, nil
	case v.Kind != jsonwalk.Object:
		return nil, wrongKind("variables", jsonwalk.Object, v)
	}
	return v.Raw, nil
}

// readExtensions looks for persistedQuery in the extensions of a request.
func (d *Document) readExtensions(v jsonwalk.Value) {
	if v.Kind != jsonwalk.Object {
		return
	}
	_ = v.Members(func(key []byte, m jsonwalk.Value) error { // the text was scanned before
		if string(key) == "persistedQuery" {
			d.Persisted = true
			d.Hash = persistedHash(m)
		}
		return nil
	})
}

// persistedHash is the hash in persistedQuery of version 1, "" for another one.
func persistedHash(v jsonwalk.Value) (hash string) {
	if v.Kind != jsonwalk.Object {
		return ""
	}
	version := ""
	_ = v.Members(func(key []byte, m jsonwalk.Value) error { // see above
		switch {
		case string(key) == "version":
			version = string(m.Raw)
		case string(key) == "sha256Hash" && m.Kind == jsonwalk.String:
			hash = strings.ToLower(m.Text())
		}
		return nil
	})
	if version != "1" {
		return ""
	}
	return hash
}

// OfQuery is the request in a query string, without its variables.
func OfQuery(q url.Values) GraphQL {
	r := GraphQL{Query: q.Get("query"), OperationName: q.Get("operationName"), Document: Document{ID: q.Get("documentId")}}
	if text := q.Get("extensions"); strings.Contains(text, "persistedQuery") {
		r.Document.Persisted = true // what can't be read has no hash
		if v, err := jsonwalk.Parse([]byte(text)); err == nil {
			r.Document.readExtensions(v)
		}
	}
	return r
}

// ErrPersistedQuery is the answer to a hash of an unknown document where none is kept.
func ErrPersistedQuery() *apierror.Error {
	return apierror.New(apierror.NotSupported, "PersistedQueryNotSupported")
}

func parse(body []byte) (jsonwalk.Value, error) {
	v, err := jsonwalk.Parse(body)
	if err != nil {
		return v, apierror.New(apierror.InvalidJSON, err.Error())
	}
	return v, nil
}

func wrongKind(what string, want jsonwalk.Kind, got jsonwalk.Value) error {
	return apierror.New(apierror.ParseFailed, fmt.Sprintf("parsing %s failed, expected %s, but encountered %s", what, want, got.Kind))
}

func missingKey(key string) error {
	return apierror.New(apierror.ParseFailed, fmt.Sprintf("key %q not found", key))
}
