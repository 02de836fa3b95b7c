package queryexecutor

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/ir"
	"queryengine/services/query-executor/internal/plan"
)

// restore brings the data of a feature whose cases write back to where it was. It does nothing
// for one that has no reset.sql.
func restore(t testing.TB, e *Executor, feature string) {
	t.Helper()
	if reset := readFile(t, filepath.Join(feature, "reset.sql")); reset != nil {
		runSQL(t, e, string(reset))
	}
}

// requireState compares what a case leaves behind with want.state.json, where there is one.
func requireState(t testing.TB, e *Executor, dir string) {
	t.Helper()
	name := filepath.Join(dir, "want.state.json")
	if readFile(t, name) == nil {
		return
	}
	state := runSQL(t, e, string(readFile(t, filepath.Join(filepath.Dir(dir), "state.sql"))))
	require.Len(t, state.Rows, 2)
	requireFile(t, name, []byte(state.Rows[1][0]))
}

// mutations are the statements of a root field that write, those of an insert for the rows of
// each of its tables together.
func mutations(t testing.TB, w *plan.Write, values [][]byte) []ir.Mutation {
	t.Helper()
	var list []ir.Mutation
	for _, s := range w.Steps {
		list = append(list, s.Mutation)
	}
	if w.Insert == nil {
		return list
	}
	rows, err := w.Insert.Read(values)
	require.NoError(t, err)
	for i, n := range w.Insert.Nodes {
		s := w.Insert.Statement(rows, i, 0, rows.Node(i).Count, w.Bindings.Len())
		list = append(list, s.IR(ir.Output{Returning: n.Keys}))
	}
	return list
}

func runSQL(t testing.TB, e *Executor, text string) *backend.RawResult {
	t.Helper()
	source, release, err := e.source("default")
	require.NoError(t, err)
	defer release()
	result, err := source.RunSQL(t.Context(), backend.RawSQL{SQL: text})
	require.NoError(t, err)
	return result
}
