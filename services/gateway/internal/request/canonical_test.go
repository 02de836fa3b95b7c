package request_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/services/gateway/internal/request"
)

func TestCanonical(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"query": "{ a }"}`: `{"query":"{ a }"}`,
		`{"operationName":"o","variables":{"a": [1]},"query":"query o { a }","extensions":{"x":1},"more":2}`: `{"query":"query o { a }","operationName":"o","variables":{"a": [1]}}`,
		`{"query":"{ \"\u00e9\n }","operationName":null,"variables":null}`:                                   `{"query":"{ \"é\n }"}`,
		`[{"query":"{a}","x":1},{"query":"{b}"}]`:                                                            `[{"query":"{a}"},{"query":"{b}"}]`,
		`[]`:                        `[]`,
		``:                          ``,
		`{`:                         ``,
		`1`:                         ``,
		`{"a":1}`:                   ``,
		`{"query":1}`:               ``,
		`[{"query":"{a}"},{"b":1}]`: ``,
	} {
		require.Equal(t, want, string(request.Canonical([]byte(body), func(r *request.GraphQL) {
			if r.Document.ID == "a" {
				r.Query = "{ stored }"
			}
		})), body)
	}
}
