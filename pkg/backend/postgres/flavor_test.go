package postgres

import (
	"maps"
	"regexp"
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

// cutOff finds sub-selects in the place of a table.
var cutOff = regexp.MustCompile(`FROM \(SELECT `)

// TestStatementsForCitus holds statements to what Citus can send to its nodes as a whole. What a sub-select
// has cut off comes to the coordinator, where nothing else may refer to it; a constraint has other names on
// the nodes.
func TestStatementsForCitus(t *testing.T) {
	t.Parallel()
	// These read rows by the values of another source, count the rows of a slice, or cut off what isn't distinct.
	coordinated := map[string]bool{
		"by_keys": true, "by_keys_without_columns": true, "aggregate_of_slice": true, "aggregate_without_nodes": true, "connection_distinct": true,
	}
	found := map[string]bool{}
	for name, sql := range statementsOf(t, citus.dialect) {
		require.NotContains(t, sql, "ON CONSTRAINT", name)
		if cutOff.MatchString(sql) && name != "insert_order" { // which asks the catalog alone
			found[name] = true
		}
	}
	require.Equal(t, coordinated, found)
	require.Greater(t, len(filter(statementsOf(t, New()), cutOff.MatchString)), len(coordinated), "PostgreSQL's own statements do cut off")
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
