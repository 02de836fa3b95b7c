package e2e

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// anything stands in an expected answer for what varies: as a string of JSON for any value, in a text
// for any run of characters of a line.
const anything = "..."

// matchesJSON reports whether both are JSON texts of the same value.
func matchesJSON(expected, actual string) bool {
	var a, b any
	return json.Unmarshal([]byte(expected), &a) == nil && json.Unmarshal([]byte(actual), &b) == nil && matches(a, b)
}

func matches(expected, actual any) bool {
	switch e := expected.(type) {
	case map[string]any:
		a, ok := actual.(map[string]any)
		if !ok || len(a) != len(e) {
			return false
		}
		for name, value := range e {
			if other, found := a[name]; !found || !matches(value, other) {
				return false
			}
		}
		return true
	case []any:
		a, ok := actual.([]any)
		if !ok || len(a) != len(e) {
			return false
		}
		for i := range e {
			if !matches(e[i], a[i]) {
				return false
			}
		}
		return true
	case string:
		return e == anything || expected == actual
	}
	return expected == actual
}

// textPattern is an expression for the lines of an expected text.
func textPattern(expected string) *regexp.Regexp {
	quoted := regexp.QuoteMeta(strings.TrimSpace(expected))
	return regexp.MustCompile(`(?m)^\s*` + strings.ReplaceAll(quoted, regexp.QuoteMeta(anything), ".*") + `\s*$`)
}

// matchesText reports whether the whole text is as expected, but for white space around it.
func matchesText(expected, actual string) bool {
	at := textPattern(expected).FindStringIndex(actual)
	return at != nil && strings.TrimSpace(actual[:at[0]]+actual[at[1]:]) == ""
}

// readable is a JSON text as it came when that fits on a line, else indented.
func readable(t *testing.T, body []byte) string {
	t.Helper()
	if len(body) <= 120 {
		return strings.TrimSpace(string(body))
	}
	var indented bytes.Buffer
	require.NoError(t, json.Indent(&indented, body, "", "  "))
	return indented.String()
}

func TestAnswersMatch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		expected, actual string
		match            bool
	}{
		{`{"a": [1, "..."]}`, `{"a":[1,{"b":null}]}`, true},
		{`{"a": 1}`, `{"a":1,"b":2}`, false},
		{`{"a": 1, "b": "..."}`, `{"a":1}`, false},
		{`[1]`, `[1,2]`, false},
		{`null`, `0`, false},
		{`{`, `{`, false},
	} {
		require.Equal(t, c.match, matchesJSON(c.expected, c.actual), c.expected)
	}
	require.True(t, matchesText("a ... b\nc\n", "a 17 b\nc"))
	require.False(t, matchesText("a", "a\nb"))
	require.False(t, matchesText("a.c", "abc"))
	require.False(t, matchesText("a ... b", "a \n b"))
}
