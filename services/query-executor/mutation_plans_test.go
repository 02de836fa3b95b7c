package queryexecutor

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMutationPlansAreKept: a plan of a mutation is used again whatever the values are, and
// however many rows there are.
func TestMutationPlansAreKept(t *testing.T) {
	t.Parallel()
	e := newFixture(t, "testdata/cases/mutations", Config{})
	ask := func(query, variables string) string {
		return string(answer(t, e, &request{session: adminSession(), text: query, variables: []byte(variables)}))
	}
	misses := func() uint64 {
		_, n, _ := e.plans.Stats()
		return n
	}
	restore(t, e, "testdata/cases/mutations")

	const one = `mutation ($n: String!, $m: Int) { insert_artist_one(object: {name: $n, manager_id: $m}) { name manager_id } }`
	const many = `mutation ($r: [artist_insert_input!]!) { insert_artist(objects: $r) { affected_rows returning { name manager_id } } }`
	const change = `mutation ($id: Int!, $set: artist_set_input) { update_artist_by_pk(pk_columns: {id: $id}, _set: $set) { id name } }`
	require.Equal(t, `{"data":{"insert_artist_one":{"name":"Eve","manager_id":1}}}`, ask(one, `{"n": "Eve", "m": 1}`))
	require.Equal(t, `{"data":{"insert_artist":{"affected_rows" : 1, "returning" : [{"name":"Ada","manager_id":2}]}}}`,
		ask(many, `{"r": [{"name": "Ada", "manager_id": 2}]}`))
	require.Equal(t, `{"data":{"update_artist_by_pk":{"id":1,"name":"Kim II"}}}`, ask(change, `{"id": 1, "set": {"name": "Kim II"}}`))
	before := misses()
	require.Equal(t, `{"data":{"insert_artist_one":{"name":"Ina","manager_id":null}}}`, ask(one, `{"n": "Ina"}`))
	require.Equal(t, `{"data":{"insert_artist":{"affected_rows" : 2, "returning" : [{"name":"Una","manager_id":null}, {"name":"Ute","manager_id":3}]}}}`,
		ask(many, `{"r": [{"name": "Una"}, {"manager_id": "3", "name": "Ute"}]}`))
	require.Equal(t, `{"data":{"insert_artist":{"affected_rows":0,"returning":[]}}}`, ask(many, `{"r": []}`))
	require.Equal(t, `{"data":{"update_artist_by_pk":{"id":2,"name":"Lou II"}}}`, ask(change, `{"id": 2, "set": {"name": "Lou II"}}`))
	require.Contains(t, ask(many, `{"r": [{"nome": "x"}]}`), "field 'nome' not found in type: 'artist_insert_input'")
	require.Equal(t, before, misses(), "a plan was made again")

	// A plan grows with the ways in which rows are related, and forgets none of them.
	for round := range 2 {
		before = misses()
		for i, row := range []string{
			`"albums": {"data": [{"title": "A"}]}`,
			`"home": {"data": {"code": "%s", "name": "%s"}}`,
			`"home": {"data": {"code": "de", "name": "%s"}, "on_conflict": {"constraint": "country_pkey", "update_columns": ["name"]}}`,
			`"albums": {"data": [{"title": "A", "tracks": {"data": [{"title": "B"}]}}]}`,
			`"manager_id": 1`,
		} {
			name := fmt.Sprintf("n%d-%d", round, i)
			got := ask(many, `{"r": [{"name": "`+name+`", `+strings.ReplaceAll(row, "%s", name)+`}]}`)
			require.Contains(t, got, `"returning" : [{"name":"`+name+`"`)
		}
	}
	require.Equal(t, before, misses(), "a plan was made again")
}

// TestInsertManyRows: as many rows as one wants, also where they leave out different columns
// and are too many for one statement.
func TestInsertManyRows(t *testing.T) {
	t.Parallel()
	e := newFixture(t, "testdata/cases/mutations", Config{})
	const rows = 30_000
	var even, uneven strings.Builder
	for i := range rows {
		fmt.Fprintf(&even, `,{"title":"T%d","sold":%d,"price":"1.5"}`, i, i)
		if i%2 == 0 {
			fmt.Fprintf(&uneven, `,{"title":"T%d","sold":%d}`, i, i)
		} else {
			fmt.Fprintf(&uneven, `,{"title":"T%d","price":2,"mood":null}`, i)
		}
	}
	for _, list := range []string{even.String(), uneven.String()} {
		restore(t, e, "testdata/cases/mutations")
		got := answer(t, e, &request{
			session: adminSession(), variables: []byte(`{"r":[` + list[1:] + `]}`),
			text: `mutation ($r: [album_insert_input!]!) { insert_album(objects: $r) { affected_rows returning { title } } }`,
		})
		require.True(t, strings.HasPrefix(string(got), `{"data":{"insert_album":{"affected_rows" : 30000, "returning" : [{"title":"T0"}, {"title":"T1"}, `), "%.200s", got)
		require.True(t, strings.HasSuffix(string(got), `, {"title":"T29999"}]}}}`))
		sum := runSQL(t, e, `SELECT count(*), sum(sold), sum(price) FROM album WHERE title LIKE 'T%' AND id = 4 + substr(title, 2)::int`)
		if list == even.String() {
			require.Equal(t, []string{"30000", "449985000", "45000.00"}, sum.Rows[1])
		} else {
			require.Equal(t, []string{"30000", "224985000", "179850.00"}, sum.Rows[1])
		}
	}
}

// TestUnsetVariablesAreLeftOut: columns whose variable has no value get their default, when such
// variables count as not given.
func TestUnsetVariablesAreLeftOut(t *testing.T) {
	t.Parallel()
	e := newFixture(t, "testdata/cases/mutations", Config{DropUnsetVariables: true})
	const query = `mutation ($n: String, $price: numeric, $s: Int) {
		insert_album_one(object: {title: $n, price: $price, tracks: {data: [{title: "x", seconds: $s}]}}) { title price }
	}`
	ask := func(variables string) string {
		return string(answer(t, e, &request{session: adminSession(), text: query, variables: []byte(variables)}))
	}
	require.Equal(t, `{"data":{"insert_album_one":{"title":"A","price":9.99}}}`, ask(`{"n": "A"}`))
	require.Equal(t, `{"data":{"insert_album_one":{"title":"A","price":null}}}`, ask(`{"n": "A", "price": null, "s": 1}`))
	require.Contains(t, ask(`{"price": 1}`), "Not-NULL violation")
}

// TestMutationNames: the names of the other naming convention.
func TestMutationNames(t *testing.T) {
	t.Parallel()
	const feature = "testdata/cases/mutations"
	e := newFixture(t, feature, Config{NamingConvention: true, DefaultNamingConvention: "graphql-default"})
	restore(t, e, feature)
	ask := func(text string) string {
		return string(answer(t, e, &request{session: adminSession(), text: text}))
	}
	require.Equal(t, `{"data":{"insertAlbumOne":{"title":"Gold","artistId":1,"mood":"CALM"}}}`, ask(`mutation {
		insertAlbumOne(object: {title: "Gold", mood: CALM, artist: {data: {id: 1, name: "Kim"}, onConflict: {constraint: artist_pkey, updateColumns: [managerId]}}}) { title artistId mood }
	}`))
	require.Equal(t, `{"data":{"updateAlbumByPk":{"meta":{"a": {}, "label": "x"}},"insertEmptyRow":{"affectedRows" : 1}}}`, ask(`mutation {
		updateAlbumByPk(pkColumns: {id: 1}, _deleteAtPath: {meta: ["a", "b"]}) { meta }
		insertEmptyRow(objects: {}) { affectedRows }
	}`))
	require.JSONEq(t, `{"data":{"a":{"name":"AlbumInsertInput"},"b":{"name":"ArtistObjRelInsertInput"},"c":{"name":"AlbumMutationResponse"},"d":{"name":"AlbumPkColumnsInput"}}}`,
		ask(`{ a: __type(name: "AlbumInsertInput") { name } b: __type(name: "ArtistObjRelInsertInput") { name } c: __type(name: "AlbumMutationResponse") { name } d: __type(name: "AlbumPkColumnsInput") { name } }`))
	require.Contains(t, ask(`mutation { insertAlbum(objects: {title: "x", artist: {data: {name: "x"}, onConflict: {constraint: nope}}}) { affectedRows } }`),
		"$.selectionSet.insertAlbum.args.objects[0].artist.onConflict.constraint")
}
