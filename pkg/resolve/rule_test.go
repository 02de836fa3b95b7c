package resolve_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
	"queryengine/pkg/resolve"
)

var (
	integer = catalog.Type{Name: "int4"}
	text    = catalog.Type{Name: "text"}
	textArg = catalog.Type{Name: "text", ID: "25"} // operands that are texts by themselves
)

func column(name string, t catalog.Type) ir.Column { return ir.Column{Name: name, Type: t} }

func literal(s string, t catalog.Type) []ir.Value { return []ir.Value{ir.Literal{Text: s, Type: t}} }

func null(t catalog.Type) []ir.Value { return []ir.Value{ir.Literal{Null: true, Type: t}} }

func variable(name string, t catalog.Type) []ir.Value {
	return []ir.Value{ir.SessionVar{Name: name, Type: t}}
}

func list(s string, of catalog.Type) []ir.Value {
	return []ir.Value{ir.Literal{Text: s, Type: of, List: true}}
}

func listVariable(name string, of catalog.Type) []ir.Value {
	return []ir.Value{ir.SessionVar{Name: name, Type: of, List: true}}
}

func array(t catalog.Type) catalog.Type {
	t.Dims++
	return t
}

func equals(c ir.Expr, v []ir.Value) ir.Compare { return ir.Compare{Left: c, Op: ir.OpEq, Args: v} }

func TestParseRule(t *testing.T) {
	t.Parallel()
	id, title, artistID := column("id", integer), column("title", text), column("artist_id", integer)
	meta := column("meta", catalog.Type{Name: "jsonb"})
	seconds := column("seconds", integer)
	toTrack := []ir.JoinPair{{Outer: "id", Inner: "album_id"}}
	toArtist := []ir.JoinPair{{Outer: "artist_id", Inner: "id"}}
	track, artist := ir.Table{Name: public("track"), Stored: true}, ir.Table{Name: public("artist"), Stored: true}
	geometry := catalog.Type{Name: "geometry"}
	label := ir.Call{Function: public("album_label"), Args: []ir.CallArg{{Row: true}}, Type: text}
	asText := ir.Cast{Expr: meta, Type: textArg}

	for rule, want := range map[string]ir.BoolExp{
		`{}`:           nil,
		`{"_and": []}`: nil,
		`{"_or": []}`:  ir.Or{Exps: []ir.BoolExp{}},
		`{"_not": {}}`: ir.Not{Exp: ir.And{Exps: []ir.BoolExp{}}},

		`{"id": 7}`:                     equals(id, literal("7", integer)),
		`{"id": "7"}`:                   equals(id, literal("7", integer)),
		`{"id": {"_eq": 7}}`:            equals(id, literal("7", integer)),
		`{"id": {"$eq": 7}}`:            equals(id, literal("7", integer)),
		`{"id": {"_ne": 7}}`:            ir.Compare{Left: id, Op: ir.OpNeq, Args: literal("7", integer)},
		`{"id": {"$neq": 7}}`:           ir.Compare{Left: id, Op: ir.OpNeq, Args: literal("7", integer)},
		`{"id": {}}`:                    nil,
		`{"title": {"_like":"%live%"}}`: ir.Compare{Left: title, Op: "_like", Args: literal("%live%", text)},
		`{"id": {"_gt": 1, "_lte": 9}}`: ir.And{Exps: []ir.BoolExp{
			ir.Compare{Left: id, Op: ir.OpGt, Args: literal("1", integer)},
			ir.Compare{Left: id, Op: ir.OpLte, Args: literal("9", integer)},
		}},
		`{"_and": [{"id": 1}, {"_not": {"title": "x"}}]}`: ir.And{Exps: []ir.BoolExp{
			equals(id, literal("1", integer)), ir.Not{Exp: equals(title, literal("x", text))},
		}},
		`{"$or": [{"id": 1}, {"id": 2}], "title": "x"}`: ir.And{Exps: []ir.BoolExp{
			ir.Or{Exps: []ir.BoolExp{equals(id, literal("1", integer)), equals(id, literal("2", integer))}},
			equals(title, literal("x", text)),
		}},

		// NULL is a value for what may be NULL, and for a bare literal.
		`{"artist_id": null}`:                ir.Compare{Left: artistID, Op: ir.OpEq, Args: null(integer), NullSafe: true},
		`{"artist_id": {"_eq": null}}`:       ir.Compare{Left: artistID, Op: ir.OpEq, Args: null(integer), NullSafe: true},
		`{"artist_id": {"_neq": null}}`:      ir.Compare{Left: artistID, Op: ir.OpNeq, Args: null(integer), NullSafe: true},
		`{"artist_id": {"_gt": null}}`:       ir.Compare{Left: artistID, Op: ir.OpGt, Args: null(integer)},
		`{"id": {"_eq": null}}`:              equals(id, null(integer)),
		`{"label": {"_eq": null}}`:           ir.Compare{Left: label, Op: ir.OpEq, Args: null(text), NullSafe: true},
		`{"artist_id": {"_is_null": true}}`:  ir.IsNull{Expr: artistID},
		`{"artist_id": {"$is_null": false}}`: ir.IsNull{Expr: artistID, Not: true},

		`{"id": "X-Engine-User-Id"}`:             equals(id, variable("x-engine-user-id", integer)),
		`{"id": {"_eq": "req_user_id"}}`:         equals(id, variable("x-engine-user-id", integer)),
		`{"id": {"_in": [1, 2]}}`:                ir.Compare{Left: id, Op: ir.OpIn, Args: list(`{"1","2"}`, integer)},
		`{"id": {"_in": []}}`:                    ir.Compare{Left: id, Op: ir.OpIn, Args: list("{}", integer)},
		`{"id": {"$nin": "X-Engine-Ids"}}`:       ir.Compare{Left: id, Op: ir.OpNin, Args: listVariable("x-engine-ids", integer)},
		`{"title": {"_in": ["x-engine-title"]}}`: ir.Compare{Left: title, Op: ir.OpIn, Args: list(`{"x-engine-title"}`, text)},
		`{"meta": {"_contains": {"a": [1]}}}`:    ir.Compare{Left: meta, Op: "_contains", Args: literal(`{"a":[1]}`, meta.Type)},
		`{"meta": {"_has_key": "X-Engine-Key"}}`: ir.Compare{Left: meta, Op: "_has_key", Args: variable("x-engine-key", textArg)},
		`{"meta": {"$has_keys_any": ["a"]}}`:     ir.Compare{Left: meta, Op: "_has_keys_any", Args: list(`{"a"}`, textArg)},
		`{"meta": {"_has_keys_all": "x-engine-keys"}}`: ir.Compare{
			Left: meta, Op: "_has_keys_all", Args: listVariable("x-engine-keys", textArg),
		},
		`{"tags": {"_contains": ["live"]}}`: ir.Compare{
			Left: column("tags", array(text)), Op: "_contains", Args: literal(`{"live"}`, array(text)),
		},
		`{"tags": {"_in": [["a"], []]}}`: ir.Or{Exps: []ir.BoolExp{
			equals(column("tags", array(text)), literal(`{"a"}`, array(text))), equals(column("tags", array(text)), literal(`{}`, array(text))),
		}},
		`{"tags": {"_nin": ["x-engine-tags"]}}`: ir.Not{Exp: ir.Or{Exps: []ir.BoolExp{
			equals(column("tags", array(text)), literal(`x-engine-tags`, array(text))),
		}}},
		`{"path": {"_ancestor": "a.b"}}`: ir.Compare{
			Left: column("path", catalog.Type{Name: "ltree"}), Op: "_ancestor", Args: literal("a.b", catalog.Type{Name: "ltree"}),
		},
		`{"genre": {"_in": ["jazz", "rock"]}}`: ir.Compare{Left: column("genre", text), Op: ir.OpIn, Args: list(`{"jazz","rock"}`, text)},

		`{"meta": {"_cast": {"text": {"_like": "a%"}}}}`: ir.Compare{Left: asText, Op: "_like", Args: literal("a%", textArg)},
		`{"meta": {"$cast": {"String": null}}}`:          ir.Compare{Left: asText, Op: ir.OpEq, Args: null(textArg), NullSafe: true},

		`{"artist": {}}`: ir.Exists{From: artist, Join: toArtist, Unique: true, Where: ir.And{Exps: []ir.BoolExp{}}},
		`{"tracks": {"seconds": {"_lt": 60}}}`: ir.Exists{
			From: track, Join: toTrack, Where: ir.Compare{Left: seconds, Op: ir.OpLt, Args: literal("60", integer)},
		},
		`{"artist": {"home": {"_st_d_within": {"from": "X-Engine-Home", "distance": 5}}}}`: ir.Exists{
			From: artist, Join: toArtist, Unique: true, Where: ir.Compare{
				Left: column("home", geometry), Op: "_st_d_within", Args: []ir.Value{
					ir.SessionVar{Name: "x-engine-home", Type: geometry, Wrap: "geojson"},
					ir.Literal{Text: "5", Type: catalog.Type{Name: "float8", ID: "701"}},
				},
			},
		},
		`{"_exists": {"_table": {"schema": "public", "name": "staff"}, "_where": {"id": "X-Engine-User-Id", "is_admin": true}}}`: ir.Exists{
			From: ir.Table{Name: public("staff"), Stored: true}, Where: ir.And{Exps: []ir.BoolExp{
				equals(id, variable("x-engine-user-id", integer)),
				equals(column("is_admin", catalog.Type{Name: "bool"}), literal("true", catalog.Type{Name: "bool"})),
			}},
		},

		`{"artist_id": {"_ceq": "old_id"}}`:        ir.CompareColumn{Left: artistID, Op: ir.OpEq, Right: column("old_id", integer)},
		`{"artist_id": {"_cneq": ["old_id"]}}`:     ir.CompareColumn{Left: artistID, Op: ir.OpNeq, Right: column("old_id", integer)},
		`{"artist_id": {"$cne": "old_id"}}`:        ir.CompareColumn{Left: artistID, Op: ir.OpNeq, Right: column("old_id", integer)},
		`{"artist_id": {"_cgt": ["$", "old_id"]}}`: ir.CompareColumn{Left: artistID, Op: ir.OpGt, Right: column("old_id", integer)},
		`{"tracks": {"id": {"_clte": ["$", "old_id"]}}}`: ir.Exists{
			From: track, Join: toTrack, Where: ir.CompareColumn{
				Left: id, Op: ir.OpLte, Right: ir.Column{Name: "old_id", Type: integer, Root: true},
			},
		},
		`{"tracks": {"id": {"_clt": "seconds"}}}`: ir.Exists{
			From: track, Join: toTrack, Where: ir.CompareColumn{Left: id, Op: ir.OpLt, Right: seconds},
		},

		`{"label": {"_like": "a%"}}`: ir.Compare{Left: label, Op: "_like", Args: literal("a%", text)},
		`{"personal": "x"}`: equals(ir.Call{
			Function: public("album_for"),
			Args:     []ir.CallArg{{Value: ir.SessionObject{Type: catalog.Type{Name: "json"}}}, {Row: true}},
			Type:     text,
		}, literal("x", text)),
		`{"songs": {"seconds": 60}}`: ir.Exists{
			From:  ir.Function{Name: public("album_tracks"), Args: []ir.CallArg{{Row: true}}},
			Where: equals(seconds, literal("60", integer)),
		},
	} {
		got, err := resolve.ParseRule(table(schema(t), "album"), json.RawMessage(rule))
		require.NoError(t, err, rule)
		require.Equal(t, want, got, rule)
	}
}

func TestParseRuleErrors(t *testing.T) {
	t.Parallel()
	for rule, want := range map[string]struct {
		code apierror.Code
		path string
		text string
	}{
		`{"foo": 1}`:                        {"not-exists", "$.foo", `"foo" does not exist`},
		`{"_and": [{"id": 1}, {"foo": 1}]}`: {"not-exists", "$._and[1].foo", `"foo" does not exist`},
		`{"tracks": {"foo": 1}}`:            {"not-exists", "$.tracks.foo", `"foo" does not exist`},
		`{"title": {"_foo": 1}}`:            {"unexpected-payload", "$.title._foo", `Unknown operator: _foo`},
		`{"title": {"$foo": 1}}`:            {"unexpected-payload", `$.title["$foo"]`, `Unknown operator: $foo`},
		`{"title": {"foo": 1}}`:             {"unexpected-payload", "$.title.foo", `Unknown operator: foo`},
		`{"artist": {"home": {"_st_intersects_rast": "00"}}}`: {
			"unexpected-payload", "$.artist.home._st_intersects_rast", `Unknown operator: _st_intersects_rast`,
		},
		`{"raw": {"_eq": 1}}`: {"unexpected-payload", "$.raw", `JSON column can not be part of boolean expression`},
		`{"id": {"_like": "a"}}`: {
			"unexpected-payload", "$.id._like",
			` is of type "integer"; this operator works only on columns of type "varchar", "text", "citext", "bpchar"`,
		},
		`{"title": {"_contains": "a"}}`: {
			"unexpected-payload", "$.title._contains", ` is of type "text"; this operator works only on columns of type an array or JSONB`,
		},
		`{"title": {"_ceq": "id"}}`: {
			"unexpected-payload", "$.title._ceq", `incompatible column types: "title" has type "text", but "id" has type "integer"`,
		},
		`{"id": {"_ceq": ["artist", "id"]}}`: {
			"unexpected-payload", "$.id._ceq", `Relationship references are not supported in column comparison RHS`,
		},
		`{"id": {"_ceq": ["$", "artist", "id"]}}`: {
			"unexpected-payload", "$.id._ceq", `Relationship references are not supported in column comparison RHS`,
		},
		`{"id": {"_ceq": []}}`:    {"unexpected-payload", "$.id._ceq", `path cannot be empty`},
		`{"id": {"_ceq": 5}}`:     {"unexpected-payload", "$.id._ceq", `a boolean expression JSON must be either a string or an array`},
		`{"id": {"_ceq": [5]}}`:   {"parse-failed", "$.id._ceq[0]", `parsing Text failed, expected String, but encountered Number`},
		`{"id": {"_ceq": "foo"}}`: {"not-exists", "$.id._ceq", `column "foo" does not exist`},
		`{"id": {"_ceq": "artist"}}`: {
			"unexpected-payload", "$.id._ceq",
			`expecting a database column; but, "artist" is a relationship; column operators can only compare table columns`,
		},
		`{"released": {"_cast": {"text": {"_eq": "x"}}}}`: {
			"unexpected-payload", "$.released._cast", `cannot cast column of type "date" to type "text"`,
		},
		`{"id": {"_cast": 1}}`: {"parse-failed", "$.id._cast", `parsing cast failed, expected Object, but encountered Number`},
		`{"since": "x"}`: {
			"unexpected-payload", "$.since", `Computed columns with input arguments can not be part of the where clause`,
		},
		`{"_exists": {"_table": "shelf", "_where": {}}}`: {"not-exists", "$._exists._table", `table "shelf" does not exist in source: default`},
		`{"_exists": {"_table": "archive.album", "_where": {}}}`: {
			"not-exists", "$._exists._table", `table "archive.album" does not exist in source: default`,
		},
		`{"_exists": {"_where": {}}}`:                          {"parse-failed", "$._exists", `key "_table" not found`},
		`{"_exists": {"_table": "staff"}}`:                     {"parse-failed", "$._exists", `key "_where" not found`},
		`{"_exists": {"_table": {}, "_where": {}}}`:            {"parse-failed", "$._exists._table", `key "name" not found`},
		`{"_exists": []}`:                                      {"parse-failed", "$._exists", `parsing _exists failed, expected Object, but encountered Array`},
		`{"_exists": {"_table": "staff", "_where": {"x": 1}}}`: {"not-exists", "$._exists._where.x", `"x" does not exist`},

		`{"_or": {}}`:             {"parse-failed", "$._or", `parsing [] failed, expected Array, but encountered Object`},
		`{"_not": null}`:          {"parse-failed", "$._not", `parsing boolean expression failed, expected Object, but encountered Null`},
		`{"artist": 3}`:           {"parse-failed", "$.artist", `parsing boolean expression failed, expected Object, but encountered Number`},
		`[]`:                      {"parse-failed", "$", `parsing boolean expression failed, expected Object, but encountered Array`},
		``:                        {"parse-failed", "$", `parsing boolean expression failed, expected Object, but encountered Null`},
		`{`:                       {"parse-failed", "$", `invalid JSON`},
		`{"id": {"_is_null": 1}}`: {"parse-failed", "$.id._is_null", `parsing Bool failed, expected Boolean, but encountered Number`},
		`{"id": {"_in": 1}}`:      {"parse-failed", "$.id._in", `parsing [] failed, expected Array, but encountered Number`},
		`{"title": {"_eq": 1}}`:   {"parse-failed", "$.title._eq", `parsing Text failed, expected String, but encountered Number`},
		`{"genre": "punk"}`: {
			"unexpected-payload", "$.genre", `expected one of the values ['jazz', 'rock'] for type 'genre_enum', but found 'punk'`,
		},
		`{"genre": {"_in": ["jazz", "punk"]}}`: {
			"unexpected-payload", "$.genre._in[1]", `expected one of the values ['jazz', 'rock'] for type 'genre_enum', but found 'punk'`,
		},
		`{"genre": 1}`: {"parse-failed", "$.genre", `parsing Text failed, expected String, but encountered Number`},
		`{"artist": {"home": {"_st_d_within": {"distance": 5}}}}`: {"parse-failed", "$.artist.home._st_d_within", `key "from" not found`},
		`{"artist": {"home": {"_st_d_within": 5}}}`: {
			"parse-failed", "$.artist.home._st_d_within", `parsing st_d_within_input failed, expected Object, but encountered Number`,
		},
		`{"path": {"_ancestor": "a..b"}}`: {
			"parse-failed", "$.path._ancestor",
			`Expecting label path: a sequence of zero or more labels separated by dots, for example L1.L2.L3`,
		},
	} {
		_, err := resolve.ParseRule(table(schema(t), "album"), json.RawMessage(rule))
		require.Error(t, err, rule)
		got := apierror.From(err)
		require.Equal(t, want.text, got.Message, rule)
		require.Equal(t, want.code, got.Code, rule)
		require.Equal(t, want.path, got.Path, rule)
	}
}

func TestRuleThroughARelationshipToAnUntrackedTable(t *testing.T) {
	t.Parallel()
	s := build(document(t, tracked(albumTable)), shop())
	for rule, want := range map[string]string{
		`{"artist": {}}`: `not-exists at $.artist: table "artist" does not exist in source: default`,
		`{"tracks": {}}`: `not-exists at $.tracks: table "track" does not exist in source: default`,
		`{"songs": {}}`:  `not-exists at $.songs: "songs" does not exist`,
	} {
		_, err := resolve.ParseRule(table(s, "album"), json.RawMessage(rule))
		require.EqualError(t, err, want)
	}
}

func TestRuleOnARemoteRelationship(t *testing.T) {
	t.Parallel()
	s := build(document(t, tracked(artistTable, `"remote_relationships":[{"name":"shop","definition":{"to_source":{"source":"default","table":"artist","relationship_type":"object","field_mapping":{}}}}]`)), shop())
	_, err := resolve.ParseRule(table(s, "artist"), json.RawMessage(`{"shop": {}}`))
	require.EqualError(t, err, `not-supported at $.shop: remote relationship "shop" can not be part of boolean expression: it maps several columns`)
}

func FuzzParseRule(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"_and":[{"id":1},{"_or":[]}],"_not":{"title":{"_like":"a\"b"}}}`, `{"artist":{"albums":{"id":{"_ceq":["$","id"]}}}}`,
		`{"_exists":{"_table":{"name":"staff"},"_where":{"id":"x-engine-user-id"}}}`, `{"meta":{"_cast":{"text":{"_in":["a"]}}}}`,
		`{"id":{"_in":"X-Engine-Ids"}}`, `{"tags":{"_in":[["a",null]]}}`, `{"artist":{"home":{"_st_d_within":{"from":{},"distance":1e9}}}}`,
		`{"path":{"_ancestor_any":["a.b"]}}`, `{"genre":{"_nin":["jazz"]}}`, `[]`, `null`, `"`, `{"a":{"b":`, " \n{ \"id\" : 1 } ",
	} {
		f.Add(seed)
	}
	album := table(schema(f), "album")
	f.Fuzz(func(t *testing.T, rule string) {
		exp, err := resolve.ParseRule(album, json.RawMessage(rule))
		if err != nil {
			require.Nil(t, exp, rule)
			require.NotEqual(t, apierror.Unexpected, apierror.From(err).Code, "%s: %v", rule, err)
			return
		}
		again, err := resolve.ParseRule(album, json.RawMessage(rule))
		require.NoError(t, err)
		require.Equal(t, exp, again)
	})
}
