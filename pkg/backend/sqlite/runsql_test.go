package sqlite

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
)

// TestRunSQLIsBounded: neither a value nor a result fills the memory, and what goes on for ever ends with its client.
func TestRunSQLIsBounded(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "CREATE TABLE t (id int)", nil)
	for text, want := range map[string]string{
		"SELECT zeroblob(1000000000)":         "string or blob too big",
		"SELECT printf('%.2000000000c', 'x')": "string or blob too big",
		"SELECT length(zeroblob(1000))":       "",
		"WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 20000000) SELECT n FROM r": "the result is larger than 64 MiB",
	} {
		for _, all := range []bool{false, true} {
			for _, reads := range []bool{false, true} {
				_, err := f.run(t, backend.RawSQL{SQL: text, AllResults: all, ReadOnly: reads})
				if want == "" {
					require.NoError(t, err)
					continue
				}
				require.Error(t, err, text)
				require.Contains(t, string(apierror.From(err).InternalJSON()), want, text)
			}
		}
	}
	result, err := f.source.RunSQL(t.Context(), backend.RawSQL{AllResults: true, MaxRows: 10, ReadOnly: true,
		SQL: "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 2000000) SELECT n FROM r"})
	require.NoError(t, err, "rows that are counted alone take no memory")
	require.Len(t, result.Statements[0].Rows, 10)

	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = f.source.RunSQL(ctx, backend.RawSQL{SQL: "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r"})
	require.Error(t, err)
	_, err = f.run(t, backend.RawSQL{SQL: "INSERT INTO t VALUES (1)"})
	require.NoError(t, err)
}
