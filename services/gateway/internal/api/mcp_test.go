package api

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFirstRows(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		`{"a":[{"id":1},{"id":2},{"id":3}],"b":[{"id":4}]}`:                         `{"a":[{"id":1},{"id":2},{"id":3}],"b":[]}`,
		`{"a":[{"id":1,"parts":[{"n":1},{"n":2},{"n":3}]},{"id":2}],"b":null}`:      `{"a":[{"id":1,"parts":[{"n":1},{"n":2}]}],"b":null}`,
		`{"a":{"nodes":[{"t":["x","y"]},{},{"t":"[{\"\\u0000"},{}]},"c":{},"d":[]}`: `{"a":{"nodes":[{"t":["x","y"]},{},{"t":"[{\"\\u0000"}]},"c":{},"d":[]}`,
		`{"a":[{"a\"b":1.50},{},{},{},null]}`:                                       `{"a":[{"a\"b":1.50},{},{},null]}`,
		`{"a":[{},{},{}]}`:                                                          "",
		`null`:                                                                      "",
	} {
		got, cut := firstRows([]byte(answer), 3)
		require.Equal(t, want != "", cut, answer)
		if !cut {
			want = answer
		}
		require.Equal(t, want, string(got)) //nolint:testifylint // byte for byte
	}
}

// TestSeriesOfAssistantsAreBounded: however many roles call, the metric has a bounded number of series.
func TestSeriesOfAssistantsAreBounded(t *testing.T) {
	t.Parallel()
	c := newCalls()
	for i := range mostSeries {
		require.Equal(t, strconv.Itoa(i), c.role("run_query", strconv.Itoa(i)))
	}
	require.Equal(t, "other", c.role("run_query", "one more"))
	require.Equal(t, "0", c.role("run_query", "0"))
}
