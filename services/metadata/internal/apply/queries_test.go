package apply

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend/kind"
	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
	"queryengine/pkg/snapshot"
)

// TestSameForAdmin: what can't change the answers about queries isn't asked again.
func TestSameForAdmin(t *testing.T) {
	t.Parallel()
	const tables = `{"table":"a"},{"table":"b","select_permissions":[{"role":"r","permission":{"columns":"*","filter":{}}}]}`
	const collections = `,"query_collections":[{"name":"c","definition":{"queries":[{"name":"q","query":"{a}"}]}}]`
	document := func(tables, more string) string {
		return `{"version":3,"sources":[{"name":"default","kind":"postgres","tables":[` + tables +
			`],"configuration":{"connection_info":{"database_url":"x"}}}]` + more + `}`
	}
	read := &catalog.Source{}
	state := func(text string, c *catalog.Source) *State {
		doc, err := metadata.Parse(json.RawMessage(text), nil, kind.All(os.LookupEnv, "test").Metadata())
		require.NoError(t, err)
		return &State{Snapshot: &snapshot.Snapshot{Document: doc, Catalogs: map[string]*catalog.Source{"default": c}}}
	}
	before := state(document(tables, collections), read)
	for name, c := range map[string]struct {
		after *State
		want  bool
	}{
		"nothing": {state(document(tables, collections), read), true},
		"permissions": {state(document(
			`{"table":"a","delete_permissions":[{"role":"r","permission":{"filter":{}}}]},{"table":"b"}`, collections), read), true},
		"settings":         {state(document(tables, collections+`,"inherited_roles":[{"role_name":"s","role_set":["r"]}]`), read), true},
		"no queries":       {state(document(tables, ""), read), false},
		"a table":          {state(document(`{"table":"a"}`, collections), read), false},
		"a name":           {state(document(tables+`,{"table":"c","configuration":{"custom_name":"d"}}`, collections), read), false},
		"a catalog":        {state(document(tables, collections), &catalog.Source{}), false},
		"the allow list":   {state(document(tables, collections+`,"allowlist":[{"collection":"c"}]`), read), false},
		"another document": {state(document(tables, `,"query_collections":[{"name":"c","definition":{"queries":[]}}]`), read), false},
	} {
		require.Equal(t, c.want, sameForAdmin(before, c.after), name)
	}
	require.True(t, sameForAdmin(state(document(tables, ""), read), state(document("", ""), &catalog.Source{})), "nothing to check")
}
