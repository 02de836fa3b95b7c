package bench

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "draw the chart of the documentation")

// TestChartCurrent holds the chart of the documentation to the table next to it.
func TestChartCurrent(t *testing.T) {
	t.Parallel()
	const file = "../../../docs/benchmarks/throughput.svg"
	page, err := os.ReadFile("../../../docs/performance.md")
	require.NoError(t, err)
	require.Len(t, readRatios(string(page)), 20, "one row for each query")
	var want strings.Builder
	Chart(&want, string(page))
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(want.String()), 0o644)) //nolint:gosec // a page of the documentation
	}
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, want.String(), string(got), "bench -chart docs/performance.md, or this test with -update")
}
