package postgres

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/ir"
)

// statementsOf are the texts of all cases in a dialect, by the names of these.
func statementsOf(t *testing.T, d *Dialect) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, c := range newFixture(t, shopSchema, nil).queryCases(t) {
		st, err := d.RenderQuery(c.Root, c.Options)
		require.NoError(t, err)
		texts[c.Name] = st.SQL()
		live, err := d.RenderLive(ir.Live{Roots: []ir.Root{c.Root}}, c.Options)
		require.NoError(t, err)
		texts["live_"+c.Name] = live.SQL()
	}
	for name, m := range mutationCases() {
		st, err := d.RenderMutation(m, backend.RenderOptions{})
		require.NoError(t, err)
		texts[name] = st.SQL()
	}
	order, err := d.RenderInsertOrder(ir.InsertOrder{})
	require.NoError(t, err)
	texts["insert_order"] = order.SQL()
	return texts
}

// TestStatementsOfFlavors holds the statements of flavors to files, as far as they aren't those of PostgreSQL. On a server they are run by
// TestCitusLayouts, and by TestExerciseByAddress.
func TestStatementsOfFlavors(t *testing.T) {
	t.Parallel()
	own := statementsOf(t, New())
	for _, f := range []*flavor{citus, cockroach} {
		texts := statementsOf(t, f.dialect)
		var b strings.Builder
		for _, name := range slices.Sorted(maps.Keys(texts)) {
			if texts[name] != own[name] {
				b.WriteString("-- " + name + "\n" + texts[name] + ";\n")
			}
		}
		golden(t, filepath.Join("testdata", "statements."+f.dialect.kind+".sql"), strings.TrimSuffix(b.String(), "\n"))
	}
}

// TestStatementsForCockroach holds statements to what CockroachDB has of PostgreSQL.
func TestStatementsForCockroach(t *testing.T) {
	t.Parallel()
	lacking := []string{"record_send", "xmax", "ctid", "WITH TIES", "ON CONSTRAINT", "SELECT FROM", "pg_trigger", "pg_rewrite"}
	mine, own := statementsOf(t, cockroach.dialect), statementsOf(t, New())
	for _, word := range lacking {
		has := func(sql string) bool { return strings.Contains(sql, word) }
		require.Empty(t, filter(mine, has), word)
	}
	require.NotEmpty(t, filter(own, func(sql string) bool { return strings.Contains(sql, "record_send") }))
	require.NotEmpty(t, filter(own, func(sql string) bool { return strings.Contains(sql, "xmax") }))
}

func filter(texts map[string]string, keep func(string) bool) map[string]string {
	kept := maps.Clone(texts)
	maps.DeleteFunc(kept, func(_, sql string) bool { return !keep(sql) })
	return kept
}
