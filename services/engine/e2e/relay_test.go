package e2e

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSealedIDsOutliveTheEngine: a role that may not read primary keys reads pages of the Relay
// API with nothing set, and the ids and cursors that it has got are good after a restart.
func TestSealedIDsOutliveTheEngine(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := startDevIn(t, dir, nil)
	p.metadata("pg_create_select_permission", map[string]any{
		"source": "default", "table": "artists", "role": "listener", "permission": map[string]any{"columns": []string{"name"}, "filter": map[string]any{}},
	})
	listener := map[string]string{"X-Engine-Role": "listener"}
	type page struct {
		Data struct {
			Artists struct {
				PageInfo struct{ EndCursor string }
				Edges    []struct{ Node struct{ ID, Name string } }
			} `json:"artists_connection"`
		}
	}
	read := func(p *process, arguments string) page {
		a := p.post("/v1beta1/relay", listener, map[string]any{"query": fmt.Sprintf(
			`{ artists_connection(first: 2, order_by: {name: asc}%s) { pageInfo { endCursor } edges { node { id name } } } }`, arguments)})
		var got page
		require.NoError(t, json.Unmarshal([]byte(a.text()), &got), a.text())
		require.Len(t, got.Data.Artists.Edges, 2, a.text())
		return got
	}
	first := read(p, "")
	after := fmt.Sprintf(", after: %q", first.Data.Artists.PageInfo.EndCursor)
	second := read(p, after)
	p.stop()

	p = startDevIn(t, dir, nil)
	require.Equal(t, first, read(p, ""))
	require.Equal(t, second, read(p, after))
	node := first.Data.Artists.Edges[0].Node
	a := p.post("/v1beta1/relay", listener, map[string]any{"query": fmt.Sprintf(`{ node(id: %q) { id ... on artists { name } } }`, node.ID)})
	require.JSONEq(t, fmt.Sprintf(`{"data": {"node": {"id": %q, "name": %q}}}`, node.ID, node.Name), a.text())
}
