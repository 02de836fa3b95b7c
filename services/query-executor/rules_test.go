package queryexecutor

import (
	"encoding/json"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/oracle"
	"queryengine/pkg/session"
)

// TestRulesOfWrites: some rule has to allow a row, and for each column that is given one that lists it.
func TestRulesOfWrites(t *testing.T) {
	t.Parallel()
	for name, alone := range map[string]bool{"in the statement": false, "in a statement of its own": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newFixture(t, "testdata/cases/mutations", Config{ChecksSeeWrites: alone})
			// With that setting, a check that reads a view is made by a statement of its own.
			check := func(rule string) string {
				return `{"_or":[` + rule + `,{"_exists":{"_table":"cheap_album","_where":{"id":{"_is_null":true}}}}]}`
			}
			permit(t, e, "default", "empty_row", `{
				"select_permissions":[{"role":"ruled","permission":{"columns":"*","filter":{}}}],
				"insert_permissions":[{"role":"ruled","permission":[
					{"name":"low","columns":["id","note"],"check":`+check(`{"id":{"_lt":100}}`)+`},
					{"name":"high","columns":["id"],"check":`+check(`{"id":{"_gt":200}}`)+`}]}],
				"update_permissions":[{"role":"ruled","permission":[
					{"columns":["id","note"],"filter":{"id":{"_lt":100}},"check":`+check(`{"note":{"_nlike":"bad%"}}`)+`},
					{"columns":["id"],"filter":{"id":{"_gt":200}},"check":`+check(`{"id":{"_gt":200}}`)+`}]}],
				"delete_permissions":[{"role":"ruled","permission":[{"filter":{"id":{"_eq":1}}},{"filter":{"note":{"_eq":"gone"}}}]}]}`)
			got, _ := ask(t, e, &request{session: adminSession(), text: `mutation { insert_empty_row(objects: [{id: 150, note: "gone"}, {id: 300, note: "kept"}]) { affected_rows } }`})
			require.JSONEq(t, `{"data":{"insert_empty_row":{"affected_rows":2}}}`, string(got))
			const refused = "check constraint of an insert/update permission has failed"
			for _, c := range []struct{ mutation, want string }{
				{`insert_empty_row(objects: [{id: 1, note: "a"}, {id: 2, note: "b"}])`, "2"},
				{`insert_empty_row(objects: [{id: 201}, {id: 202}])`, "2"},
				{`insert_empty_row(objects: {id: 203, note: "a"})`, refused}, // the rule that allows the row doesn't list the note
				{`insert_empty_row(objects: [{id: 3, note: "a"}, {id: 203}])`, refused},
				{`insert_empty_row(objects: {id: 151})`, refused},
				{`update_empty_row(where: {id: {_in: [1, 201, 150]}}, _set: {note: "new"})`, "1"}, // the note of 1 alone may be set
				{`update_empty_row(where: {id: {_in: [2, 202, 150]}}, _set: {note: "bad"})`, refused},
				{`update_empty_row(where: {id: {_in: [202, 150]}}, _set: {id: 204})`, "1"},
				{`update_empty_row(where: {id: {_eq: 204}}, _set: {id: 204, note: "new"})`, "0"},
				// A row may be found by one rule and pass the check of another, as with policies of PostgreSQL.
				{`update_empty_row(where: {id: {_eq: 204}}, _set: {id: 104})`, "1"},
				{`insert_empty_row(objects: {id: 1, note: "again"}, on_conflict: {constraint: empty_row_pkey, update_columns: [note]})`, "1"},
				{`insert_empty_row(objects: {id: 300}, on_conflict: {constraint: empty_row_pkey, update_columns: [note]})`, "0"},
				{`insert_empty_row(objects: {id: 1, note: "bad"}, on_conflict: {constraint: empty_row_pkey, update_columns: [note]})`, refused},
				{`delete_empty_row(where: {})`, "2"},
			} {
				got, _ := ask(t, e, &request{
					session: &session.Session{Role: "ruled", Variables: map[string]string{session.RoleHeader: "ruled"}},
					text:    `mutation { f: ` + c.mutation + ` { affected_rows } }`,
				})
				var answer struct {
					Data struct {
						F struct {
							Rows *int `json:"affected_rows"`
						}
					}
				}
				if json.Unmarshal(got, &answer) == nil && answer.Data.F.Rows != nil {
					got = strconv.AppendInt(nil, int64(*answer.Data.F.Rows), 10)
				}
				require.Equal(t, c.want, string(got), c.mutation)
			}
		})
	}
}

// TestInheritedRolesAreRules: a role that inherits from others reads what a role does that has their rules, by the same statements.
func TestInheritedRolesAreRules(t *testing.T) {
	t.Parallel()
	db := modelDatabases["PostgreSQL"](t)
	compared := 0
	for i := range modelsOf("PostgreSQL") {
		seed := *firstSeed + uint64(i) //nolint:gosec // G115: not negative
		m := oracle.New(seed, db.dialect)
		e := newModelFixture(t, db, m, seed)
		listed := newModelFixture(t, db, m.Listed(), seed)
		for n := range uint64(queriesPerRole * 4) {
			q := m.Ask("both", n)
			if q == nil {
				continue
			}
			plan := func(e *Executor) (answer, sql []byte) {
				r := &request{session: &session.Session{Role: "both", Variables: m.Session}, text: q.Text, variables: q.Variables}
				answer, _ = ask(t, e, r)
				s := e.borrow()
				defer e.giveBack(s)
				prepared, err := e.prepare(t.Context(), r, s)
				require.NoError(t, err, q.Text)
				sql, err = prepared.plan.Explain(t.Context(), &s.run)
				require.NoError(t, err, q.Text)
				return answer, sql
			}
			answer, sql := plan(e)
			sameAnswer, sameSQL := plan(listed)
			require.Equal(t, string(sql), string(sameSQL), q.Text)
			require.Equal(t, string(answer), string(sameAnswer), q.Text)
			compared++
		}
		e.sources.Close()
		listed.sources.Close()
	}
	t.Logf("%d queries have the same statements", compared)
	require.Positive(t, compared)
}

// TestMasksOfNothing: a mask of NULL is NULL unless it says otherwise, and where there is no row there is no mask either.
func TestMasksOfNothing(t *testing.T) {
	t.Parallel()
	e := newFixture(t, "testdata/cases/mutations", Config{})
	permit(t, e, "default", "artist", `{"select_permissions":[{"role":"seer","permission":{"columns":["id"],"mask":{"country":"redact"},"filter":{}}}]}`)
	permit(t, e, "default", "album", `{"select_permissions":[{"role":"seer","permission":{"columns":["id"],"mask":{"sold":"-abs(artist_id) * 5000000000"},"filter":{}}}]}`)
	got, _ := ask(t, e, &request{session: adminSession(), text: `mutation {
		delete_track(where: {}) { affected_rows } delete_album(where: {}) { affected_rows }
		insert_album(objects: [{id: 9001, title: "by nobody"}, {id: 9002, title: "by Ann", artist: {data: {name: "Ann M."}}}]) { affected_rows } }`})
	require.Contains(t, string(got), `"insert_album":{"affected_rows" : 3}`)
	got, _ = ask(t, e, &request{
		session: &session.Session{Role: "seer", Variables: map[string]string{session.RoleHeader: "seer"}},
		text:    `{ album(order_by: [{artist: {country: desc_nulls_last}}, {id: asc}]) { id sold artist { country } } }`,
	})
	require.JSONEq(t, `{"data":{"album":[{"id":9002,"sold":-2147483648,"artist":{"country":"***"}},{"id":9001,"sold":null,"artist":null}]}}`, string(got))
}
