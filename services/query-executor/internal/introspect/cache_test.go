package introspect_test

import (
	"context"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/services/query-executor/internal/budget"
	"queryengine/services/query-executor/internal/introspect"
	"queryengine/services/query-executor/internal/schema"
	"queryengine/services/query-executor/internal/schema/schematest"
)

func newCache(t testing.TB, most int) *introspect.Cache {
	t.Helper()
	c, err := introspect.NewCache(most)
	require.NoError(t, err)
	return c
}

func ask(t testing.TB, c *introspect.Cache, role *schema.Role, f *introspect.Field) string {
	t.Helper()
	room := budget.New(0)
	q, err := introspect.Ask(role, []*introspect.Field{f}, &room, c)
	require.NoError(t, err)
	out := backend.NewAnswer(nil, nil, 0)
	require.NoError(t, q.Write(t.Context(), f, out))
	return string(out.Buf)
}

// TestKeptAnswersAreTheSame: the second answer to a field is the first one, and costs little more
// memory than its own bytes, however large the schema.
func TestKeptAnswersAreTheSame(t *testing.T) { //nolint:paralleltest // it counts allocations
	role := schema.New(schematest.Large(100), "admin", schema.Options{Federation: true})
	c := newCache(t, 16<<20)
	for _, query := range []string{full, `{ __type(name: "nothing") { name } }`, `{ _service { sdl } }`, `{ __schema { types { name } } }`} {
		f := planned(t, role, query)
		want := ask(t, nil, role, f)
		require.Equal(t, want, ask(t, c, role, f), query)
		require.Equal(t, want, ask(t, c, role, f), query)
		require.Equal(t, want, ask(t, c, nil, f), "no schema is needed: %s", query)
		again := testing.AllocsPerRun(5, func() {
			room := budget.New(0)
			q, err := introspect.Ask(nil, []*introspect.Field{f}, &room, c)
			require.NoError(t, err)
			require.NoError(t, q.Write(context.Background(), f, backend.NewAnswer(nil, io.Discard, 0)))
		})
		require.Less(t, again, 100.0, query)
	}
}

// TestTheCacheIsBounded: unused answers are evicted, those that don't fit aren't kept, and neither are
// broken ones.
func TestTheCacheIsBounded(t *testing.T) {
	t.Parallel()
	role := schema.New(schematest.Large(20), "admin", schema.Options{})
	kept := func(c *introspect.Cache, f *introspect.Field) bool {
		defer func() { _ = recover() }() // without an answer, the schema is needed
		room := budget.New(0)
		_, err := introspect.Ask(nil, []*introspect.Field{f}, &room, c)
		return err == nil
	}
	c := newCache(t, 2000)
	fields := make([]*introspect.Field, 40)
	for i := range fields {
		fields[i] = planned(t, role, `{ __type(name: "query_root") { name } }`)
		ask(t, c, role, fields[i])
		ask(t, c, role, fields[0])
	}
	count := 0
	for _, f := range fields {
		if kept(c, f) {
			count++
		}
	}
	require.True(t, kept(c, fields[0]), "it was requested all the time")
	require.Less(t, count, 20)
	require.Positive(t, count)
	c.Clear()
	require.False(t, kept(c, fields[0]))

	large := planned(t, role, full)
	ask(t, c, role, large)
	require.False(t, kept(c, large))

	broken := newCache(t, 16<<20)
	room := budget.New(0)
	q, err := introspect.Ask(role, []*introspect.Field{large}, &room, broken)
	require.NoError(t, err)
	require.ErrorIs(t, q.Write(t.Context(), large, backend.NewAnswer(nil, failing{io.ErrClosedPipe}, 1<<10)), io.ErrClosedPipe)
	require.False(t, kept(broken, large))
}
