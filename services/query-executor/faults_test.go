package queryexecutor

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/services/query-executor/internal/casetest"
)

// TestFaults asks for what faults.json has of each feature, as admin or another role, twice: a fault is
// the same when the operation is known. Mutations with a fault leave nothing behind.
func TestFaults(t *testing.T) {
	t.Parallel()
	features, err := filepath.Glob(filepath.Join("testdata/cases/*", casetest.FaultsFile))
	require.NoError(t, err)
	require.NotEmpty(t, features)
	for _, file := range features {
		feature := filepath.Dir(file)
		t.Run(filepath.Base(feature), func(t *testing.T) {
			t.Parallel()
			var c Config
			if settings := readFile(t, filepath.Join(feature, "settings.json")); settings != nil {
				require.NoError(t, json.Unmarshal(settings, &c))
			}
			e := newFixture(t, feature, c)
			restore(t, e, feature)
			for _, f := range casetest.Faults(t, feature) {
				t.Run(f.Name, func(t *testing.T) {
					want, err := json.Marshal(map[string]string{"code": f.Code, "path": f.Path, "error": f.Error})
					require.NoError(t, err)
					q := request{session: f.Session(), text: f.Query, variables: f.Variables, relay: filepath.Base(feature) == "relay"}
					for range 2 {
						again := q
						require.JSONEq(t, string(want), string(answer(t, e, &again)))
					}
				})
			}
			if state := readFile(t, filepath.Join(feature, "state.sql")); state != nil {
				require.Equal(t, "[]", runSQL(t, e, string(state)).Rows[1][0])
			}
		})
	}
}
