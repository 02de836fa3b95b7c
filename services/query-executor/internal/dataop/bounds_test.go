package dataop_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
)

// TestBounds holds that data operations have the bounds of GraphQL operations: however short a
// request is, it can't ask for a statement of any size.
func TestBounds(t *testing.T) {
	t.Parallel()
	s := setup(t)
	repeat := strings.Repeat
	aliases := func(n int, columns string) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf(`{"name":"albums","alias":"a%d","columns":[%s]}`, i, columns))
		}
		return strings.Join(list, ",")
	}
	const related, nested = "the operation looks at too many relationships", "conditions on relationships are nested too deeply"
	for name, c := range map[string]struct{ args, path, message string }{
		"stars":         {`{"table":"artist","columns":[` + aliases(60, `"*.*.*.*.*.*"`) + `]}`, "$.args.columns[", related},
		"relationships": {`{"table":"artist","columns":[` + aliases(501, `"id"`) + `]}`, "$.args.columns[500]", related},
		"nested columns": {
			`{"table":"album","columns":[` + repeat(`{"name":"artist","columns":[{"name":"albums","columns":[`, 60) + `"id"` + repeat(`]}]}`, 60) + `]}`,
			"$.args.columns[0]", "the columns are nested too deeply",
		},
		"conditions": {`{"table":"album","columns":["id"],"where":` + repeat(`{"artist":{"albums":`, 30) + `{}` + repeat(`}}`, 30) + `}`, "$.args.where", nested},
		"wide conditions": {
			`{"table":"album","columns":["id"],"where":{"$or":[` + repeat(`{"artist":{"id":1}},`, 600) + `{}]}}`, "$.args.where", related,
		},
		"deep conditions": {`{"table":"album","columns":["id"],"where":` + repeat(`{"$not":`, 300) + `{}` + repeat(`}`, 300) + `}`, "$.args.where", "the condition is nested too deeply"},
		"orders":          {`{"table":"track","columns":["id"],"order_by":[` + repeat(`"album.artist.id",`, 300) + `"id"]}`, "$.args.order_by[250]", related},
		"columns":         {`{"table":"artist","columns":[` + repeat(`"id",`, 60_000) + `"id"]}`, "$.args.columns", "the query selects too much"},
	} {
		got, err := s.run(t, admin, op("select", c.args))
		var e *apierror.Error
		require.ErrorAs(t, err, &e, name)
		require.Equal(t, apierror.ValidationFailed, e.Code, name)
		require.Equal(t, c.message, e.Message, name)
		require.True(t, strings.HasPrefix(e.Path, c.path), "%s: %s", name, e.Path)
		require.Empty(t, got, name)
	}
	for name, args := range map[string]string{
		"stars":      `{"table":"artist","columns":["*.*.*.*.*"]}`,
		"conditions": `{"table":"album","columns":["id"],"where":` + repeat(`{"artist":{"albums":`, 12) + `{}` + repeat(`}}`, 12) + `}`,
	} {
		_, err := s.run(t, admin, op("select", args))
		require.NoError(t, err, name)
	}
}
