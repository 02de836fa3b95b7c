package execute_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/services/query-executor/internal/budget"
	"queryengine/services/query-executor/internal/casetest"
	"queryengine/services/query-executor/internal/execute"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/plan/insert"
)

// TestInsertsGrow: a plan that is kept doesn't fit rows with relationships that no rows had before. The
// one that takes its place fits them, and still those that came before.
func TestInsertsGrow(t *testing.T) {
	t.Parallel()
	const (
		plain   = `{"o":[{"name":"a"}]}`
		places  = `{"o":[{"name":"a","place":{"data":{"name":"p"}}}]}`
		items   = `{"o":[{"name":"a"},{"name":"b","items":{"data":[{"name":"i"}]}}]}`
		parts   = `{"o":[{"name":"a","items":{"data":[{"name":"i","parts":{"data":[{"name":"x"}]}}]}}]}`
		upserts = `{"o":[{"name":"a","place":{"data":{"name":"p"},"on_conflict":{"constraint":"place_pkey","update_columns":["name"]}}}]}`
	)
	grown := 0
	casetest.Run(t, "../../testdata/cases", func(t *testing.T, c *casetest.Case) {
		if c.Feature.Name != "ordered" || c.Name != "together" {
			return
		}
		c.Session.Role = "admin"
		op, err := parse.Parse(c.Text, "", parse.Limits{})
		require.NoError(t, err)
		valuesOf := func(variables string) [][]byte {
			values, err := op.Values(nil, []byte(variables), parse.RefuseNull)
			require.NoError(t, err)
			return values
		}
		bind := func(p *execute.Prepared, variables string) ([]int, error) {
			r := &execute.Run{Session: c.Session, Values: valuesOf(variables), Budget: budget.New(len(c.Text))}
			if err := p.Bind(r); err != nil {
				return nil, err
			}
			var rows []int
			for i := range r.Inserts[0].Nodes {
				rows = append(rows, r.Inserts[0].Node(i).Count)
			}
			return rows, nil
		}
		var kept []*insert.Tree
		for i, step := range []struct {
			variables string
			rows      []int // by the node of the table, in the order in which plans got them
		}{
			{plain, []int{1}},
			{places, []int{1, 1}},
			{items, []int{2, 0, 1}},
			{parts, []int{1, 0, 1, 1}},
			{upserts, []int{1, 0, 0, 0, 1}},
		} {
			p, err := c.Plan(op, valuesOf(step.variables), kept)
			require.NoError(t, err)
			prepared, err := execute.Prepare(p, c.Render(), nil)
			require.NoError(t, err)
			rows, err := bind(prepared, step.variables)
			require.NoError(t, err)
			require.Equal(t, step.rows, rows, step.variables)
			for j, variables := range []string{plain, places, items, parts, upserts} {
				if _, err = bind(prepared, variables); j <= i {
					require.NoError(t, err, variables)
				} else {
					require.ErrorIs(t, err, insert.ErrGrow, variables)
					grown++
				}
			}
			kept = p.Inserts
		}
	})
	t.Cleanup(func() { require.Equal(t, 10, grown) })
}
