package apply

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/catalog"
)

func permit(table, role, condition string) string {
	return `{"type":"pg_create_select_permission","args":{"table":"` + table + `","role":"` + role +
		`","permission":{"columns":["id"],"filter":` + condition + `}}}`
}

func forbid(table, role string) string {
	return `{"type":"pg_drop_select_permission","args":{"table":"` + table + `","role":"` + role + `"}}`
}

func track(table, more string) string {
	return `{"type":"pg_track_table","args":{"table":"` + table + `"` + more + `}}`
}

func relate(table, name string) string {
	return `{"type":"pg_create_object_relationship","args":{"table":"` + table + `","name":"` + name +
		`","using":{"foreign_key_constraint_on":"parent"}}}`
}

func unrelate(table, name string) string {
	return `{"type":"pg_drop_relationship","args":{"table":"` + table + `","relationship":"` + name + `"}}`
}

// TestElementsThatDependOnTheirOrder: bulks whose end is consistent although one of the elements is
// refused by itself, and those that only the resolved document can judge.
func TestElementsThatDependOnTheirOrder(t *testing.T) {
	t.Parallel()
	const collection = `{"type":"create_query_collection","args":{"name":"c","definition":{"queries":[{"name":"q","query":"{up}"}]}}}`
	const inherit = `{"type":"add_inherited_role","args":{"role_name":"mix","role_set":["clerk","boss"]}}`
	const function = `{"type":"pg_track_function","args":{"function":"all1"}}`
	useFunction := func(role string) string {
		return `{"type":"pg_create_function_permission","args":{"function":"all1","role":"` + role + `"}}`
	}
	t0, t1, t2 := track("t0", ""), track("t1", ""), track("t2", "")
	for name, c := range map[string]struct {
		before []string
		// lost is how many tables the database loses before the bulk.
		lost int
		bulk []string
		// refused is the first element that fails, -1 for none.
		refused int
	}{
		"all fit":                             {nil, 0, []string{t0, t1, relate("t1", "up"), permit("t1", "clerk", `{"up":{"id":1}}`)}, -1},
		"a rule before its relationship":      {[]string{t0, t1}, 0, []string{permit("t1", "clerk", `{"up":{"id":1}}`), relate("t1", "up")}, 0},
		"a relationship before its table":     {[]string{t1}, 0, []string{relate("t1", "up"), t0}, 0},
		"a rule that goes again":              {[]string{t0, t1}, 0, []string{permit("t1", "clerk", `{"up":{"id":1}}`), forbid("t1", "clerk")}, 0},
		"a rule that goes with its table":     {[]string{t1}, 0, []string{permit("t1", "clerk", `{"up":{"id":1}}`), `{"type":"pg_untrack_table","args":{"table":"t1"}}`}, 0},
		"a relationship that comes back":      {[]string{t0, t1, relate("t1", "up"), permit("t1", "clerk", `{"up":{"id":1}}`)}, 0, []string{unrelate("t1", "up"), relate("t1", "up")}, 0},
		"what needed it went before":          {[]string{t0, t1, permit("t0", "clerk", `{}`), relate("t1", "up"), permit("t1", "clerk", `{"up":{"id":1}}`)}, 0, []string{forbid("t0", "clerk"), forbid("t1", "clerk"), unrelate("t1", "up")}, -1},
		"a relationship of a new rule":        {[]string{t0, t1, relate("t1", "up")}, 0, []string{permit("t1", "clerk", `{"up":{"id":1}}`), unrelate("t1", "up"), forbid("t1", "clerk")}, 1},
		"a name of a column of a new table":   {[]string{t0}, 0, []string{track("t1", `,"configuration":{"column_config":{"label":{"custom_name":"shown"}}}`), relate("t1", "label")}, 1},
		"a name of a column, in the database": {[]string{t0, t1}, 0, []string{t2, relate("t1", "label")}, 1},
		"a query that asks for it":            {[]string{t0, t1, relate("t1", "up"), collection}, 0, []string{unrelate("t1", "up"), relate("t1", "up")}, 0},
		"a role that inherits nothing left":   {[]string{t0, t1, permit("t1", "clerk", `{}`), permit("t1", "boss", `{}`), inherit}, 0, []string{forbid("t1", "clerk"), permit("t0", "clerk", `{}`)}, 0},
		"a function that may not be used":     {[]string{t0, t1, permit("t1", "clerk", `{}`), function, useFunction("clerk")}, 0, []string{forbid("t1", "clerk"), permit("t1", "clerk", `{}`)}, 0},
		"permissions replaced":                {[]string{t0, t1, permit("t0", "clerk", `{}`), permit("t1", "clerk", `{}`)}, 0, []string{forbid("t0", "clerk"), permit("t0", "clerk", `{"id":1}`), forbid("t1", "clerk"), permit("t1", "clerk", `{"id":1}`)}, -1},
		"a broken object named again":         {[]string{t0, t1, relate("t1", "up")}, 2, []string{track("t3", ""), unrelate("t1", "up")}, 0},
		"a missing table":                     {[]string{t0}, 0, []string{t1, track("gone", ""), t2}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newGroupBench()
			w := b.work(b.empty(t))
			_, err := w.oneByOne(t.Context(), b.parse(t, "bulk", c.before))
			require.NoError(t, err)
			base := w.current
			if c.lost > 0 {
				b.source.catalog = groupCatalog(groupTables - c.lost)
				next := *base.Snapshot
				next.Catalogs = map[string]*catalog.Source{"default": b.source.catalog}
				base = newState(&next, base, b.engine.Resolve)
			}
			for _, kind := range []string{"bulk", "bulk_keep_going"} {
				bulk := b.parse(t, kind, c.bulk)
				first, second := b.work(base), b.work(base)
				body, err := first.oneByOne(t.Context(), bulk)
				want := outcomeOf(t, first, body, err)
				if kind == "bulk" && c.refused < 0 {
					require.NoError(t, err)
				} else if kind == "bulk" {
					require.Contains(t, want.failure, fmt.Sprintf("$.args[%d].args", c.refused))
				}
				body, err = second.bulk(t.Context(), bulk)
				require.Equal(t, want, outcomeOf(t, second, body, err), kind)
			}
		})
	}
}

// TestABulkIsResolvedOnce counts how often a bulk of many elements is resolved, and how often when
// one of them fails.
func TestABulkIsResolvedOnce(t *testing.T) {
	t.Parallel()
	const tables = 300
	b := newGroupBench()
	b.source.catalog = groupCatalog(tables)
	w := b.work(b.empty(t))
	resolved := func(kind string, requests []string) (int64, error) {
		before := b.engine.Resolutions()
		_, err := w.bulk(t.Context(), b.parse(t, kind, requests))
		return b.engine.Resolutions() - before, err
	}
	var tracks, relations, permissions, drops []string
	for n := range tables {
		name := fmt.Sprintf("t%d", n)
		tracks = append(tracks, track(name, ""))
		if n > 0 {
			relations = append(relations, relate(name, "up"), relate(name, "over"))
			permissions = append(permissions, permit(name, "clerk", `{"up":{"id":1}}`))
			drops = append(drops, forbid(name, "clerk"), permit(name, "clerk", `{"over":{"id":1}}`), unrelate(name, "up"))
		}
	}
	for _, c := range []struct {
		name     string
		kind     string
		requests []string
		atMost   int64
	}{
		{"all together", "bulk", append(append(append([]string{}, tracks...), relations...), permissions...), 1},
		{"nothing fits", "bulk_keep_going", append(append([]string{}, tracks...), permissions...), 0},
	} {
		n, err := resolved(c.kind, c.requests)
		require.NoError(t, err, c.name)
		require.LessOrEqual(t, n, c.atMost, c.name)
	}
	broken := append([]string{}, relations...)
	for i := range broken {
		broken[i] = relate(fmt.Sprintf("t%d", 1+i/2), fmt.Sprintf("r%d", i%2))
	}
	broken[400] = permit("t7", "boss", `{"gone":1}`)
	base := w.current
	n, err := resolved("bulk", broken)
	require.ErrorContains(t, err, `"gone" does not exist`)
	require.LessOrEqual(t, n, int64(3), "all, those before the one that fails, and that one")
	w.current = base
	n, err = resolved("bulk_keep_going", broken)
	require.NoError(t, err)
	require.LessOrEqual(t, n, int64(4), "and those after it")
	w.current = base
	n, err = resolved("bulk", drops)
	require.NoError(t, err)
	require.LessOrEqual(t, n, int64(2*tables), "no more than one by one")
}
