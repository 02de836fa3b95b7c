package graphqlws

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzRead holds that no message of a server makes reading fail in another way than with an error,
// and that what clients are shown of errors is a JSON list.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		`{"id":"1","type":"next","payload":{"data":{"a":1}}}`, `{"type":"connection_ack"}`, `{"type":"ping","payload":null}`,
		`{"id":"1","type":"error","payload":[{"message":"no"}]}`, `{"id":"1","type":"error","payload":{"message":"no"}}`,
		`{"id":"1","type":"error","payload":"no\ud800"}`, `{"id":"1","type":"error","payload":1e400}`, `{"id":"1","type":"error","payload":[}`,
		`{"type":"error"}`, `[]`, `{`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, kinds := range []map[string]kind{transportKinds, legacyKinds} {
			m, err := read(text, kinds)
			if err != nil || m.kind != failed {
				continue
			}
			var errs *ServerError
			if errors.As(m.errorsOf(), &errs) {
				require.True(t, json.Valid(errs.List), "%q", errs.List)
				require.Equal(t, byte('['), errs.List[0])
			}
		}
	})
}
