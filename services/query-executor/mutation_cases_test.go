package queryexecutor

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
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

func runSQL(t testing.TB, e *Executor, text string) *backend.RawResult {
	t.Helper()
	source, release, err := e.source("default")
	require.NoError(t, err)
	defer release()
	result, err := source.RunSQL(t.Context(), backend.RawSQL{SQL: text})
	require.NoError(t, err)
	return result
}
