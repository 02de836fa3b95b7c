package queryexecutor

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/session"
)

// TestMutationErrors holds the texts, codes and paths of what is only found when a mutation is run. None
// leaves anything behind.
func TestMutationErrors(t *testing.T) {
	t.Parallel()
	const feature = "testdata/cases/mutations"
	e := newFixture(t, feature, Config{})
	restore(t, e, feature)
	for _, c := range []struct {
		name, role, query, variables string
		code, path, message          string
	}{
		// What a role may do.
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

		// Upserts.
		{
			"same row twice", "admin", `mutation { insert_artist(objects: [{name: "Eve"}, {name: "Eve"}], on_conflict: {constraint: artist_name_key, update_columns: [name]}) { affected_rows } }`, ``,
			"unexpected", "$.selectionSet.insert_artist.args.objects", "database query error",
		},

		// Related rows.
		{
			"one row without what it needs", "admin", `mutation { insert_album_one(object: {title: "x", artist: {data: {name: "Kim"}, on_conflict: {constraint: artist_name_key}}}) { id } }`, ``,
			"not-supported", "$.selectionSet.insert_album_one.args.object[0].artist", `cannot proceed to insert object relation "artist" since insert to table "artist" affects zero rows`,
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
