package resolve_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/ir"
	"queryengine/pkg/resolve"
)

// readers is a schema where buyer sees some columns of cheap albums, and of all tracks; agent
// sees another column; and both sees what either does.
func readers(t *testing.T) *resolve.Table {
	doc := parseDocument(t, `{"version":3,"sources":[{"name":"default","kind":"postgres","tables":[`+
		tracked(artistTable)+","+
		tracked(albumTable, `"select_permissions":[
			{"role":"buyer","permission":{"columns":["id","title","artist_id"],"computed_fields":["label"],"filter":{"price":{"_lt":5}}}},
			{"role":"agent","permission":{"columns":["id","old_id"],"filter":{"id":1}}}]`)+","+
		tracked(trackTable, `"select_permissions":[{"role":"buyer","permission":{"columns":"*","filter":{"seconds":{"_gt":9}}}}]`)+
		`],"configuration":{"connection_info":{"database_url":"x"}}}],"inherited_roles":[{"role_name":"both","role_set":["buyer","agent"]}]}`)
	return table(build(doc, shop()), "album")
}

func TestParseWhere(t *testing.T) {
	t.Parallel()
	album := readers(t)
	id, title := column("id", integer), column("title", text)
	toTrack := []ir.JoinPair{{Outer: "id", Inner: "album_id"}}
	track := ir.Table{Name: public("track"), Stored: true}
	long := ir.Rule{Exp: ir.Compare{Left: column("seconds", integer), Op: ir.OpGt, Args: literal("9", integer)}}
	for _, c := range []struct {
		role, where string
		want        ir.BoolExp
	}{
		{"buyer", `{}`, nil},
		{"buyer", `{"id": 7}`, equals(id, literal("7", integer))},
		{"buyer", `{"title": "X-Engine-User-Id"}`, equals(title, literal("X-Engine-User-Id", text))},
		{"buyer", `{"title": {"$in": ["X-Engine-User-Id"]}}`, ir.Compare{Left: title, Op: ir.OpIn, Args: list(`{"X-Engine-User-Id"}`, text)}},
		{"buyer", `{"title": null}`, ir.IsNull{Expr: title}},
		{"buyer", `{"title": {"$eq": null}}`, ir.IsNull{Expr: title}},
		{"buyer", `{"title": {"_ne": null}}`, ir.IsNull{Expr: title, Not: true}},
		{"buyer", `{"title": {"_gt": null}}`, ir.Compare{Left: title, Op: ir.OpGt, Args: null(text)}},
		{"buyer", `{"id": {"$ceq": "artist_id"}}`, ir.CompareColumn{Left: id, Op: ir.OpEq, Right: column("artist_id", integer)}},
		{"buyer", `{"label": "x"}`, equals(ir.Call{Function: public("album_label"), Args: []ir.CallArg{{Row: true}}, Type: text}, literal("x", text))},
		{"buyer", `{"tracks": {"price": 1}}`, ir.Exists{From: track, Join: toTrack, Where: ir.And{Exps: []ir.BoolExp{
			long, equals(column("price", catalogType("numeric")), literal("1", catalogType("numeric"))),
		}}}},
		{"buyer", `{"songs": {}}`, ir.Exists{
			From:  ir.Function{Name: public("album_tracks"), Args: []ir.CallArg{{Row: true}}},
			Where: ir.And{Exps: []ir.BoolExp{long, ir.And{Exps: []ir.BoolExp{}}}},
		}},
		{"buyer", `{"$exists": {"_table": "track", "_where": {}}}`, ir.Exists{From: track, Where: ir.And{Exps: []ir.BoolExp{long, ir.And{Exps: []ir.BoolExp{}}}}}},
		{"admin", `{"artist": {"home": null}}`, ir.Exists{
			From: ir.Table{Name: public("artist"), Stored: true}, Join: []ir.JoinPair{{Outer: "artist_id", Inner: "id"}}, Unique: true,
			Where: ir.IsNull{Expr: column("home", catalogType("geometry"))},
		}},
		{"both", `{"old_id": 1}`, equals(
			ir.Redacted{Expr: column("old_id", integer), When: ir.Rule{Exp: equals(id, literal("1", integer))}}, literal("1", integer))},
	} {
		got, err := resolve.ParseWhere(album, c.role, json.RawMessage(c.where))
		require.NoError(t, err, c.where)
		require.Equal(t, c.want, got, c.where)
	}
}

func TestParseWhereErrors(t *testing.T) {
	t.Parallel()
	album := readers(t)
	for _, c := range []struct{ role, where, code, path, message string }{
		{"buyer", `{"price": 1}`, "permission-denied", "$.price", `role "buyer" does not have permission to select column "price"`},
		{"buyer", `{"$or": [{"id": 1}, {"old_id": {"$gt": 1}}]}`, "permission-denied", `$["$or"][1].old_id`, `role "buyer" does not have permission to select column "old_id"`},
		{"buyer", `{"id": {"$clt": "old_id"}}`, "permission-denied", `$.id["$clt"]`, `role "buyer" does not have permission to select column "old_id"`},
		{"both", `{"id": {"$clt": "old_id"}}`, "permission-denied", `$.id["$clt"]`, `role "both" does not have permission to select column "old_id"`},
		{"buyer", `{"personal": "x"}`, "permission-denied", "$.personal", `role "buyer" does not have permission to select column "personal"`},
		{"buyer", `{"artist": {}}`, "permission-denied", "$.artist", `role "buyer" does not have permission to read relationship "artist"; no permission on table "artist"`},
		{"agent", `{"songs": {}}`, "permission-denied", "$.songs", `role "agent" does not have permission to read relationship "songs"; no permission on table "track"`},
		{"agent", `{"$exists": {"_table": "track", "_where": {}}}`, "permission-denied", `$["$exists"]._table`, `select on "track" for role "agent" is not allowed. `},
		{"nobody", `{"id": 1}`, "permission-denied", "$.id", `role "nobody" does not have permission to select column "id"`},
		{"buyer", `{"x": 1}`, "not-exists", "$.x", `"x" does not exist`},
		{"buyer", `{"id": {"$foo": 1}}`, "unexpected-payload", `$.id["$foo"]`, `Unknown operator: $foo`},
		{"buyer", `[]`, "parse-failed", "$", `parsing boolean expression failed, expected Object, but encountered Array`},
	} {
		_, err := resolve.ParseWhere(album, c.role, json.RawMessage(c.where))
		got := apierror.From(err)
		require.Error(t, err, c.where)
		require.Equal(t, [3]string{c.code, c.path, c.message}, [3]string{string(got.Code), got.Path, got.Message}, c.where)
	}
}
