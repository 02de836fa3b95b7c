package dataop

import (
	"errors"
	"testing"

	"queryengine/pkg/apierror"
)

// FuzzReadRequest: whatever a client sends, reading it ends with a request or an error that
// has a code.
func FuzzReadRequest(f *testing.F) {
	for _, seed := range []string{
		`{"type":"select","args":{"table":"t","columns":["*.*",{"name":"r","alias":"a","columns":["id"],"limit":1}],"where":{"$or":[{"a":1}]},"order_by":["-a.b",{"column":"c","nulls":"first"}]}}`,
		`{"type":"insert","args":{"table":{"schema":"s","name":"t"},"objects":[{"a":null}],"on_conflict":{"action":"update","constraint_on":["a"]},"returning":"*"}}`,
		`{"type":"update","args":{"table":"t","where":{},"$set":{"a":[1]},"$default":["b"]}}`,
		`{"type":"count","args":{"table":"t","distinct":["a"]},"version":2}`,
		`{"type":"delete","args":{"table":"","where":null}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := readRequest(body)
		var e *apierror.Error
		switch {
		case err == nil && r.args == nil:
			t.Fatalf("%q gives nothing", body)
		case err != nil && !errors.As(err, &e):
			t.Fatalf("%q gives %v", body, err)
		}
	})
}
