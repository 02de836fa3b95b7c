package postgres

import (
	"bytes"
	"encoding/base64"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/ir"
)

// reversing is a Sealer whose texts are easy to recognise.
type reversing struct{ name string }

func (s reversing) Seal(dst, text []byte) []byte {
	text = bytes.Clone(text)
	slices.Reverse(text)
	return append(append(dst, s.name...), text...)
}

func (s reversing) Name() string { return s.name }

// sealedPage is a page whose cursors and ids are sealed in their own ways.
func sealedPage(cursors, ids ir.Sealer) *ir.Connection {
	rows := tracks(func(rows *ir.Rows) { rows.Where = compare(column("id", int4Type), ir.OpLt, number4("3")) })
	return &ir.Connection{
		Rows: rows, Keys: []ir.CursorKey{{Path: []string{"id"}, Type: int4Type, NotNull: true}}, Size: -1, Seal: cursors,
		Fields: []ir.ConnectionField{
			{Alias: "page", Value: ir.PageInfoFields{{Alias: "end", Value: ir.EndCursor}}},
			{Alias: "edges", Value: ir.Edges{
				{Alias: "at", Value: ir.EdgeCursor{}},
				{Alias: "node", Value: ir.Node{
					{Alias: "id", Value: &ir.NodeID{Table: public("track"), Key: []ir.Column{column("id", int4Type)}, Seal: ids}},
				}},
			}},
		},
	}
}

// TestSealedTexts holds that queries and subscriptions seal the same texts.
func TestSealedTexts(t *testing.T) {
	t.Parallel()
	f := newFixture(t, shopSchema, nil)
	page := sealedPage(reversing{"cursor "}, reversing{"id "})
	query, err := New().RenderQuery(page, backend.RenderOptions{})
	require.NoError(t, err)
	want := answerOf(t, f.source, query, backend.Args{})
	for _, text := range []string{`cursor }2 : "di"{`, `id ]1 ,"kcart" ,"cilbup" ,1[`} {
		require.Contains(t, want, `"`+base64.StdEncoding.EncodeToString([]byte(text))+`"`)
	}
	st, err := New().RenderLive(ir.Live{Roots: []ir.Root{page}}, backend.RenderOptions{})
	require.NoError(t, err)
	var got string
	require.NoError(t, f.source.QueryLive(t.Context(), st, [][][]byte{{}}, func(_ int, roots [][]byte, _ []byte) { got = string(roots[0]) }))
	require.Equal(t, want, got)
}

// TestSealsTellSubscriptionsApart holds that statements whose texts are sealed differently aren't
// run together.
func TestSealsTellSubscriptionsApart(t *testing.T) {
	t.Parallel()
	key := func(cursors, ids string) string {
		st, err := New().RenderLive(ir.Live{Roots: []ir.Root{sealedPage(reversing{cursors}, reversing{ids})}}, backend.RenderOptions{})
		require.NoError(t, err)
		return st.Key()
	}
	require.Equal(t, key("a", "b"), key("a", "b")) //nolint:testifylint // two statements of the same are compared
	require.NotEqual(t, key("a", "b"), key("a", "c"))
	require.NotEqual(t, key("a", "b"), key("b", "a"))
}
