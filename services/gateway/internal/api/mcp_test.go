package api

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFirstRows: what is cut off are rows of the schema, not objects in values of scalars, and what is left is a whole answer.
func TestFirstRows(t *testing.T) {
	t.Parallel()
	const query = `query Q { a { id parts { n } nodes { t } aggregate { max { data } } data ...more } b { id } } fragment more on a { other: parts { n } ... { deep { data } } }`
	for _, c := range []struct {
		answer string
		size   int
		want   string
		cut    cut
	}{
		{`{"a":[{"id":1},{"id":2},{"id":3}],"b":[{"id":4}]}`, 100, `{"a":[{"id":1},{"id":2},{"id":3}],"b":[]}`, fewer},
		{`{"a":[{"id":1,"parts":[{"n":1},{"n":2},{"n":3}]},{"id":2}],"b":null}`, 100, `{"a":[{"id":1,"parts":[{"n":1},{"n":2}]}],"b":null}`, fewer},
		{`{"a":[{"id":1,"other":[{"n":1},{"n":2},{"n":3}]},{"id":2}],"b":null}`, 100, `{"a":[{"id":1,"other":[{"n":1},{"n":2}]}],"b":null}`, fewer},
		{`{"a":{"nodes":[{"t":["x","y"]},{},{"t":"[{\"\\u0000"},{}]},"c":{},"d":[]}`, 100, `{"a":{"nodes":[{"t":["x","y"]},{},{"t":"[{\"\\u0000"}]},"c":{},"d":[]}`, fewer},
		{`{"a":[{"a\"b":1.50},{},{},{},null]}`, 100, `{"a":[{"a\"b":1.50},{},{},null]}`, fewer},
		{`{"a":[{"data":[{},{},{},{"x":[{}]}],"deep":{"data":[{},{},{},{}]}},{"data":{"y":[{},{}]}}]}`, 100, `{"a":[{"data":[{},{},{},{"x":[{}]}],"deep":{"data":[{},{},{},{}]}},{"data":{"y":[{},{}]}}]}`, whole},
		{`{"a":{"aggregate":{"max":{"data":[{},{},{},{}]}}}}`, 100, `{"a":{"aggregate":{"max":{"data":[{},{},{},{}]}}}}`, whole},
		{`{"a":[{},{},{}]}`, 100, `{"a":[{},{},{}]}`, whole},
		{`null`, 100, `null`, whole},
		{`{"a":[{"id":1},{"id":2},{"id":3}],"b":[{"id":4}]}`, 34, `{"a":[{"id":1},{"id":2}],"b":[]}`, smaller},
		{`{"b":[{"id":1}],"a":{"nodes":[{"t":1},{"t":"a long text that doesn't fit"}]},"c":1}`, 60, `{"b":[{"id":1}],"a":{"nodes":[{"t":1}]},"c":1}`, smaller},
		{`{"b":[{"id":1},{"id":2}],"a":{"nodes":[{"t":1},{"t":2`, 100, `{"b":[{"id":1},{"id":2}],"a":{"nodes":[{"t":1}]}}`, smaller},
		{`{"b":[{"id":1}],"a":{"nodes":[{"t":1}],"aggre`, 100, `{"b":[{"id":1}],"a":{"nodes":[{"t":1}]}}`, smaller},
		{`{"b":[{"id":1}],"c":"a te`, 100, `{"b":[{"id":1}]}`, smaller},
		{`{"b":[{"id":"one row that is too long to fit"}]}`, 20, `{"b":[{"id":"one row that is too long to fit"}]}`, unfit},
		{`{"b":[{"id":"one row that isn't wh`, 100, `{"b":[{"id":"one row that isn't wh`, unfit},
		{`{"b":[{"id":1},{"id":2},{"id":3},{"id":4}],"c":"a text that doesn't fit"}`, 50, `{"b":[{"id":1},{"id":2},{"id":3}],"c":"a text that doesn't fit"}`, unfit},
		{`{"b":[{"id":1}],"c":"a text that doesn't fit"}`, 20, `{"b":[{"id":1}],"c":"a text that doesn't fit"}`, whole},
	} {
		got, cut := firstRows([]byte(c.answer), query, 3, c.size)
		require.Equal(t, c.cut, cut, c.answer)
		require.Equal(t, c.want, string(got)) //nolint:testifylint // byte for byte
	}
	got, cut := firstRows([]byte(`{"a":[{},{}]}`), "{ a { id } } query Q { a { id } }", 1, 100)
	require.Equal(t, whole, cut, "an answer whose selections aren't known")
	require.JSONEq(t, `{"a":[{},{}]}`, string(got))
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
