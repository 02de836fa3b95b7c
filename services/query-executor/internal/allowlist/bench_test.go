package allowlist_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/session"
	"queryengine/services/query-executor/internal/allowlist"
)

func BenchmarkCheck(b *testing.B) {
	l := allowlist.New(document(), true, nil)
	clerk := &session.Session{Role: "clerk"}
	for name, text := range map[string]string{"as stored": "{ stock { id } }", "spelt otherwise": "{stock{id,__typename}}"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				require.NoError(b, l.Check(clerk, text))
			}
		})
	}
}
