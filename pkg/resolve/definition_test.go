package resolve_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
)

func names(columns []*resolve.Column) []string {
	list := []string{}
	for _, c := range columns {
		list = append(list, c.Name)
	}
	return list
}

func selectNames(p *resolve.SelectPermission) []string {
	list := []string{}
	for _, c := range p.Columns {
		list = append(list, c.Column.Name)
	}
	return list
}

// generated makes id an identity column and old_id a generated one.
func generated(c *catalog.Source) *catalog.Source {
	album := c.Tables[public("album")]
	album.Column("id").Identity = "always"
	album.Column("old_id").Generated = true
	return c
}

func definition[P any](t *testing.T, text string) *P {
	var p P
	require.NoError(t, json.Unmarshal([]byte(text), &p))
	return &p
}

func TestDefinitionErrors(t *testing.T) {
	t.Parallel()
	const (
		onlyInsert = "Only table columns can have insert permissions defined, not relationships or other field types"
		onlyUpdate = "Only table columns can have update permissions defined, not relationships or other field types"
		inferred   = "permissions for relationships are automatically inferred"
	)
	sel := func(s string) any { return definition[metadata.Definition[metadata.SelectPermission]](t, s) }
	ins := func(s string) any { return definition[metadata.Definition[metadata.InsertPermission]](t, s) }
	upd := func(s string) any { return definition[metadata.Definition[metadata.UpdatePermission]](t, s) }
	del := func(s string) any { return definition[metadata.Definition[metadata.DeletePermission]](t, s) }
	album := table(build(everything(t), generated(shop())), "album")
	for _, c := range []struct {
		permission any
		code       apierror.Code
		path, text string
	}{
		{sel(`{"columns":["id","x"],"filter":{}}`), "not-exists", "$.columns[1]", `column "x" does not exist`},
		{sel(`{"columns":["artist"],"filter":{}}`), "unexpected-payload", "$.columns[0]", `expecting a database column; but, "artist" is a relationship; ` + inferred},
		{sel(`{"columns":["label"],"filter":{}}`), "unexpected-payload", "$.columns[0]", `expecting a database column; but, "label" is a computed field; ` + inferred},
		{ins(`{"columns":["tracks"],"check":{}}`), "unexpected-payload", "$.columns[0]", `expecting a database column; but, "tracks" is a relationship; ` + onlyInsert},
		{upd(`{"columns":["label"],"filter":{}}`), "unexpected-payload", "$.columns[0]", `expecting a database column; but, "label" is a computed field; ` + onlyUpdate},
		{sel(`{"columns":[],"computed_fields":["x"],"filter":{}}`), "not-exists", "$.computed_fields[0]", `computed field "x" does not exist`},
		{sel(`{"columns":[],"computed_fields":["label","title"],"filter":{}}`), "unexpected-payload", "$.computed_fields[1]", `expecting a computed field; but, "title" is a column`},
		{sel(`{"columns":[],"computed_fields":["artist"],"filter":{}}`), "unexpected-payload", "$.computed_fields[0]", `expecting a computed field; but, "artist" is a relationship`},
		{
			sel(`{"columns":[],"computed_fields":["songs"],"filter":{}}`), "not-supported", "$.computed_fields[0]",
			`select permissions on computed field "songs" are auto-derived from the permissions on its returning table "track" and cannot be specified manually`,
		},
		{ins(`{"columns":["id"],"check":{}}`), "unexpected", "$.columns[0]", `Column "id" is not insertable and so cannot have insert permissions defined`},
		{upd(`{"columns":["old_id"],"filter":{}}`), "unexpected", "$.columns[0]", `Column "old_id" is not updatable and so cannot have update permissions defined`},
		{ins(`{"set":{"x":1},"check":{}}`), "not-exists", "$.set.x", `column "x" does not exist`},
		{upd(`{"columns":[],"set":{"artist":1},"filter":{}}`), "unexpected-payload", "$.set.artist", `expecting a database column; but, "artist" is a relationship; column "artist" not found in table "album"`},
		{ins(`{"set":{"genre":"punk"},"check":{}}`), "unexpected-payload", "$.set.genre", `expected one of the values ['jazz', 'rock'] for type 'genre_enum', but found 'punk'`},
		{ins(`{"set":[1],"check":{}}`), "parse-failed", "$.set", `parsing HashMap failed, expected Object, but encountered Array`},
		{sel(`{"columns":[],"filter":{},"limit":-1}`), "not-supported", "$.limit", `unexpected negative value`},
		{
			sel(`{"columns":["title"],"filter":{},"query_root_fields":["select_by_pk"]}`), "validation-failed", "$.query_root_fields",
			`The "select_by_pk" field cannot be included in the query_root_fields or subscription_root_fields because the role "buyer" does not have access to the primary key of the table "album" in the source "default"`,
		},
		{
			sel(`{"columns":["id"],"filter":{},"subscription_root_fields":["select_by_pk","select_aggregate"]}`), "validation-failed", "$.subscription_root_fields",
			`The "select_aggregate" root field can only be enabled in the query_root_fields or  the subscription_root_fields when "allow_aggregations" is set to true`,
		},
		{sel(`{"columns":[],"filter":{"title":{"_foo":1}}}`), "unexpected-payload", "$.filter.title._foo", `Unknown operator: _foo`},
		{ins(`{"check":{"x":1}}`), "not-exists", "$.check.x", `"x" does not exist`},
		{upd(`{"columns":[],"filter":{"x":1}}`), "not-exists", "$.filter.x", `"x" does not exist`},
		{upd(`{"columns":[],"filter":{},"check":{"x":1}}`), "not-exists", "$.check.x", `"x" does not exist`},
		{del(`{"filter":{"x":1}}`), "not-exists", "$.filter.x", `"x" does not exist`},
	} {
		err := resolve.CheckPermission(album, "buyer", c.permission)
		require.Error(t, err, c.text)
		got := apierror.From(err)
		require.Equal(t, c.text, got.Message)
		require.Equal(t, c.code, got.Code, c.text)
		require.Equal(t, c.path, got.Path, c.text)
	}
}

// lenient is a dialect of a kind that leaves out columns which can't be written.
type lenient struct{ *postgres.Dialect }

func (lenient) Tables() *backend.Tables { return &backend.Tables{LeavesOutUnwritable: true} }

func TestColumnsThatCantBeWrittenAreLeftOut(t *testing.T) {
	t.Parallel()
	album := table(build(everything(t), generated(shop())), "album")
	album.Source.Dialect = lenient{}
	require.NoError(t, resolve.CheckPermission(album, "buyer", definition[metadata.Definition[metadata.UpdatePermission]](t, `{"columns":["title","old_id"],"filter":{}}`)))
	err := resolve.CheckPermission(album, "buyer", definition[metadata.Definition[metadata.UpdatePermission]](t, `{"columns":["x"],"filter":{}}`))
	require.ErrorContains(t, err, `column "x" does not exist`)
}

func TestSelectPermission(t *testing.T) {
	t.Parallel()
	s := build(document(t, tracked(albumTable, `"select_permissions":[
		{"role":"buyer","permission":{"columns":["title","id"],"computed_fields":["label"],"filter":{"id":"X-Engine-Id"},"limit":5,
			"allow_aggregations":true,"query_root_fields":["select","select_by_pk"],"subscription_root_fields":[]}},
		{"role":"all","permission":{"columns":"*","filter":{},"limit":0}},
		{"role":"broken","permission":{"columns":["x"],"filter":{}}}]`)), shop())
	album := table(s, "album")

	p := album.SelectPermission("buyer")
	require.Equal(t, []string{"id", "title"}, selectNames(p))
	require.Equal(t, equals(column("id", integer), variable("x-engine-id", integer)), p.Filter)
	require.Equal(t, 5, p.Limit)
	require.True(t, p.Aggregations)
	require.Equal(t, map[string]bool{"select": true, "select_by_pk": true}, p.QueryRootFields)
	require.Equal(t, map[string]bool{}, p.SubscriptionRootFields)
	require.Len(t, p.ComputedFields, 1)
	field, ok := p.ComputedField("label")
	require.True(t, ok)
	require.Same(t, album.ComputedField("label"), field.Field)
	title, ok := p.Column("title")
	require.True(t, ok)
	require.Nil(t, title.Hidden)
	_, ok = p.Column("genre")
	require.False(t, ok)

	p = album.SelectPermission("all")
	require.Len(t, p.Columns, len(album.Columns))
	require.Nil(t, p.Filter)
	require.Nil(t, p.QueryRootFields)
	require.Zero(t, p.Limit)
	require.True(t, p.NoRows)

	require.Nil(t, album.SelectPermission("broken"))
	require.Nil(t, album.SelectPermission("nobody"))
	require.Nil(t, album.InsertPermission("buyer"))
}

func TestAdminMayDoEverything(t *testing.T) {
	t.Parallel()
	album := table(build(everything(t), generated(shop())), "album")
	p := album.SelectPermission("admin")
	require.Len(t, p.Columns, len(album.Columns))
	require.Len(t, p.ComputedFields, 3)
	require.True(t, p.Aggregations)
	require.Nil(t, p.Filter)
	require.NotContains(t, names(album.InsertPermission("admin").Columns), "id")
	require.NotContains(t, names(album.UpdatePermission("admin").Columns), "old_id")
	require.Nil(t, album.DeletePermission("admin").Filter)
}

func TestWritePermissions(t *testing.T) {
	t.Parallel()
	s := build(document(t, tracked(albumTable,
		`"insert_permissions":[{"role":"clerk","permission":{"check":{"price":{"_gt":1.50}},"backend_only":true,
			"set":{"artist_id":"X-Engine-Artist","title":"new","released":"NOW()","meta":{"a":[1]},"genre":null}}}]`,
		`"update_permissions":[
			{"role":"clerk","permission":{"columns":["title","price"],"filter":{"id":1},"check":null,"set":{"price":3.10}}},
			{"role":"checked","permission":{"columns":"*","filter":{},"check":{"id":1}}}]`,
		`"delete_permissions":[{"role":"clerk","permission":{"filter":{"id":2}}}]`)), generated(shop()))
	album := table(s, "album")

	p := album.InsertPermission("clerk")
	require.Equal(t, []string{"raw", "tags", "path", "price"}, names(p.Columns))
	require.True(t, p.BackendOnly)
	numeric := catalog.Type{Name: "numeric"}
	require.Equal(t, ir.Compare{Left: column("price", numeric), Op: ir.OpGt, Args: literal("1.50", numeric)}, p.Check)
	values := map[string]ir.Value{}
	for _, preset := range p.Presets {
		values[preset.Column.Name] = preset.Value
	}
	require.Equal(t, map[string]ir.Value{
		"artist_id": ir.SessionVar{Name: "x-engine-artist", Type: integer},
		"title":     ir.Literal{Text: "new", Type: text},
		"released":  ir.Literal{Text: "NOW()", Type: catalog.Type{Name: "date"}},
		"meta":      ir.Literal{Text: `{"a":[1]}`, Type: catalog.Type{Name: "jsonb"}},
		"genre":     ir.Literal{Null: true, Type: text},
	}, values)

	u := album.UpdatePermission("clerk")
	require.Equal(t, []string{"title"}, names(u.Columns))
	require.Equal(t, []resolve.Preset{{Column: album.Column("price"), Value: ir.Literal{Text: "3.10", Type: numeric}}}, u.Presets)
	require.Equal(t, equals(column("id", integer), literal("1", integer)), u.Filter)
	require.Nil(t, u.Check)
	require.Equal(t, equals(column("id", integer), literal("1", integer)), album.UpdatePermission("checked").Check)
	require.Equal(t, equals(column("id", integer), literal("2", integer)), album.DeletePermission("clerk").Filter)
}

func TestViewsAreWrittenAsFarAsTheyCanBe(t *testing.T) {
	t.Parallel()
	c := shop()
	c.Tables[public("album")].Insertable = false
	album := table(build(everything(t), c), "album")
	require.Nil(t, album.InsertPermission("admin"))
	require.NotNil(t, album.UpdatePermission("admin"))
	require.Nil(t, album.DeletePermission("admin"))

	c = shop()
	c.Tables[public("album")].Updatable = false
	album = table(build(everything(t), c), "album")
	require.NotNil(t, album.InsertPermission("admin"))
	require.Nil(t, album.UpdatePermission("admin"))
}

// TestValidatorsNeedTheirVariables: a webhook that names a variable which isn't there makes
// its permission inconsistent where the environment is at hand.
func TestValidatorsNeedTheirVariables(t *testing.T) {
	t.Parallel()
	permission := func(definition string) string {
		return `"delete_permissions":[{"role":"clerk","permission":{"filter":{},"validate_input":{"type":"http","definition":` + definition + `}}}]`
	}
	o := options()
	o.Env = func(name string) (string, bool) { return "x", name == "HOST" }
	for definition, want := range map[string]string{
		`{"url":"{{HOST}}/a","headers":[{"name":"K","value_from_env":"HOST"}]}`: "",
		`{"url":"{{HOST}}/{{PATH}}"}`:                                           "Value for environment variables not found: PATH",
		`{"url":"/","headers":[{"name":"K","value_from_env":"KEY"}]}`:           "environment variable 'KEY' not set",
	} {
		doc := document(t, tracked(staffTable, permission(definition)))
		catalogs := map[string]*catalog.Source{"default": shop()}
		require.Empty(t, problems(resolve.Build(doc, catalogs, nil, nil, options())), definition)
		s := resolve.Build(doc, catalogs, nil, nil, o)
		if want == "" {
			require.Empty(t, problems(s))
			require.Equal(t, "{{HOST}}/a", table(s, "staff").DeletePermission("clerk").Validator.URL)
			continue
		}
		require.Equal(t, []string{`in table "staff": in permission for role "clerk": ` + want}, problems(s))
		require.Nil(t, table(s, "staff").DeletePermission("clerk"))
	}
}
