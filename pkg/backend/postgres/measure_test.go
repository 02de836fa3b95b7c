package postgres

import (
	"log/slog"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/ir"
)

// TestStatementsAreMeasured: each statement that succeeds counts once in both of its stages, be it of a
// query or of a mutation.
func TestStatementsAreMeasured(t *testing.T) {
	t.Parallel()
	f := newFixture(t, `CREATE TABLE n (id int4 PRIMARY KEY, v int4 NOT NULL)`, nil)
	registry := prometheus.NewRegistry()
	f.source.Measure(backend.NewPoolMetrics(registry, slog.New(slog.DiscardHandler)), "shop")
	read := statementOf(t, &ir.Select{Rows: table("n"), Fields: []ir.Field{idField, field("v", int4Type)}})
	insert := &ir.Insert{
		Table: public("n"), Columns: []ir.Column{{Name: "id", Type: int4Type}, {Name: "v", Type: int4Type}},
		Rows: [][]ir.Value{{number4("1"), number4("2")}}, Output: returned(idField),
	}
	counted := func() map[string]uint64 {
		families, err := registry.Gather()
		require.NoError(t, err)
		counts := map[string]uint64{}
		for _, family := range families {
			if family.GetName() != "engine_postgres_statement_seconds" {
				continue
			}
			for _, series := range family.GetMetric() {
				for _, label := range series.GetLabel() {
					if label.GetName() == "stage" {
						counts[label.GetValue()] += series.GetHistogram().GetSampleCount()
					}
				}
			}
		}
		return counts
	}
	_, err := f.mutate(t, insert, backend.Args{})
	require.NoError(t, err)
	require.Equal(t, map[string]uint64{"wait": 1, "rows": 1}, counted())
	require.NoError(t, f.source.Query(t.Context(), read, backend.Args{}, backend.NewAnswer(nil, nil, 0)))
	require.Equal(t, map[string]uint64{"wait": 2, "rows": 2}, counted())
	_, err = f.mutate(t, insert, backend.Args{}) // the same key again
	require.Error(t, err)
	require.Equal(t, map[string]uint64{"wait": 2, "rows": 2}, counted())
}
