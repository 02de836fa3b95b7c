package metadata

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
)

// TestDefinitions: a permission is one rule or a list of rules, and written as it was given.
func TestDefinitions(t *testing.T) {
	t.Parallel()
	for _, given := range []string{
		`{"columns":["id"],"filter":{}}`,
		`[{"columns":["id"],"filter":{}}]`,
		`[{"name":"own","columns":"*","mask":{"email":"email","pay":{"value":0}},"filter":{"id":{"_eq":"X-Engine-User-Id"}},"limit":3},{"columns":["id"],"filter":{}}]`,
	} {
		var decoded, read Definition[SelectPermission]
		require.NoError(t, decode(json.RawMessage(given), &decoded))
		require.NoError(t, json.Unmarshal([]byte(given), &read))
		require.Equal(t, decoded, read)
		written, err := Encode(decoded)
		require.NoError(t, err)
		require.Equal(t, given, string(written))
	}
	rule := `{"filter":{}}`
	for _, c := range []struct{ given, path, message string }{
		{`[]`, "$", "a list of rules can't be empty"},
		{`[` + strings.Repeat(rule+`,`, 50) + rule + `]`, "$", "51 rules: a list has at most 50"},
		{`[{"name":"a","filter":{}},{"name":"a","filter":{}}]`, "$[1].name", `two rules have the name "a"`},
		{`[` + rule + `,{}]`, "$[1]", `key "filter" not found`},
		{`[` + rule + `,{"filter":[]}]`, "$[1].filter", "parsing Object failed, expected Object, but encountered Array"},
		{`[1]`, "$[0]", "parsing Object failed, expected Object, but encountered Number"},
		{`1`, "$", "parsing Object failed, expected Object, but encountered Number"},
	} {
		err := decode(json.RawMessage(c.given), &Definition[DeletePermission]{})
		require.Error(t, err, c.given)
		fault := apierror.From(err)
		require.Equal(t, c.path, fault.Path, c.given)
		require.Equal(t, c.message, fault.Message, c.given)
	}
	d := Definition[DeletePermission]{Rules: []DeletePermission{{Name: "own"}, {}}}
	require.Equal(t, []string{"own", "2"}, []string{d.RuleName(0), d.RuleName(1)})
}
