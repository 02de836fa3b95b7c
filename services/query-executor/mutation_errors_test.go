package queryexecutor

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/session"
)

// TestMutationErrors holds the texts, codes and paths of faults in mutations. None leaves
// anything behind.
func TestMutationErrors(t *testing.T) {
	t.Parallel()
	const feature = "testdata/cases/mutations"
	e := newFixture(t, feature, Config{})
	restore(t, e, feature)
	const objects = "$.selectionSet.insert_album.args.objects"
	for _, c := range []struct {
		name, role, query, variables string
		code, path, message          string
	}{
		// What a role may do.
		{
			"nothing to write", "nobody", `mutation { insert_album(objects: []) { affected_rows } }`, ``,
			"validation-failed", "$", "no mutations exist",
		},
		{
			"no such field", "clerk", `mutation { delete_artist(where: {}) { affected_rows } }`, ``,
			"validation-failed", "$.selectionSet.delete_artist", "field 'delete_artist' not found in type: 'mutation_root'",
		},
		{
			"no row of one that can't be read", "writer", `mutation { insert_album_one(object: {}) { id } }`, ``,
			"validation-failed", "$.selectionSet.insert_album_one", "field 'insert_album_one' not found in type: 'mutation_root'",
		},
		{
			"no rows of those that can't be read", "writer", `mutation { insert_album(objects: {}) { returning { id } } }`, ``,
			"validation-failed", "$.selectionSet.insert_album.selectionSet.returning", "field 'returning' not found in type: 'album_mutation_response'",
		},
		{
			"hidden", "backend", `mutation { insert_artist(objects: {}) { affected_rows } }`, ``,
			"validation-failed", "$", "no mutations exist",
		},
		{
			"column with a preset", "clerk", `mutation { insert_album(objects: {mood: calm}) { affected_rows } }`, ``,
			"validation-failed", objects + "[0].mood", "field 'mood' not found in type: 'album_insert_input'",
		},
		{
			"relationship to what can't be inserted", "clerk", `mutation { insert_artist(objects: {biography: {data: {text: "x"}}}) { affected_rows } }`, ``,
			"validation-failed", "$.selectionSet.insert_artist.args.objects[0].biography", "field 'biography' not found in type: 'artist_insert_input'",
		},
		{
			"condition without reading", "stamper", `mutation { delete_album(where: {id: {_eq: 1}}) { affected_rows } }`, ``,
			"validation-failed", "$.selectionSet.delete_album.args.where.id", "field 'id' not found in type: 'album_bool_exp'",
		},
		{
			"placeholder", "writer", `mutation { insert_album(objects: {}, on_conflict: {constraint: album_pkey, update_columns: [_PLACEHOLDER]}) { affected_rows } }`, ``,
			"validation-failed", "$.selectionSet.insert_album.args.on_conflict", "erroneous column name",
		},
		{
			"placeholder below", "writer", `mutation { insert_artist(objects: {albums: {data: [], on_conflict: {constraint: album_pkey, update_columns: _PLACEHOLDER}}}) { affected_rows } }`, ``,
			"validation-failed", "$.selectionSet.insert_artist.args.objects[0].albums.on_conflict", "erroneous column name",
		},
		{
			"missing session variable", "clerk", `mutation { insert_artist(objects: {name: "Eve"}) { affected_rows } }`, ``,
			"not-found", "$", `missing session variable: "x-engine-user-id"`,
		},
		{
			"missing session variable below", "clerk", `mutation { insert_album(objects: {title: "Gold", artist: {data: {name: "Eve"}}}) { affected_rows } }`, ``,
			"not-found", "$", `missing session variable: "x-engine-user-id"`,
		},
		{
			"missing session variable of an update", "stamper", `mutation { update_album(where: {}) { affected_rows } }`, ``,
			"not-found", "$", `missing session variable: "x-engine-sold"`,
		},

		// Values of rows.
		{
			"generated column", "admin", `mutation { insert_album(objects: {label: "x"}) { affected_rows } }`, ``,
			"validation-failed", objects + "[0].label", "field 'label' not found in type: 'album_insert_input'",
		},
		{
			"unknown column comes first", "admin", `mutation { insert_album(objects: [{title: 5, foo: 1}]) { affected_rows } }`, ``,
			"validation-failed", objects + "[0].foo", "field 'foo' not found in type: 'album_insert_input'",
		},
		{
			"wrong value", "admin", `mutation { insert_album(objects: [{title: "x"}, {title: 5}]) { affected_rows } }`, ``,
			"parse-failed", objects + "[1].title", "parsing Text failed, expected String, but encountered Number",
		},
		{
			"wrong value of a variable", "admin", `mutation ($r: [album_insert_input!]!) { insert_album(objects: $r) { affected_rows } }`, `{"r": [{"title": "x"}, {"sold": true}]}`,
			"parse-failed", objects + "[1].sold", "parsing Integer expected for input type: PGInteger failed, expected Number, but encountered Boolean",
		},
		{
			"null", "admin", `mutation { insert_album(objects: {title: null}) { affected_rows } }`, ``,
			"validation-failed", objects + "[0].title", "unexpected null value for type 'String'",
		},
		{
			"unset variable", "admin", `mutation ($t: String) { insert_album(objects: {title: $t}) { affected_rows } }`, ``,
			"validation-failed", objects + "[0].title", "unexpected null value for type 'String'",
		},
		{
			"variable of another type", "admin", `mutation ($t: Int) { insert_album(objects: {title: $t}) { affected_rows } }`, `{"t": 1}`,
			"validation-failed", objects + "[0].title", "variable 't' is declared as 'Int', but used where 'String' is expected",
		},
		{
			"variable of another type in a list", "admin", `mutation ($t: Int!) { insert_album(objects: {tags: ["x", $t]}) { affected_rows } }`, `{"t": 1}`,
			"validation-failed", objects + "[0].tags[1]", "variable 't' is declared as 'Int!', but used where 'String!' is expected",
		},
		{
			"key that is no name", "admin", `mutation ($r: [album_insert_input!]!) { insert_album(objects: $r) { affected_rows } }`, `{"r": [{"a-b": 1}]}`,
			"validation-failed", objects + "[0]", `variable value contains object with key "a-b", which is not a legal GraphQL name`,
		},
		{
			"rows that aren't objects", "admin", `mutation { insert_album(objects: [1]) { affected_rows } }`, ``,
			"validation-failed", objects + "[0]", "expected an object for type 'album_insert_input', but found an integer",
		},
		{
			"null rows", "admin", `mutation { insert_album(objects: null) { affected_rows } }`, ``,
			"validation-failed", objects, "expected a list, but found null",
		},
		{
			"null row", "admin", `mutation { insert_album_one(object: null) { id } }`, ``,
			"validation-failed", "$.selectionSet.insert_album_one.args.object", "expected an object for type 'album_insert_input', but found null",
		},
		{
			"no rows", "admin", `mutation { insert_album { affected_rows } }`, ``,
			"validation-failed", objects, "missing required field 'objects'",
		},
		{
			"enum as a string", "admin", `mutation { insert_album(objects: {mood: "calm"}) { affected_rows } }`, ``,
			"validation-failed", objects + "[0].mood", "expected an enum value for type 'mood_enum', but found a string",
		},
		{
			"unknown value of an enum", "admin", `mutation { insert_album(objects: {mood: odd}) { affected_rows } }`, ``,
			"validation-failed", objects + "[0].mood", "expected one of the values ['calm', 'wild'] for type 'mood_enum', but found 'odd'",
		},

		// Upserts.
		{
			"unknown constraint", "admin", `mutation { insert_artist(objects: {}, on_conflict: {constraint: nope}) { affected_rows } }`, ``,
			"validation-failed", "$.selectionSet.insert_artist.args.on_conflict.constraint",
			"expected one of the values ['artist_pkey', 'artist_name_key'] for type 'artist_constraint', but found 'nope'",
		},
		{
			"no constraint", "admin", `mutation { insert_artist(objects: {}, on_conflict: {update_columns: []}) { affected_rows } }`, ``,
			"validation-failed", "$.selectionSet.insert_artist.args.on_conflict.constraint", "missing required field 'constraint'",
		},
		{
			"no unique constraint", "admin", `mutation { insert_key_less(objects: {}, on_conflict: {}) { affected_rows } }`, ``,
			"validation-failed", "$.selectionSet.insert_key_less", "'insert_key_less' has no argument named 'on_conflict'",
		},
		{
			"same row twice", "admin", `mutation { insert_artist(objects: [{name: "Eve"}, {name: "Eve"}], on_conflict: {constraint: artist_name_key, update_columns: [name]}) { affected_rows } }`, ``,
			"unexpected", "$.selectionSet.insert_artist.args.objects", "database query error",
		},

		// Related rows.
		{
			"no data", "admin", `mutation { insert_album(objects: {artist: {}}) { affected_rows } }`, ``,
			"validation-failed", objects + "[0].artist.data", "missing required field 'data'",
		},
		{
			"unknown key of a relationship", "admin", `mutation { insert_album(objects: {artist: {dat: {}}}) { affected_rows } }`, ``,
			"validation-failed", objects + "[0].artist.dat", "field 'dat' not found in type: 'artist_obj_rel_insert_input'",
		},
		{
			"relationship that isn't an object", "admin", `mutation { insert_album(objects: {artist: [1]}) { affected_rows } }`, ``,
			"validation-failed", objects + "[0].artist", "expected an object for type 'artist_obj_rel_insert_input', but found a list",
		},
		{
			"null data", "admin", `mutation { insert_album(objects: {tracks: {data: null}}) { affected_rows } }`, ``,
			"validation-failed", objects + "[0].tracks.data", "expected a list, but found null",
		},
		{
			"column that the parent determines", "admin", `mutation { insert_album(objects: [{title: "x"}, {title: "y", tracks: {data: [{title: "a"}, {title: "b", album_id: 1}]}}]) { affected_rows } }`, ``,
			"validation-failed", objects + "[1].tracks.data[1]", `cannot insert "album_id" columns as their values are already being determined by parent insert`,
		},
		{
			"column that a relationship determines", "admin", `mutation ($r: [album_insert_input!]!) { insert_album(objects: $r) { affected_rows } }`,
			`{"r": [{"title": "x", "artist_id": 1, "artist": {"data": {"name": "Eve"}}}]}`,
			"validation-failed", objects + "[0].artist", `cannot insert object relationship "artist" as "artist_id" column values are already determined`,
		},
		{
			"relationship that the parent determines", "admin", `mutation { insert_artist_one(object: {name: "Eve", albums: {data: [{title: "x", artist: {data: {name: "Ada"}}}]}}) { id } }`, ``,
			"validation-failed", "$.selectionSet.insert_artist_one.args.object[0].albums.data[0].artist", `cannot insert object relationship "artist" as "artist_id" column values are already determined`,
		},
		{
			"column of one row that the parent determines", "admin", `mutation { insert_album(objects: [{title: "x", review: {data: {text: "y", album_title: "z"}}}]) { affected_rows } }`, ``,
			"validation-failed", objects + "[0].review.data[0]", `cannot insert "album_title" columns as their values are already being determined by parent insert`,
		},
		{
			"column of one row that the one parent determines", "admin",
			`mutation ($r: album_insert_input!) { insert_album_one(object: $r) { id } }`, `{"r": {"title": "x", "review": {"data": {"text": "y", "album_title": "z"}}}}`,
			"validation-failed", "$.selectionSet.insert_album_one.args.object[0].review.data[0]", `cannot insert "album_title" columns as their values are already being determined by parent insert`,
		},
		{
			"wrong value in one row", "admin", `mutation { insert_album_one(object: {title: "x", review: {data: {text: 5}}}) { id } }`, ``,
			"parse-failed", "$.selectionSet.insert_album_one.args.object.review.data.text", "parsing Text failed, expected String, but encountered Number",
		},
		{
			"one row without what it needs", "admin", `mutation { insert_album_one(object: {title: "x", artist: {data: {name: "Kim"}, on_conflict: {constraint: artist_name_key}}}) { id } }`, ``,
			"not-supported", "$.selectionSet.insert_album_one.args.object[0].artist", `cannot proceed to insert object relation "artist" since insert to table "artist" affects zero rows`,
		},

		// Updates and deletions.
		{
			"columns twice", "admin", `mutation { update_album(where: {}, _set: {sold: 1, price: 2}, _inc: {price: 1, sold: 1}) { affected_rows } }`, ``,
			"validation-failed", "$.selectionSet.update_album.args", "Column found in multiple operators: ['price', 'sold'].",
		},
		{
			"columns twice in one of many", "admin", `mutation { update_album_many(updates: [{where: {}}, {where: {}, _set: {sold: 1}, _inc: {sold: 1}}]) { affected_rows } }`, ``,
			"validation-failed", "$.selectionSet.update_album_many.args.updates[1]", "Column found in multiple operators: ['sold'].",
		},
		{
			"no condition", "admin", `mutation { update_album(_set: {sold: 1}) { affected_rows } }`, ``,
			"validation-failed", "$.selectionSet.update_album.args.where", "missing required field 'where'",
		},
		{
			"null condition", "admin", `mutation { delete_album(where: null) { affected_rows } }`, ``,
			"validation-failed", "$.selectionSet.delete_album.args.where", "expected an object for type 'album_bool_exp', but found null",
		},
		{
			"no key", "admin", `mutation { update_album_by_pk(pk_columns: {}, _set: {sold: 1}) { id } }`, ``,
			"validation-failed", "$.selectionSet.update_album_by_pk.args.pk_columns.id", "missing required field 'id'",
		},
		{
			"null of a column without", "admin", `mutation { update_album(where: {}, _set: {title: null}) { affected_rows } }`, ``,
			"validation-failed", "$.selectionSet.update_album.args._set.title", "unexpected null value for type 'String'",
		},
		{
			"wrong key of JSON", "admin", `mutation { update_album(where: {}, _delete_at_path: {meta: [1]}) { affected_rows } }`, ``,
			"parse-failed", "$.selectionSet.update_album.args._delete_at_path.meta[0]", "parsing Text failed, expected String, but encountered Number",
		},
		{
			"operator that no column has", "admin", `mutation { update_artist(where: {}, _append: {name: "x"}) { affected_rows } }`, ``,
			"validation-failed", "$.selectionSet.update_artist", "'update_artist' has no argument named '_append'",
		},

		// What the database refuses.
		{
			"foreign key", "admin", `mutation { delete_artist(where: {id: {_eq: 1}}) { affected_rows } }`, ``,
			"constraint-violation", "$", `Foreign key violation. update or delete on table "artist" violates foreign key constraint "album_artist_id_fkey" on table "album"`,
		},
		{
			"not null", "admin", `mutation { x: insert_artist(objects: {manager_id: 1}) { affected_rows } }`, ``,
			"constraint-violation", "$.selectionSet.insert_artist.args.objects", `Not-NULL violation. null value in column "name" of relation "artist" violates not-null constraint`,
		},
		{
			"check constraint", "admin", `mutation { update_album(where: {id: {_eq: 1}}, _set: {price: -1}) { affected_rows } }`, ``,
			"permission-error", "$", `Check constraint violation. new row for relation "album" violates check constraint "album_price_check"`,
		},
		{
			"value that doesn't fit", "admin", `mutation { insert_album_one(object: {title: "x", price: 12345678}) { id } }`, ``,
			"data-exception", "$.selectionSet.insert_album_one.args.object", "numeric field overflow",
		},
		{
			"index out of an array", "admin", `mutation { update_album(where: {id: {_eq: 1}}, _delete_elem: {meta: 0}) { affected_rows } }`, ``,
			"data-exception", "$", "cannot delete from object using integer index",
		},

		// Selections.
		{
			"no selection", "admin", `mutation { delete_album(where: {}) }`, ``,
			"validation-failed", "$.selectionSet.delete_album.selectionSet", "missing selection set for 'album_mutation_response'",
		},
		{
			"selection of a number", "admin", `mutation { delete_album(where: {}) { affected_rows { x } } }`, ``,
			"validation-failed", "$.selectionSet.delete_album.selectionSet.affected_rows", "unexpected subselection set for non-object field",
		},
		{
			"argument of returning", "admin", `mutation { delete_album(where: {}) { returning(limit: 1) { id } } }`, ``,
			"validation-failed", "$.selectionSet.delete_album.selectionSet.returning", "'returning' has no argument named 'limit'",
		},
		{
			"directive", "admin", `mutation @cached { delete_album(where: {}) { affected_rows } }`, ``,
			"validation-failed", "$", "directive 'cached' is not allowed on a mutation",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			want, err := json.Marshal(map[string]string{"code": c.code, "path": c.path, "error": c.message})
			require.NoError(t, err)
			q := &request{
				session: &session.Session{Role: c.role, Variables: map[string]string{session.RoleHeader: c.role}},
				text:    c.query, variables: []byte(c.variables),
			}
			require.JSONEq(t, string(want), string(answer(t, e, q)))
			require.JSONEq(t, string(want), string(answer(t, e, q)))
		})
	}
	state := runSQL(t, e, string(readFile(t, feature+"/state.sql")))
	require.Equal(t, "[]", state.Rows[1][0])
}
