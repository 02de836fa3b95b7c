package queryexecutor

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/metadata"
	"queryengine/pkg/session"
)

func TestDepthAndNodeLimits(t *testing.T) {
	t.Parallel()
	e := newFixture(t, "testdata/cases/shop", Config{})
	next := *e.state.Load().snapshot
	next.Version++
	doc := *next.Document
	doc.APILimits = json.RawMessage(`{"depth_limit":{"global":2,"per_role":{"deep":3}},"node_limit":{"global":3}}`)
	next.Document = &doc
	e.apply(&next)
	ask := func(role, text string) string {
		return string(answer(t, e, &request{session: &session.Session{Role: role}, text: text}))
	}
	deep := `{ a { ...f } } fragment f on t { b { c { d } } }`
	require.JSONEq(t, `{"code":"depth-limit-exceeded","error":"depth limit exceeded: query depth is 3, the limit is 2","path":"$"}`, ask("guest", deep))
	require.Contains(t, ask("deep", deep), "field 'a' not found", "a limit for the role takes the place of the global one")
	require.Contains(t, ask(session.Admin, deep), "field 'a' not found")
	require.Contains(t, ask("guest", `{ a { b { c } } __schema { types { fields { type { name } } } } }`), "field 'a' not found",
		"introspection doesn't count")

	require.JSONEq(t, `{"code":"node-limit-exceeded","error":"node limit exceeded: query has 4 nodes, the limit is 3","path":"$"}`,
		ask("guest", `{ a { x } b { x } ... { c { x } } d { x } }`))
	require.Contains(t, ask("guest", `{ a { x } b { x } c { x } d }`), "field 'a' not found")

	// Each fragment uses the next one twice: 2^100 fields in few bytes.
	var b strings.Builder
	b.WriteString(`{ ...f0 }`)
	for i := range 100 {
		b.WriteString(strings.ReplaceAll(strings.ReplaceAll(` fragment fI on t { a { x } ...fN ...fN }`, "I", letters(i)), "N", letters(i+1)))
	}
	b.WriteString(` fragment f` + letters(100) + ` on t { x }`)
	require.Contains(t, ask("guest", strings.Replace(b.String(), "f0", "f"+letters(0), 1)), "node-limit-exceeded")
}

// letters is a number as a part of a name.
func letters(i int) string { return strings.Repeat("x", i) + "y" }

func TestLimitsOfBytes(t *testing.T) {
	t.Parallel()
	var doc metadata.Document
	require.NoError(t, json.Unmarshal([]byte(`{"version":3,"sources":[],"api_limits":{"bytes_limit":{"global":10,"per_role":{"analyst":500}}}}`), &doc))
	bounded := &state{limits: doc.Limits()}
	for role, want := range map[string]int64{"guest": 10, "analyst": 500} {
		most, ok := bounded.ScanLimit(&session.Session{Role: role})
		require.True(t, ok, role)
		require.Equal(t, want, most, role)
	}
	_, ok := bounded.ScanLimit(&session.Session{Role: session.Admin})
	require.False(t, ok)
	_, ok = (&state{}).ScanLimit(&session.Session{Role: "guest"})
	require.False(t, ok)
}
