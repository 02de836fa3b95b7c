package backendtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/ir"
)

func (x *exercise) live(t *testing.T, at string) {
	b := x.open(t, Shop()...)
	renderer, can := x.Dialect.(backend.LiveRenderer)
	require.True(t, can)
	source, can := b.Source.(backend.LiveSource)
	require.True(t, can)
	x.sub(t, at, "queries", func(t *testing.T, at string) {
		for _, q := range Queries(b.Plans) {
			x.sub(t, at, q.Name, func(t *testing.T, _ string) {
				statement, err := renderer.RenderLive(ir.Live{Roots: []ir.Root{q.Root, q.Root}}, q.Options)
				require.NoError(t, err)
				values, err := statement.Bind(q.Args)
				require.NoError(t, err)
				require.NoError(t, source.CheckLive(t.Context(), statement, values))
				one, answers := b.answer(t, q), 0
				require.NoError(t, source.QueryLive(t.Context(), statement, [][][]byte{values, values}, func(_ int, roots [][]byte, cursor []byte) {
					answers++
					require.Nil(t, cursor)
					require.Len(t, roots, 2)
					require.Equal(t, one, string(roots[0]))
					require.Equal(t, one, string(roots[1]))
				}))
				require.Equal(t, 2, answers)
			})
		}
	})
	x.sub(t, at, "cohorts", func(t *testing.T, _ string) {
		id, owner := b.column("artist", "id"), b.column("artist", "owner_id")
		statement, err := renderer.RenderLive(ir.Live{Roots: []ir.Root{&ir.Select{
			Rows: b.rows("artist", func(r *ir.Rows) {
				r.Where = ir.And{Exps: []ir.BoolExp{
					compare(id, ir.OpGte, bound(0, id.Type)), compare(owner, ir.OpEq, ir.SessionVar{Name: "x-engine-user-id", Type: owner.Type}),
				}}
			}), Fields: b.fields("artist", "id"),
		}}}, backend.RenderOptions{})
		require.NoError(t, err)
		require.ElementsMatch(t, []backend.LiveColumn{{Variable: 0}, {Variable: -1, Session: "x-engine-user-id"}}, statement.Columns())
		var cohorts [][][]byte
		for _, c := range [][2]string{{"1", "7"}, {"2", "7"}, {"1", "8"}, {"3", "7"}} {
			values, err := statement.Bind(backend.Args{
				Variables: [][]byte{[]byte(c[0])}, Session: as("user", map[string]string{"x-engine-user-id": c[1], "x-engine-other": "1"}),
			})
			require.NoError(t, err)
			cohorts = append(cohorts, values)
		}
		got := make([]string, len(cohorts))
		require.NoError(t, source.QueryLive(t.Context(), statement, cohorts, func(i int, roots [][]byte, _ []byte) { got[i] = string(roots[0]) }))
		for i, want := range []string{`[{"id":1},{"id":2}]`, `[{"id":2}]`, `[{"id":4}]`, `[]`} {
			requireJSON(t, want, got[i])
		}
		_, err = statement.Bind(backend.Args{Variables: [][]byte{nil}, Session: as("user", nil)})
		requireCode(t, err, apierror.NotFound)
		for i := range statement.Columns() {
			wrong := slices.Clone(cohorts[0])
			wrong[i] = []byte("x")
			requireCode(t, source.CheckLive(t.Context(), statement, wrong), apierror.DataException)
		}
		plan, err := source.ExplainLive(t.Context(), statement, cohorts[0])
		require.NoError(t, err)
		require.NotEmpty(t, plan)
	})
	x.sub(t, at, "stream", func(t *testing.T, _ string) {
		seconds := b.column("track", "seconds")
		statement, err := renderer.RenderLive(ir.Live{
			Roots: []ir.Root{&ir.Select{Rows: ir.Rows{
				From: ir.Table{Name: b.Name("track")}, Where: compare(seconds, ir.OpGt, bound(0, seconds.Type)),
				OrderBy: orderBy(b.by("seconds")), Limit: bound(1, seconds.Type), WithTies: true,
			}, Fields: b.fields("track", "seconds")}},
			Cursor: &ir.Cursor{Column: "seconds", Variable: 0},
		}, backend.RenderOptions{})
		require.NoError(t, err)
		values, err := statement.Bind(backend.Args{Variables: [][]byte{[]byte("370"), []byte("2")}})
		require.NoError(t, err)
		at := slices.IndexFunc(statement.Columns(), func(c backend.LiveColumn) bool { return c.Variable == 0 })
		for _, want := range streamed(370, 2) {
			var cursor []byte
			require.NoError(t, source.QueryLive(t.Context(), statement, [][][]byte{values}, func(_ int, roots [][]byte, next []byte) {
				requireJSON(t, want, string(roots[0]))
				cursor = slices.Clone(next)
			}))
			if want == "[]" {
				require.Nil(t, cursor)
				continue
			}
			values[at] = cursor
		}
	})
}

// streamed are the answers of a stream of tracks that are longer than some seconds, in batches of a
// size. Tracks of the same length come together. The last answer is empty.
func streamed(longer, size int) []string {
	var lengths []int
	for id := range 40 {
		if n := secondsOf(id + 1); n != nil && *n > longer {
			lengths = append(lengths, *n)
		}
	}
	slices.Sort(lengths)
	var batches []string
	for len(lengths) > 0 {
		n := min(size, len(lengths))
		for n < len(lengths) && lengths[n] == lengths[n-1] {
			n++
		}
		rows := make([]string, n)
		for i, s := range lengths[:n] {
			rows[i] = fmt.Sprintf(`{"seconds":%d}`, s)
		}
		batches, lengths = append(batches, "["+strings.Join(rows, ",")+"]"), lengths[n:]
	}
	return append(batches, "[]")
}
