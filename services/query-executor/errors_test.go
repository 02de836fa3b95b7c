package queryexecutor

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/session"
)

// TestErrors holds the texts, codes and paths of the wire format.
func TestErrors(t *testing.T) {
	t.Parallel()
	e := newFixture(t, "testdata/cases/shop", Config{MaxTokens: 5000})
	for _, c := range []struct {
		name, query, variables string
		code, path, message    string
	}{
		// Operations.
		{
			"subscription", `subscription { album { id } }`, ``,
			"unexpected-payload", "$", "subscriptions are not supported over HTTP, use websockets instead",
		},
		{
			"too many tokens", `{ album(where: {id: {_in: [` + strings.Repeat("1 ", 5000) + `]}}) { id } }`, ``,
			"validation-failed", "$.query", "the graphql query is too large: exceeded token limit of 5000",
		},
		{
			"too deep document", strings.Repeat("{ a ", 1200) + strings.Repeat("}", 1200), ``,
			"validation-failed", "$.query", "the graphql query is too large: exceeded maximum nesting depth of 1000",
		},
		{
			"too deep", `{ album ` + strings.Repeat(`{ artist { albums `, 60) + `{ id }` + strings.Repeat(`} }`, 60) + ` }`, ``,
			"validation-failed", "$.selectionSet.album" + strings.Repeat(".selectionSet.artist.selectionSet.albums", 49) + ".selectionSet.artist.selectionSet",
			"the selection sets are nested too deeply",
		},
		{
			"too deep input", `query ($w: album_bool_exp) { album(where: $w) { id } }`, `{"w": ` + strings.Repeat(`{"_not": `, 300) + `{}` + strings.Repeat(`}`, 300) + `}`,
			"validation-failed", "$.selectionSet.album.args.where" + strings.Repeat("._not", 200), "the value is nested too deeply",
		},
		{
			"too much", `{ ...a } fragment a on query_root { ...b ...b ...b ...b ...b ...b ...b ...b ...b ...b } ` +
				fanOut("b", "c") + fanOut("c", "d") + fanOut("d", "e") + fanOut("e", "f") + ` fragment f on query_root { __typename }`, ``,
			"validation-failed", "$.selectionSet", "the query selects too much",
		},

		// Fields.
		{
			"unknown root field", `{ nothing { id } }`, ``,
			"validation-failed", "$.selectionSet.nothing", "field 'nothing' not found in type: 'query_root'",
		},
		{
			"unknown field", `{ x: album { artist { nope } } }`, ``,
			"validation-failed", "$.selectionSet.album.selectionSet.artist.selectionSet.nope", "field 'nope' not found in type: 'artist'",
		},
		{
			"unknown field of an aggregate", `{ album_aggregate { aggregate { maxi { id } } } }`, ``,
			"validation-failed", "$.selectionSet.album_aggregate.selectionSet.aggregate.selectionSet.maxi", "field 'maxi' not found in type: 'album_aggregate_fields'",
		},
		{
			"unknown argument", `{ album(foo: 1) { id } }`, ``,
			"validation-failed", "$.selectionSet.album", "'album' has no argument named 'foo'",
		},
		{
			"argument of an object relationship", `{ album { artist(limit: 1) { id } } }`, ``,
			"validation-failed", "$.selectionSet.album.selectionSet.artist", "'artist' has no argument named 'limit'",
		},
		{
			"argument of a scalar", `{ album { id(path: "a") } }`, ``,
			"validation-failed", "$.selectionSet.album.selectionSet.id", "'id' has no argument named 'path'",
		},
		{
			"missing argument", `{ album_by_pk { id } }`, ``,
			"validation-failed", "$.selectionSet.album_by_pk.args.id", "missing required field 'id'",
		},
		{
			"missing selection set", `{ album }`, ``,
			"validation-failed", "$.selectionSet.album.selectionSet", "missing selection set for 'album'",
		},
		{
			"missing selection set of an aggregate", `{ album_aggregate { aggregate } }`, ``,
			"validation-failed", "$.selectionSet.album_aggregate.selectionSet.aggregate.selectionSet", "missing selection set for 'album_aggregate_fields'",
		},
		{
			"selection set on a scalar", `{ album { id { x } } }`, ``,
			"validation-failed", "$.selectionSet.album.selectionSet.id", "unexpected subselection set for non-object field",
		},
		{
			"different fields with one key", `{ album { x: id x: title } }`, ``,
			"validation-failed", "$.selectionSet.album.selectionSet", "selection of both 'id' and 'title' specify the same response name, 'x'",
		},
		{
			"different arguments with one key", `{ artist { albums(limit: 1) { id } albums(limit: 2) { id } } }`, ``,
			"validation-failed", "$.selectionSet.artist.selectionSet", "inconsistent arguments between multiple selections of field 'albums'",
		},

		// Directives.
		{
			"unknown directive", `{ album { id @foo } }`, ``,
			"validation-failed", "$.selectionSet.album.selectionSet", "directive 'foo' is not defined in the schema",
		},
		{
			"directive in a wrong place", `{ album @cached { id } }`, ``,
			"validation-failed", "$.selectionSet", "directive 'cached' is not allowed on a field",
		},
		{
			"directive on a spread", `{ album { ...a @cached } } fragment a on album { id }`, ``,
			"validation-failed", "$.selectionSet.album.selectionSet", "directive 'cached' is not allowed on a fragment spread",
		},
		{
			"directive on an inline fragment", `{ album { ... @cached { id } } }`, ``,
			"validation-failed", "$.selectionSet.album.selectionSet", "directive 'cached' is not allowed on an inline fragment",
		},
		{
			"directive on a query", `query @include(if: true) { album { id } }`, ``,
			"validation-failed", "$", "directive 'include' is not allowed on a query",
		},
		{
			"repeated directive", `{ album { id @include(if: true) @include(if: true) } }`, ``,
			"validation-failed", "$.selectionSet.album.selectionSet", "the following directives are used more than once: ['include']",
		},
		{
			"unknown argument of a directive", `{ album { id @include(x: true) } }`, ``,
			"validation-failed", "$.selectionSet.album.selectionSet", "'include' has no argument named 'x'",
		},

		// Inputs.
		{
			"unknown input key", `{ album(where: {nope: {}}) { id } }`, ``,
			"validation-failed", "$.selectionSet.album.args.where.nope", "field 'nope' not found in type: 'album_bool_exp'",
		},
		{
			"unknown operator", `{ album(where: {title: {_ne: "x"}}) { id } }`, ``,
			"validation-failed", "$.selectionSet.album.args.where.title._ne", "field '_ne' not found in type: 'String_comparison_exp'",
		},
		{
			"null operand", `{ album(where: {id: {_eq: null}}) { id } }`, ``,
			"validation-failed", "$.selectionSet.album.args.where.id._eq", "unexpected null value for type 'Int'",
		},
		{
			"null list", `{ album(where: {id: {_in: null}}) { id } }`, ``,
			"validation-failed", "$.selectionSet.album.args.where.id._in", "expected a list, but found null",
		},
		{
			"null in a list", `{ album(where: {id: {_in: [1, null]}}) { id } }`, ``,
			"validation-failed", "$.selectionSet.album.args.where.id._in[1]", "unexpected null value for type 'Int'",
		},
		{
			"null and", `{ album(where: {_and: null}) { id } }`, ``,
			"validation-failed", "$.selectionSet.album.args.where._and", "expected a list, but found null",
		},
		{
			"null not", `{ album(where: {_not: null}) { id } }`, ``,
			"validation-failed", "$.selectionSet.album.args.where._not", "expected an object for type 'album_bool_exp', but found null",
		},
		{
			"null column", `{ album(where: {id: null}) { id } }`, ``,
			"validation-failed", "$.selectionSet.album.args.where.id", "expected an object for type 'Int_comparison_exp', but found null",
		},
		{
			"null relationship", `{ album(where: {artist: null}) { id } }`, ``,
			"validation-failed", "$.selectionSet.album.args.where.artist", "expected an object for type 'artist_bool_exp', but found null",
		},
		{
			"null is_null", `{ album(where: {id: {_is_null: null}}) { id } }`, ``,
			"validation-failed", "$.selectionSet.album.args.where.id._is_null", "expected a boolean for type 'Boolean', but found null",
		},
		{
			"string for is_null", `{ album(where: {id: {_is_null: "x"}}) { id } }`, ``,
			"validation-failed", "$.selectionSet.album.args.where.id._is_null", "expected a boolean for type 'Boolean', but found a string",
		},
		{
			"list for an object", `{ album(where: []) { id } }`, ``,
			"validation-failed", "$.selectionSet.album.args.where", "expected an object for type 'album_bool_exp', but found a list",
		},
		{
			"unset variable", `query ($x: Int) { album(where: {id: {_eq: $x}}) { id } }`, `{}`,
			"validation-failed", "$.selectionSet.album.args.where.id._eq", "unexpected null value for type 'Int'",
		},
		{
			"single item of a list", `{ album(order_by: {id: up}) { id } }`, ``,
			"validation-failed", "$.selectionSet.album.args.order_by[0].id",
			"expected one of the values ['asc', 'asc_nulls_first', 'asc_nulls_last', 'desc', 'desc_nulls_first', 'desc_nulls_last'] for type 'order_by', but found 'up'",
		},
		{
			"string for an enum", `{ album(order_by: [{title: asc}, {id: "asc"}]) { id } }`, ``,
			"validation-failed", "$.selectionSet.album.args.order_by[1].id", "expected an enum value for type 'order_by', but found a string",
		},
		{
			"string for an enum table", `{ album(where: {mood: {_eq: "calm"}}) { id } }`, ``,
			"validation-failed", "$.selectionSet.album.args.where.mood._eq", "expected an enum value for type 'mood_enum', but found a string",
		},
		{
			"string in a list for an enum table", `{ album(where: {mood: {_in: [calm, "wild"]}}) { id } }`, ``,
			"validation-failed", "$.selectionSet.album.args.where.mood._in[1]", "expected an enum value for type 'mood_enum', but found a string",
		},
		{
			"unknown value of an enum table", `query ($m: mood_enum) { album(where: {mood: {_eq: $m}}) { id } }`, `{"m": "odd"}`,
			"validation-failed", "$.selectionSet.album.args.where.mood._eq", "expected one of the values ['calm', 'sad', 'wild'] for type 'mood_enum', but found 'odd'",
		},
		{
			"number for an enum table", `query ($m: mood_enum) { album(where: {mood: {_eq: $m}}) { id } }`, `{"m": 1}`,
			"validation-failed", "$.selectionSet.album.args.where.mood._eq", "expected an enum value for type 'mood_enum', but found a number",
		},
		{
			"several predicates", `{ album(where: {tracks_aggregate: {}}) { id } }`, ``,
			"validation-failed", "$.selectionSet.album.args.where.tracks_aggregate", "exactly one predicate should be specified",
		},
		{
			"missing predicate", `{ album(where: {tracks_aggregate: {count: {}}}) { id } }`, ``,
			"validation-failed", "$.selectionSet.album.args.where.tracks_aggregate.count.predicate", "missing required field 'predicate'",
		},

		// Column values.
		{
			"boolean for a number", `{ album(where: {id: {_eq: true}}) { id } }`, ``,
			"parse-failed", "$.selectionSet.album.args.where.id._eq", "parsing Integer expected for input type: PGInteger failed, expected Number, but encountered Boolean",
		},
		{
			"number for a text", `{ album(where: {title: {_eq: 1}}) { id } }`, ``,
			"parse-failed", "$.selectionSet.album.args.where.title._eq", "parsing Text failed, expected String, but encountered Number",
		},
		{
			"too large", `{ album(where: {id: {_eq: 3000000000}}) { id } }`, ``,
			"parse-failed", "$.selectionSet.album.args.where.id._eq", "The value 3.0e9 lies outside the bounds or is not an integer. Maybe it is a float, or is there integer overflow?",
		},
		{
			"too large in a list", `query ($l: [Int!]) { album(where: {id: {_in: $l}}) { id } }`, `{"l": [1, 3e9]}`,
			"parse-failed", "$.selectionSet.album.args.where.id._in[1]", "The value 3.0e9 lies outside the bounds or is not an integer. Maybe it is a float, or is there integer overflow?",
		},
		{
			"database judges text", `{ album(where: {id: {_eq: "x"}}) { id } }`, ``,
			"data-exception", "$", `invalid input syntax for type integer: "x"`,
		},

		// limit, offset, distinct_on, path, functions.
		{
			"negative limit", `{ album(limit: -1) { id } }`, ``,
			"validation-failed", "$.selectionSet.album.args.limit", "expected a non-negative 32-bit integer for type 'Int', but found an integer",
		},
		{
			"negative limit of a variable", `query ($n: Int) { album(limit: $n) { id } }`, `{"n": -1}`,
			"validation-failed", "$.selectionSet.album.args.limit", "expected a non-negative 32-bit integer for type 'Int', but found a number",
		},
		{
			"text limit", `{ album(limit: "1") { id } }`, ``,
			"validation-failed", "$.selectionSet.album.args.limit", "expected a non-negative 32-bit integer for type 'Int', but found a string",
		},
		{
			"float offset", `{ album(offset: 1.5) { id } }`, ``,
			"validation-failed", "$.selectionSet.album.args.offset", "expected a 32-bit integer, or a 64-bit integer represented as a string for type 'Int', but found a float",
		},
		{
			"negative offset", `{ album(offset: -1) { id } }`, ``,
			"data-exception", "$", "OFFSET must not be negative",
		},
		{
			"distinct and order", `{ album(distinct_on: artist_id, order_by: {id: asc}) { id } }`, ``,
			"validation-failed", "$.selectionSet.album.args", `"distinct_on" columns must match initial "order_by" columns`,
		},
		{
			"JSON path", `{ album { meta(path: "a b") } }`, ``,
			"validation-failed", "$.selectionSet.album.selectionSet.meta.args.path",
			`parse json path error: a b. Accept letters, digits, underscore (_) or hyphen (-) only. Use quotes enclosed in bracket (["..."]) if there is any special character`,
		},
		{
			"number for a JSON path", `{ album { meta(path: 1) } }`, ``,
			"validation-failed", "$.selectionSet.album.selectionSet.meta.args.path", "expected a string for type 'String', but found an integer",
		},
		{
			"function without args", `{ find_tracks { id } }`, ``,
			"validation-failed", "$.selectionSet.find_tracks.args.args", "missing required field 'args'",
		},
		{
			"function without an argument", `{ find_tracks(args: {longest: 1}) { id } }`, ``,
			"not-supported", "$.selectionSet.find_tracks.args.args", "Non default arguments cannot be omitted",
		},

		// Variables.
		{
			"declared as another type", `query ($x: String) { album(limit: $x) { id } }`, `{"x": "1"}`,
			"validation-failed", "$.selectionSet.album.args.limit", "variable 'x' is declared as 'String', but used where 'Int' is expected",
		},
		{
			"no coercion between numbers", `query ($x: Int!) { songs(where: {rating: {_eq: $x}}) { id } }`, `{"x": 1}`,
			"validation-failed", "$.selectionSet.songs.args.where.rating._eq", "variable 'x' is declared as 'Int!', but used where 'float8' is expected",
		},
		{
			"nullable where non-null is expected", `query ($x: Int) { album_by_pk(id: $x) { id } }`, `{"x": 1}`,
			"validation-failed", "$.selectionSet.album_by_pk.args.id", "variable 'x' is declared as 'Int', but used where 'Int!' is expected",
		},
		{
			"value where a list is expected", `query ($x: Int) { album(where: {id: {_in: $x}}) { id } }`, `{"x": 1}`,
			"validation-failed", "$.selectionSet.album.args.where.id._in", "variable 'x' is declared as 'Int', but used where '[Int!]' is expected",
		},
		{
			"nullable in a list", `query ($x: Int) { album(where: {id: {_in: [$x]}}) { id } }`, `{"x": 1}`,
			"validation-failed", "$.selectionSet.album.args.where.id._in[0]", "variable 'x' is declared as 'Int', but used where 'Int!' is expected",
		},
		{
			"nullable in a directive", `query ($x: Boolean) { album { id @include(if: $x) } }`, `{"x": true}`,
			"validation-failed", "$.selectionSet.album.selectionSet.args.if", "variable 'x' is declared as 'Boolean', but used where 'Boolean!' is expected",
		},
		{
			"key that is no name", `query ($w: album_bool_exp) { album(where: $w) { id } }`, `{"w": {"a-b": 1}}`,
			"validation-failed", "$.selectionSet.album.args.where", `variable value contains object with key "a-b", which is not a legal GraphQL name`,
		},
		{
			"unknown key of a variable", `query ($w: album_bool_exp) { album(where: $w) { id } }`, `{"w": {"artist": {"nope": 1}}}`,
			"validation-failed", "$.selectionSet.album.args.where.artist.nope", "field 'nope' not found in type: 'artist_bool_exp'",
		},
		{
			"operand of a variable", `query ($w: album_bool_exp) { album(where: $w) { id } }`, `{"w": {"id": {"_eq": false}}}`,
			"parse-failed", "$.selectionSet.album.args.where.id._eq", "parsing Integer expected for input type: PGInteger failed, expected Number, but encountered Boolean",
		},

		// Introspection.
		{
			"unknown field of introspection", `{ __schema { nope } }`, ``,
			"validation-failed", "$.selectionSet.__schema.selectionSet.nope", "field 'nope' not found in type: '__Schema'",
		},
		{
			"type without a name", `{ __type { name } }`, ``,
			"validation-failed", "$.selectionSet.__type.args.name", "missing required field 'name'",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			q := &request{session: adminSession(), text: c.query, variables: []byte(c.variables)}
			var got struct{ Code, Path, Error string }
			require.NoError(t, json.Unmarshal(answer(t, e, q), &got))
			require.Equal(t, []string{c.code, c.path, c.message}, []string{got.Code, got.Path, got.Error})
		})
	}
}

// fanOut is a fragment that uses another one ten times.
func fanOut(name, other string) string {
	return " fragment " + name + " on query_root { " + strings.Repeat("..."+other+" ", 10) + "}"
}

func adminSession() *session.Session {
	return &session.Session{Role: session.Admin, Variables: map[string]string{session.RoleHeader: session.Admin}}
}

// TestErrorsOfKeptPlans holds that a value of the wrong kind gives the same error when the
// plan is there already as when it is made.
func TestErrorsOfKeptPlans(t *testing.T) {
	t.Parallel()
	e := newFixture(t, "testdata/cases/shop", Config{})
	const query = `query ($id: Int, $l: [Int!], $n: Int, $m: mood_enum) { album(where: {id: {_eq: $id, _in: $l}, mood: {_neq: $m}}, limit: $n) { id } }`
	ask := func(variables string) []byte {
		return answer(t, e, &request{session: adminSession(), text: query, variables: []byte(variables)})
	}
	require.Equal(t, []byte(`{"data":{"album":[{"id":2}]}}`), ask(`{"id": 2, "l": [1, 2], "n": 5, "m": "calm"}`)) //nolint:testifylint // byte for byte
	_, misses, _ := e.plans.Stats()
	for variables, want := range map[string]string{
		`{"id": null, "l": [1], "n": 5, "m": "calm"}`:      `{"code":"validation-failed","error":"unexpected null value for type 'Int'","path":"$.selectionSet.album.args.where.id._eq"}`,
		`{"l": [1], "n": 5, "m": "calm"}`:                  `{"code":"validation-failed","error":"unexpected null value for type 'Int'","path":"$.selectionSet.album.args.where.id._eq"}`,
		`{"id": 1, "l": [null], "n": 5, "m": "calm"}`:      `{"code":"validation-failed","error":"unexpected null value for type 'Int'","path":"$.selectionSet.album.args.where.id._in[0]"}`,
		`{"id": 1, "l": [1, true], "n": 5, "m": "calm"}`:   `{"code":"parse-failed","error":"parsing Integer expected for input type: PGInteger failed, expected Number, but encountered Boolean","path":"$.selectionSet.album.args.where.id._in[1]"}`,
		`{"id": 1, "l": [1], "n": -5, "m": "calm"}`:        `{"code":"validation-failed","error":"expected a non-negative 32-bit integer for type 'Int', but found a number","path":"$.selectionSet.album.args.limit"}`,
		`{"id": 1, "l": [1], "n": 5, "m": "odd"}`:          `{"code":"validation-failed","error":"expected one of the values ['calm', 'sad', 'wild'] for type 'mood_enum', but found 'odd'","path":"$.selectionSet.album.args.where.mood._neq"}`,
		`{"id": 1, "l": [1], "n": 5, "m": "calm", "x": 1}`: `{"code":"validation-failed","error":"unexpected variables in variableValues: x","path":"$"}`,
		`{"id": "2", "l": ["2"], "n": null, "m": "calm"}`:  `{"data":{"album":[{"id":2}]}}`,
	} {
		require.Equal(t, []byte(want), ask(variables), variables) // byte for byte
	}
	_, after, _ := e.plans.Stats()
	require.Equal(t, misses, after, "a plan was made again")
}
