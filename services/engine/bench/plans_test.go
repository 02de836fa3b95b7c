package bench

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/dbtest"
	"queryengine/services/engine/sample"
)

// TestPlanCases runs the hand-written statements on the small sample.
func TestPlanCases(t *testing.T) {
	t.Parallel()
	url := dbtest.URL(t)
	require.NoError(t, sample.Load(t.Context(), url, sample.Small))
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer conn.Close(t.Context())
	names := map[string]bool{}
	for i := range planCases {
		c := &planCases[i]
		require.False(t, names[c.name], c.name)
		names[c.name] = true
		took, err := executionTime(t.Context(), conn, c.sql)
		require.NoError(t, err, c.name)
		require.Positive(t, took, c.name)
	}
	require.Len(t, names, 40)
}

func TestModeCases(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, c := range modeCases() {
		require.False(t, names[c.name], c.name)
		names[c.name] = true
	}
	require.Len(t, names, 60)
}
