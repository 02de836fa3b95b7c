package queryexecutor

import (
	"runtime"
	"testing"
	"weak"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
)

// TestOldVersionsAreForgotten holds that plans that outlive a change of the metadata don't
// keep the version in memory that they were made with.
func TestOldVersionsAreForgotten(t *testing.T) {
	t.Parallel()
	e := newFixture(t, "testdata/cases/shop", Config{})
	queries := []string{
		`{ songs(limit: 1, where: {label: {_neq: "x"}}) { id label } }`,
		`query ($m: mood_enum) { artist(where: {name: {_like: "K%"}}) { whoami tracks { id } } }`,
		`{ find_tracks(args: {word: "i"}) { id times(args: {n: 2}) } my_albums { id mood } __schema { queryType { name } } }`,
	}
	ask := func() {
		for _, q := range queries {
			require.NotContains(t, string(answer(t, e, &request{session: adminSession(), text: q})), `"error"`)
		}
	}
	ask()
	old := weak.Make(e.state.Load().schema)
	kept := keptPlan(t, e, "admin", queries[0])
	next := *e.state.Load().snapshot
	doc := *next.Document
	editTable(&doc, "mood", func(t *metadata.Table) { t.SelectPermissions = nil })
	next.Document = &doc
	e.apply(&next)
	ask()
	require.Same(t, kept, keptPlan(t, e, "admin", queries[0]))
	requireGone(t, old)
}

func requireGone(t *testing.T, p weak.Pointer[resolve.Schema]) {
	t.Helper()
	for range 3 {
		runtime.GC()
	}
	require.Nil(t, p.Value(), "the old version is still in memory")
}
