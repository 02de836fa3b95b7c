package resolve_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/ir"
	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
)

// TestRulesAreWhatRolesInherit: a list of rules is what a role has that inherits from roles with one rule each.
func TestRulesAreWhatRolesInherit(t *testing.T) {
	t.Parallel()
	const one, two = `{"columns":["id","title"],"filter":{"id":1},"limit":10,"query_root_fields":["select"]}`,
		`{"columns":["id","meta"],"computed_fields":["label"],"mask":{"title":"redact"},"filter":{"artist_id":"X-Engine-Artist-Id"},"allow_aggregations":true}`
	s := withRoles(t, `"select_permissions":[{"role":"clerk","permission":`+one+`},{"role":"agent","permission":`+two+`},{"role":"ruled","permission":[`+two+`,`+one+`]}]`, clerkAgent)
	album := table(s, "album")
	require.Equal(t, album.SelectPermission("both"), album.SelectPermission("ruled"))
	title, ok := album.SelectPermission("ruled").Column("title")
	require.True(t, ok)
	shown, ok := title.Expr().(ir.Redacted)
	require.True(t, ok)
	require.Equal(t, ir.Rule{Exp: album.SelectPermission("clerk").Filter}, shown.When)
	masked, ok := shown.Else.(ir.Redacted)
	require.True(t, ok)
	require.Equal(t, ir.Rule{Exp: album.SelectPermission("agent").Filter}, masked.When)
	require.Equal(t, ir.Masked{Expr: ir.Column{Name: "title", Type: title.Column.Type}, Mask: "redact"}, masked.Expr)
	require.Nil(t, masked.Else)
}

func TestRulesThatDoNotFit(t *testing.T) {
	t.Parallel()
	album := table(build(everything(t), generated(shop())), "album")
	sel := func(s string) any { return definition[metadata.Definition[metadata.SelectPermission]](t, s) }
	ins := func(s string) any { return definition[metadata.Definition[metadata.InsertPermission]](t, s) }
	upd := func(s string) any { return definition[metadata.Definition[metadata.UpdatePermission]](t, s) }
	del := func(s string) any { return definition[metadata.Definition[metadata.DeletePermission]](t, s) }
	const masks = `expected one of the masks null, redact, hash, last4, email, or {"value": …}`
	for _, c := range []struct {
		permission any
		code       apierror.Code
		path, text string
	}{
		{sel(`[{"columns":["id"],"filter":{}},{"columns":["x"],"filter":{}}]`), "not-exists", "$[1].columns[0]", `column "x" does not exist`},
		{sel(`[{"columns":["id"],"filter":{"x":1}}]`), "not-exists", "$[0].filter.x", `"x" does not exist`},
		{sel(`{"columns":["id"],"filter":{},"mask":{"x":"null"}}`), "not-exists", "$.mask.x", `column "x" does not exist`},
		{sel(`{"columns":["id"],"filter":{},"mask":{"artist":"null"}}`), "unexpected-payload", "$.mask.artist",
			`expecting a database column; but, "artist" is a relationship; only columns can be masked`},
		{sel(`{"columns":["id"],"filter":{},"mask":{"title":"left(title, 1)"}}`), "parse-failed", "$.mask.title", masks},
		{sel(`{"columns":["id"],"filter":{},"mask":{"title":7}}`), "parse-failed", "$.mask.title", masks},
		{sel(`{"columns":["id"],"filter":{},"mask":{"title":{}}}`), "parse-failed", "$.mask.title", `expected {"value": …}`},
		{sel(`{"columns":["id"],"filter":{},"mask":{"id":"last4"}}`), "not-supported", "$.mask.id", `the mask "last4" is for text; column "id" is of type int4`},
		{ins(`[{"check":{},"set":{"title":"a"}},{"check":{},"set":{"title":"b"}}]`), "validation-failed", "$[1].set", `all rules of a list must have the same "set"`},
		{upd(`[{"columns":[],"filter":{}},{"columns":[],"filter":{},"backend_only":true}]`), "validation-failed", "$[1].backend_only",
			`all rules of a list must have the same "backend_only"`},
		{del(`[{"filter":{}},{"filter":{},"validate_input":{"type":"http","definition":{"url":"http://x"}}}]`), "validation-failed", "$[1].validate_input",
			`all rules of a list must have the same "validate_input"`},
	} {
		fault := apierror.From(resolve.CheckPermission(album, "buyer", c.permission))
		require.Equal(t, c.code, fault.Code, c.text)
		require.Equal(t, c.path, fault.Path, c.text)
		require.Contains(t, fault.Message, c.text)
	}
}
