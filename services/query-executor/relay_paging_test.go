package queryexecutor

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/session"
)

// connectionPage is a page of artists or albums.
type connectionPage struct {
	PageInfo struct {
		StartCursor, EndCursor       string
		HasNextPage, HasPreviousPage bool
	}
	Edges []struct {
		Cursor string
		Node   struct{ ID string }
	}
}

func (p *connectionPage) ids() []string {
	ids := make([]string, len(p.Edges))
	for i, e := range p.Edges {
		ids[i] = e.Node.ID
	}
	return ids
}

// TestPagesMakeTheWhole holds that the pages of a connection, one after the other from either end, are
// all rows in order, with NULLs and equal values among the ordering values, and that the page
// information is right.
func TestPagesMakeTheWhole(t *testing.T) {
	t.Parallel()
	e := newFixture(t, "testdata/cases/relay", Config{})
	for _, c := range []struct{ field, arguments string }{
		{"artist_connection", "where: {}"},
		{"artist_connection", "order_by: {rating: asc}"},
		{"artist_connection", "order_by: {rating: asc_nulls_first}"},
		{"artist_connection", "order_by: {rating: desc}"},
		{"artist_connection", "order_by: [{rating: desc_nulls_last}, {since: asc}]"},
		{"artist_connection", "order_by: [{since: desc}, {id: desc}]"},
		{"artist_connection", `where: {name: {_neq: "Cid"}}, order_by: {rating: desc}`},
		{"artist_connection", "order_by: [{albums_aggregate: {count: desc}}, {albums_aggregate: {max: {label: asc}}}]"},
		{"artist_connection", "order_by: {albums_aggregate: {avg: {id: desc}}}"},
		{"album_connection", "order_by: [{artist: {rating: asc}}, {artist: {name: desc}}, {label: asc}]"},
		{"album_connection", "distinct_on: label, order_by: [{label: desc}, {id: desc}]"},
		{"album_connection", "distinct_on: label"},
		{"album_connection", "distinct_on: [artist_id, id]"},
		{"album_connection", "distinct_on: artist_id, order_by: [{artist_id: asc}, {artist: {name: asc}}]"},
		{"albums_like_connection", `args: {pattern: "%"}, order_by: {artist_id: desc}`},
	} {
		requirePages(t, e, session.Admin, c.field, c.arguments)
	}
}

// requirePages reads the pages of a connection from both ends, in several sizes, and gives the
// whole.
func requirePages(t *testing.T, e *Executor, role, field, arguments string) *connectionPage {
	t.Helper()
	whole := readPage(t, e, role, field, arguments)
	require.NotEmpty(t, whole.Edges)
	require.False(t, whole.PageInfo.HasNextPage)
	require.False(t, whole.PageInfo.HasPreviousPage)
	for size := 1; size <= 4; size++ {
		t.Run(fmt.Sprint(role, field, arguments, size), func(t *testing.T) {
			t.Parallel()
			page := func(from int, format string, a ...any) *connectionPage {
				p := readPage(t, e, role, field, arguments+" "+fmt.Sprintf(format, a...))
				require.NotEmpty(t, p.Edges)
				require.Equal(t, whole.Edges[from:from+len(p.Edges)], p.Edges)
				require.Equal(t, p.Edges[0].Cursor, p.PageInfo.StartCursor)
				require.Equal(t, p.Edges[len(p.Edges)-1].Cursor, p.PageInfo.EndCursor)
				require.Equal(t, from > 0, p.PageInfo.HasPreviousPage)
				require.Equal(t, from+len(p.Edges) < len(whole.Edges), p.PageInfo.HasNextPage)
				return p
			}
			p := page(0, "first: %d", size)
			forward := p.ids()
			for p.PageInfo.HasNextPage {
				p = page(len(forward), "first: %d, after: %q", size, p.PageInfo.EndCursor)
				forward = append(forward, p.ids()...)
			}
			require.Equal(t, whole.ids(), forward)

			left := len(whole.Edges)
			step := func() int { return max(0, left-size) }
			p = page(step(), "last: %d", size)
			backward := p.ids()
			for p.PageInfo.HasPreviousPage {
				left -= len(p.Edges)
				p = page(step(), "last: %d, before: %q", size, p.PageInfo.StartCursor)
				backward = slices.Concat(p.ids(), backward)
			}
			require.Equal(t, whole.ids(), backward)
		})
	}
	return whole
}

// readPage reads a page of a connection.
func readPage(t *testing.T, e *Executor, role, field, arguments string) *connectionPage {
	t.Helper()
	text := answerRelay(t, e, role, fmt.Sprintf(
		"{ c: %s(%s) { pageInfo { startCursor endCursor hasNextPage hasPreviousPage } edges { cursor node { id } } } }", field, arguments))
	var body struct{ Data struct{ C connectionPage } }
	require.NoError(t, json.Unmarshal(text, &body), string(text))
	require.NotContains(t, string(text), `"error"`)
	return &body.Data.C
}

// answerRelay is what a role is answered by the Relay API.
func answerRelay(t *testing.T, e *Executor, role, text string) []byte {
	t.Helper()
	s := &session.Session{Role: role, Variables: map[string]string{session.RoleHeader: role}}
	return answer(t, e, &request{session: s, relay: true, text: text})
}

func TestRelayIsExplained(t *testing.T) {
	t.Parallel()
	e := newFixture(t, "testdata/cases/relay", Config{})
	s := e.borrow()
	defer e.giveBack(s)
	r, err := e.prepare(t.Context(), &request{session: adminSession(), relay: true, text: `{
		page: artist_connection(first: 2, after: "eyJpZCI6MX0=") { edges { cursor } pageInfo { hasPreviousPage } }
		node(id: "WzEsInB1YmxpYyIsImFydGlzdCIsMV0=") { id }
	}`}, s)
	require.NoError(t, err)
	body, err := r.plan.Explain(t.Context(), &s.run)
	require.NoError(t, err)
	var list []struct {
		Field, SQL string
		Plan       []string
	}
	require.NoError(t, json.Unmarshal(body, &list))
	require.Len(t, list, 2)
	require.Equal(t, "page", list[0].Field)
	require.Contains(t, list[0].SQL, "LIMIT 3")
	require.Contains(t, list[0].SQL, "'1'", "the value of the cursor is part of the text")
	require.NotEmpty(t, list[0].Plan)
	require.Equal(t, "node", list[1].Field)
	require.NotEmpty(t, list[1].Plan)
}
