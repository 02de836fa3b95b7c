package resolve_test

import (
	"encoding/json"
	"strings"
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
	const masks = `expected one of the masks null, redact, hash, last4, email, an expression, or {"value": …}`
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

// TestMaskExpressions: what is part of an expression is of a fixed list, and each type is known.
func TestMaskExpressions(t *testing.T) {
	t.Parallel()
	album := table(build(everything(t), generated(shop())), "album")
	check := func(column, expression string) error {
		raw, err := json.Marshal(map[string]any{"columns": []string{"id"}, "filter": struct{}{}, "mask": map[string]string{column: expression}})
		require.NoError(t, err)
		return resolve.CheckPermission(album, "buyer", definition[metadata.Definition[metadata.SelectPermission]](t, string(raw)))
	}
	for _, c := range []struct{ column, expression string }{
		{"title", `left(title, 2) || '…'`},
		{"title", `LEFT("title", -2)`},
		{"title", `'it''s'`},
		{"title", `id::text || '-' || reverse(title)`},
		{"title", `coalesce(nullif(btrim(title), ''), 'none')`},
		{"title", `NULL`},
		{"title", `concat(id, ':', meta::text)`},
		{"id", `round(id, -3)`},
		{"id", `-abs(id * 2 + length(title))`},
	} {
		require.NoError(t, check(c.column, c.expression), c.expression)
	}
	for _, c := range []struct{ column, expression, text string }{
		{"title", ``, "expected a value"},
		{"title", `(SELECT 1)`, `column "select" does not exist`},
		{"title", `title; DROP TABLE album`, "unexpected character at byte 6"},
		{"title", `title -- x`, `column "x" does not exist`},
		{"title", `title /* x */`, "unexpected character at byte 7"},
		{"title", `$1`, "unexpected character at byte 1"},
		{"title", `'open`, "the quote at byte 1 has no end"},
		{"title", `title title`, `unexpected "title"`},
		{"title", `(title`, `expected ")"`},
		{"title", `pg_sleep(1)`, `there is no function "pg_sleep"`},
		{"title", `random()`, `there is no function "random"`},
		{"title", `left(title)`, "left doesn't take 1 arguments"},
		{"title", `left(title, id)`, "argument 2 of left: expected a whole number from -1000 to 1000"},
		{"title", `lpad(title, -1)`, "argument 2 of lpad: expected a whole number from 0 to 1000"},
		{"title", `repeat(title, 100000)`, "argument 2 of repeat: expected a whole number from 0 to 1000"},
		{"title", `split_part(title, '@', 0)`, "argument 3 of split_part: expected a whole number from 1 to 1000"},
		{"title", `left(id, 1)`, "argument 1 of left: expected a text"},
		{"title", `coalesce(title, 1)`, "argument 2 of coalesce: it is of type number, and the first one of type text"},
		{"title", `title || id`, "|| takes texts, not number: cast it with ::text"},
		{"title", `title::int`, `text can't be cast to "int"`},
		{"title", `date_trunc('x', title)`, "argument 1 of date_trunc: expected one of 'second'"},
		{"title", `length(title)`, `is of type number; column "title" is of type text`},
		{"id", `upper(title)`, `is of type text; column "id" is of type int4`},
		{"meta", `NULL`, "columns of type jsonb have no expressions as masks"},
		{"title", strings.Repeat("(", 21) + "title" + strings.Repeat(")", 21), "it is nested more than 20 levels deep"},
		{"title", "'" + strings.Repeat("x", 1000) + "'", "an expression has at most 1000 bytes"},
	} {
		fault := apierror.From(check(c.column, c.expression))
		require.Contains(t, fault.Message, c.text, c.expression)
		require.Equal(t, "$.mask."+c.column, fault.Path, c.expression)
	}
}
