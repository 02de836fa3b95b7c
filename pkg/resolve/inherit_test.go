package resolve_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/ir"
	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
)

// withRoles is a schema of albums with select permissions (JSON of role and permission)
// and inherited roles (JSON of name and set).
func withRoles(t *testing.T, permissions, roles string) *resolve.Schema {
	doc := parseDocument(t, fmt.Sprintf(`{"version":3,"sources":[{"name":"default","kind":"postgres","tables":[%s,%s,%s],
		"configuration":{"connection_info":{"database_url":"x"}}}],"inherited_roles":[%s]}`,
		tracked(artistTable), tracked(albumTable, permissions), tracked(trackTable), roles))
	return build(doc, shop())
}

const clerkAgent = `{"role_name":"both","role_set":["clerk","agent"]}`

func TestInheritedSelectPermission(t *testing.T) {
	t.Parallel()
	own := equals(column("artist_id", integer), variable("x-engine-artist-id", integer))
	cheap := equals(column("id", integer), literal("1", integer))
	s := withRoles(t, `"select_permissions":[
		{"role":"clerk","permission":{"columns":["id","title"],"filter":{"id":1},"limit":10,"query_root_fields":["select"],"subscription_root_fields":["select"]}},
		{"role":"agent","permission":{"columns":["id","meta"],"computed_fields":["label"],"filter":{"artist_id":"X-Engine-Artist-Id"},"limit":20,"allow_aggregations":true,
			"query_root_fields":["select_aggregate"]}},
		{"role":"all","permission":{"columns":["id"],"filter":{}}},
		{"role":"mine","permission":{"columns":["price"],"filter":{}}}]`,
		clerkAgent+`,{"role_name":"single","role_set":["clerk","stranger"]},{"role_name":"nested","role_set":["both","all"]},
		{"role_name":"mine","role_set":["clerk"]},{"role_name":"none","role_set":["stranger"]}`)
	album := table(s, "album")

	both := album.SelectPermission("both")
	require.Equal(t, ir.Or{Exps: []ir.BoolExp{own, cheap}}, both.Filter) // parents in the order of the export
	require.Equal(t, []string{"id", "title", "meta"}, selectNames(both))
	redact := func(p *resolve.SelectPermission, name string) ir.BoolExp {
		c, ok := p.Column(name)
		require.True(t, ok)
		return c.Condition()
	}
	require.Nil(t, redact(both, "id"))
	require.Equal(t, cheap, redact(both, "title"))
	require.Equal(t, own, redact(both, "meta"))
	label, ok := both.ComputedField("label")
	require.True(t, ok)
	require.Equal(t, own, label.Redact)
	require.Equal(t, 20, both.Limit)
	require.True(t, both.Aggregations)
	require.Equal(t, map[string]bool{"select": true, "select_aggregate": true}, both.QueryRootFields)
	require.Nil(t, both.SubscriptionRootFields)

	require.Same(t, album.SelectPermission("clerk"), album.SelectPermission("single"))
	require.Nil(t, album.SelectPermission("none"))
	require.Equal(t, []string{"price"}, selectNames(album.SelectPermission("mine")))

	nested := album.SelectPermission("nested")
	require.Nil(t, nested.Filter)
	require.Equal(t, 20, nested.Limit)
	require.Nil(t, redact(nested, "id"))
	require.Equal(t, ir.And{Exps: []ir.BoolExp{cheap, both.Filter}}, redact(nested, "title"))
	require.Len(t, s.Roles, 5)
	require.ElementsMatch(t, []string{"clerk", "agent"}, s.Roles["both"].Parents)
}

func TestInheritedCellsOfAParentThatSeesAllRowsAreStillNullable(t *testing.T) {
	t.Parallel()
	s := withRoles(t, `"select_permissions":[
		{"role":"clerk","permission":{"columns":["id","title"],"filter":{},"limit":0}},
		{"role":"agent","permission":{"columns":["id"],"filter":{"id":1}}}]`, clerkAgent)
	p := table(s, "album").SelectPermission("both")
	require.Nil(t, p.Filter)
	title, ok := p.Column("title")
	require.True(t, ok)
	require.Equal(t, ir.And{}, title.Condition())
	require.True(t, p.NoRows)
}

func TestInheritedMutationPermissions(t *testing.T) {
	t.Parallel()
	const clerk = `{"role":"clerk","permission":{"columns":["title","price"],"filter":{"_and":[{"id":{"_gt":1,"_lt":9}},{"_or":[{"title":"a"},{"title":"b"}]}]},"set":{"price":1}}}`
	for agent, want := range map[string]bool{
		`{"columns":["price","title"],"filter":{"_and":[{"_or":[{"title":"b"},{"title":"a"}]},{"id":{"_lt":9,"_gt":1}}]},"set":{"price":1}}`:                 true,
		`{"columns":["price","title"],"filter":{"id":{"_gt":1,"_lt":9},"_or":[{"title":"a"},{"title":"b"}]},"set":{"price":1}}`:                              true,
		`{"columns":["title"],"filter":{"_and":[{"id":{"_gt":1,"_lt":8}},{"_or":[{"title":"a"},{"title":"b"}]}]},"set":{"price":1}}`:                         false,
		`{"columns":["title","id"],"filter":{"_and":[{"id":{"_gt":1,"_lt":9}},{"_or":[{"title":"a"},{"title":"b"}]}]},"set":{"price":1}}`:                    false,
		`{"columns":["title"],"filter":{"_and":[{"id":{"_gt":1,"_lt":9}},{"_or":[{"title":"a"},{"title":"b"}]}]},"set":{"price":2}}`:                         false,
		`{"columns":["title"],"filter":{"_and":[{"id":{"_gt":1,"_lt":9}},{"_or":[{"title":"a"},{"title":"b"}]}]},"set":{"price":1},"check":{"id":1}}`:        false,
		`{"columns":["title"],"filter":{"_and":[{"id":{"_gt":1,"_lt":9}},{"_or":[{"title":"a"},{"title":"b"}]}]},"set":{"price":1},"backend_only":true}`:     false,
		`{"columns":["title"],"filter":{"_and":[{"id":{"_gt":1,"_lt":9}},{"_or":[{"title":"a"},{"tracks":{"title":"b"}}]}]},"set":{"price":1}}`:              false,
		`{"columns":["title"],"filter":{"_and":[{"id":{"_gt":1,"_lt":9}},{"_or":[{"title":"a"},{"_not":{"title":"b"}}]}]},"set":{"price":"x-engine-price"}}`: false,
		`{"columns":["title","price"],"filter":{"_and":[{"id":{"_gt":1,"_lt":9}},{"_or":[{"title":"a"},{"title":"b"}]}]},"set":{"price":1},"check":null}`:    true,
	} {
		permissions := `"update_permissions":[{"role":"agent","permission":` + agent + `},` + clerk + `]`
		s := withRoles(t, permissions, clerkAgent+`,{"role_name":"heir","role_set":["both"]}`)
		album := table(s, "album")
		if want {
			require.NotNil(t, album.UpdatePermission("both"), agent)
			require.NotNil(t, album.UpdatePermission("heir"), agent)
			require.Empty(t, s.Inconsistencies(), agent)
			continue
		}
		require.Nil(t, album.UpdatePermission("both"), agent)
		require.Nil(t, album.UpdatePermission("heir"), agent)
		list := s.Inconsistencies()
		require.JSONEq(t, `[{"type":"inherited role permission inconsistency","name":"both",
			"reason":"Could not inherit permission for the role 'both' for the entity: 'update permission, table: album, source: 'default''",
			"entity":{"table":"album","source":"default","permission_type":"update"}}]`, dump(t, list), agent)
		require.Empty(t, list[0].IDs())
	}
}

func TestADefinedPermissionReplacesTheInheritedOne(t *testing.T) {
	t.Parallel()
	s := withRoles(t, `"delete_permissions":[{"role":"agent","permission":{"filter":{"id":1}}},{"role":"clerk","permission":{"filter":{"id":2}}},
		{"role":"both","permission":{"filter":{"id":3}}}]`, clerkAgent)
	require.Equal(t, equals(column("id", integer), literal("3", integer)), table(s, "album").DeletePermission("both").Filter)
	require.Empty(t, s.Inconsistencies())
}

func TestInheritedInsertPermission(t *testing.T) {
	t.Parallel()
	s := withRoles(t, `"insert_permissions":[{"role":"agent","permission":{"check":{}}},{"role":"clerk","permission":{"check":{},"columns":"*"}}]`, clerkAgent)
	album := table(s, "album")
	require.Len(t, album.InsertPermission("both").Columns, len(album.Columns))
	require.Nil(t, album.DeletePermission("both"))
}

func TestInheritedFunctionPermission(t *testing.T) {
	t.Parallel()
	o := options()
	o.InferFunctionPermissions = false
	s := withFunction(t, `{"function":"find_albums","permissions":[{"role":"clerk"}]}`, shop(), o)
	doc := *s.Document
	doc.InheritedRoles = []*metadata.InheritedRole{{Name: "boss", Set: []string{"buyer", "clerk"}}, {Name: "owner", Set: []string{"boss"}}}
	s = build(&doc, shop())
	f := s.Source("default").Functions[0]
	require.True(t, f.Allowed("boss"))
	require.True(t, f.Allowed("owner"))
}

func TestRoleProblems(t *testing.T) {
	t.Parallel()
	const permissions = `"select_permissions":[{"role":"clerk","permission":{"columns":[],"filter":{}}}]`
	s := withRoles(t, permissions, `{"role_name":"heir","role_set":["clerk","ghost","spirit"]},{"role_name":"child","role_set":["heir"]}`)
	list := s.Inconsistencies()
	require.JSONEq(t, `[{"type":"inherited_role","name":"inherited_role inherited role heir",
		"reason":"Inconsistent object: in inherited role heir: the following parent role(s) are not found: ghost, spirit which are required to construct the inherited role: \"heir\"",
		"definition":{"role_name":"heir","role_set":["clerk","ghost","spirit"]}}]`, dump(t, list))
	require.Equal(t, []metadata.ObjectID{{Kind: metadata.ObjectInheritedRole, Role: "heir"}}, list[0].IDs())

	doc := *s.Document
	doc.InheritedRoles = []*metadata.InheritedRole{{Name: "a", Set: []string{"b"}}, {Name: "b", Set: []string{"a", "clerk"}}, {Name: "c", Set: []string{"a", "clerk"}}}
	s = build(&doc, shop())
	require.Nil(t, table(s, "album").SelectPermission("a"))
	require.NotNil(t, table(s, "album").SelectPermission("c"))
	require.Equal(t, []string{"in inherited role a: it inherits from itself", "in inherited role b: it inherits from itself"}, problems(s))
}

func TestRolesOfOtherObjectsExist(t *testing.T) {
	t.Parallel()
	doc := parseDocument(t, `{"version":3,"sources":[{"name":"default","kind":"postgres","tables":[],
			"functions":[{"function":"find_albums","permissions":[{"role":"caller"}]}],
			"configuration":{"connection_info":{"database_url":"x"}}}],
		"actions":[{"name":"buy","definition":{"handler":"x","output_type":"Int"},"permissions":[{"role":"actor"}]}],
		"remote_schemas":[{"name":"r","definition":{"url":"x"},"permissions":[{"role":"visitor","definition":{"schema":"x"}}]}],
		"inherited_roles":[{"role_name":"heir","role_set":["caller","actor","visitor","admin"]}]}`)
	for _, i := range build(doc, shop()).Inconsistencies() {
		require.NotEqual(t, metadata.ObjectInheritedRole, i.Type, i.Reason)
	}
}
