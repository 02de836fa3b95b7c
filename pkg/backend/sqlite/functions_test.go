package sqlite

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
)

// text is the only value of the only row of a query that the source runs.
func (f *fixture) text(t testing.TB, sql string) string {
	t.Helper()
	rows := f.rows(t, sql)
	require.Len(t, rows, 1)
	return rows[0][0]
}

func TestLike(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, pattern string
		fold, want    bool
	}{
		{"", "", false, true},
		{"", "%", false, true},
		{"", "_", false, false},
		{"Abc", "a%", false, false},
		{"Abc", "a%", true, true},
		{"abc", "%c", false, true},
		{"abc", "%b", false, false},
		{"añb", "a_b", false, true},
		{"a_b", `a\_b`, false, true},
		{"axb", `a\_b`, false, false},
		{`a\`, `a\`, false, true},
		{"aXbXc", "a%X%c", false, true},
		{"mississippi", "m%iss%pi", false, true},
		{"ÄB", "äb", true, true},
		{"a\xffb", "a_b", false, true},
		{"a\xffb", "a\xfeb", false, false},
		{"%", `\%`, false, true},
	} {
		require.Equal(t, c.want, like(c.text, c.pattern, c.fold), "%q like %q", c.text, c.pattern)
	}
	// As many ways as there are don't make it slow.
	require.False(t, like(strings.Repeat("a", 5000), strings.Repeat("%a", 500)+"b", false))
}

// TestFunctions runs the functions in statements, where NULL and other classes of values come from.
func TestFunctions(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "", nil)
	for expression, want := range map[string]string{
		`engine_like('abc', 'a_c')`:                                   "1",
		`engine_like(NULL, 'a')`:                                      "NULL",
		`engine_like(12, '1%')`:                                       "1",
		`engine_iregex('xABy', 'a.?b')`:                               "1",
		`engine_contains('{"a": [1, {"b": 2}]}', '{"a": [{"b":2}]}')`: "1",
		`engine_contains('{"a": 1.0}', '{"a": 1}')`:                   "1",
		`engine_contains('[1, 2]', '2')`:                              "1",
		`engine_contains('[[1]]', '1')`:                               "0",
		`engine_contains('{"a": {}}', '{"a": []}')`:                   "0",
		`engine_contains('{"a":null}', '{"a":null}')`:                 "1",
		`engine_has_key('{"a": null}', 'a')`:                          "1",
		`engine_has_key('["a"]', 'a')`:                                "1",
		`engine_has_any('{"a": 1}', '["x", "a"]')`:                    "1",
		`engine_has_any('{"a": 1}', '[]')`:                            "0",
		`engine_has_all('{"a": 1}', '["x", "a"]')`:                    "0",
		`engine_has_all('{"a": 1}', '[]')`:                            "1",
		`engine_path('{"a": [1, {"b": "x"}]}', '["a", "-1", "b"]')`:   `"x"`,
		`engine_path('{"a": 1}', '["b"]')`:                            "NULL",
		`engine_cell(engine_row(1, 2.5, 'x', x'00', NULL), 1)`:        "2.5",
		`typeof(engine_cell(engine_row(1, 2.5, 'x', x'00'), 3))`:      "blob",
		`(SELECT stddev(value) FROM json_each('[1, null, 2, 3]'))`:    "1",
		`(SELECT var_pop(value) FROM json_each('[1, 3]'))`:            "1",
		`(SELECT variance(value) FROM json_each('[1]'))`:              "NULL",
	} {
		require.Equal(t, want, f.text(t, "SELECT "+expression), expression)
	}
	// The driver would take the text of an error for a value.
	for _, wrong := range []string{`engine_regex('a', '(')`, `NOT engine_regex('a', '(')`, `engine_has_key('{', 'a')`} {
		_, err := f.source.RunSQL(t.Context(), backend.RawSQL{SQL: "SELECT " + wrong})
		require.Equal(t, apierror.DataException, apierror.From(err).Code, wrong)
	}
	require.Equal(t, "1", f.text(t, "SELECT 1"), "a fault is that of its statement alone")
}
