package queryexecutor

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/sqlite"
	"queryengine/pkg/dbtest"
	"queryengine/pkg/session"
)

// writtenAs runs a mutation as a role.
func writtenAs(t *testing.T, e *Executor, role, mutation string) string {
	t.Helper()
	return string(answer(t, e, &request{session: &session.Session{Role: role, Variables: map[string]string{session.RoleHeader: role}}, text: mutation}))
}

// TestComputedFieldsOfWrittenRows holds that computed fields which read the written table see it as it was written, whatever is selected
// next to them.
func TestComputedFieldsOfWrittenRows(t *testing.T) {
	t.Parallel()
	for _, more := range []string{``, ` id`, ` above { id }`, ` below_aggregate { aggregate { count } }`, ` doubled`} {
		e := newFixture(t, "testdata/written", Config{})
		for _, c := range []struct{ mutation, want string }{
			{`insert_job(objects: [{id: 1, status: "active"}, {id: 2, status: "idle", n: 2}]) { affected_rows returning { active total%s } }`, `"active":1,"total":3`},
			{`insert_job_one(object: {id: 3, status: "active", n: 100}) { active total%s }`, `"active":2,"total":103`},
			{`insert_job(objects: [{id: 3, status: "active", n: 5}], on_conflict: {constraint: job_pkey, update_columns: [n]}) { returning { active total%s } }`, `"active":2,"total":8`},
			{`update_job(where: {id: {_eq: 1}}, _set: {n: 10}) { returning { active total%s } }`, `"active":2,"total":17`},
			{`update_job_by_pk(pk_columns: {id: 2}, _set: {status: "active"}) { active total%s }`, `"active":3,"total":17`},
			{`update_job_many(updates: [{where: {id: {_eq: 1}}, _inc: {n: 1}}, {where: {id: {_eq: 2}}, _inc: {n: 1}}]) { returning { active total%s } }`, `"active":3,"total":19`},
			{`delete_job_by_pk(id: 3) { active total%s }`, `"active":2,"total":14`},
			{`delete_job(where: {id: {_eq: 2}}) { returning { active total%s } }`, `"active":1,"total":11`},
		} {
			mutation := fmt.Sprintf(`mutation { `+c.mutation+` }`, more)
			require.Contains(t, writtenAs(t, e, "admin", mutation), c.want, mutation)
		}
	}
}

// TestChecksOfWrittenRows holds that checks which read the written table see it as it was written, on every way to write.
func TestChecksOfWrittenRows(t *testing.T) {
	t.Parallel()
	const refused = `check constraint of an insert/update permission has failed`
	ways := []struct{ setUp, allowed, refused string }{
		{ // insert
			``,
			`insert_job(objects: [{id: 1, status: "active"}, {id: 2, status: "idle"}]) { affected_rows }`,
			`insert_job(objects: [{id: 1, status: "active"}, {id: 2, status: "active"}]) { affected_rows }`,
		},
		{
			``,
			`insert_job_one(object: {id: 1, status: "active"}) { id }`,
			`insert_job_one(object: {id: 1, status: "active", below: {data: [{id: 2, status: "active"}]}}) { id }`,
		},
		{
			`{id: 1, status: "active"}`,
			`insert_job_one(object: {id: 2, status: "idle"}) { active }`,
			`insert_job_one(object: {id: 2, status: "active"}) { active }`,
		},
		{ // upsert, of new rows and of others
			`{id: 1, status: "active"}, {id: 2, status: "idle"}`,
			`insert_job(objects: [{id: 2, status: "idle"}, {id: 3, status: "idle"}], on_conflict: {constraint: job_pkey, update_columns: [status]}) { affected_rows }`,
			`insert_job(objects: [{id: 2, status: "active"}], on_conflict: {constraint: job_pkey, update_columns: [status]}) { affected_rows }`,
		},
		{
			`{id: 1, status: "active"}, {id: 2, status: "idle"}`,
			`insert_job(objects: [{id: 1, status: "idle"}], on_conflict: {constraint: job_pkey, update_columns: [status]}) { returning { id } }`,
			`insert_job(objects: [{id: 3, status: "active"}], on_conflict: {constraint: job_pkey, update_columns: [status]}) { returning { id } }`,
		},
		{ // update
			`{id: 1, status: "active"}, {id: 2, status: "idle"}, {id: 3, status: "idle"}`,
			`update_job(where: {id: {_in: [2, 3]}}, _set: {n: 7}) { affected_rows }`,
			`update_job(where: {id: {_in: [2, 3]}}, _set: {status: "active"}) { affected_rows }`,
		},
		{
			`{id: 1, status: "active"}, {id: 2, status: "idle"}`,
			`update_job_by_pk(pk_columns: {id: 1}, _set: {status: "idle"}) { id }`,
			`update_job_by_pk(pk_columns: {id: 2}, _set: {status: "active"}) { id active }`,
		},
		{
			`{id: 1, status: "active"}, {id: 2, status: "idle"}`,
			`update_job_many(updates: [{where: {id: {_eq: 1}}, _set: {status: "idle"}}, {where: {id: {_eq: 2}}, _set: {status: "active"}}]) { affected_rows }`,
			`update_job_many(updates: [{where: {id: {_eq: 2}}, _set: {status: "active"}}, {where: {id: {_eq: 1}}, _set: {status: "idle"}}]) { affected_rows }`,
		},
	}
	for name, check := range map[string]string{
		"computed field":   `{"active": {"_lte": 1}}`,
		"other rows":       `{"_not": {"_exists": {"_table": "job", "_where": {"_and": [{"status": {"_eq": "active"}}, {"id": {"_gt": 1}}, {"active": {"_gt": 1}}]}}}}`,
		"a view":           `{"_not": {"_exists": {"_table": "busy", "_where": {"n": {"_gt": 1}}}}}`,
		"a view of SQLite": `{"_not": {"_exists": {"_table": "busy", "_where": {"id": {"_gt": 0}}}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i, way := range ways {
				for _, nulls := range []bool{i%2 == 1} {
					c, fields := Config{NullChecksPass: nulls, ChecksSeeWrites: name != "computed field"}, `["active"]`
					var e *Executor
					if name == "a view of SQLite" {
						e, fields = newSQLiteJobs(t, c), `[]`
						way.allowed, way.refused = strings.ReplaceAll(way.allowed, "{ active }", "{ id }"), strings.ReplaceAll(way.refused, "active }", "id }")
					} else {
						e = newFixture(t, "testdata/written", c)
					}
					permit(t, e, "default", "job", fmt.Sprintf(`{
						"select_permissions":[{"role":"user","permission":{"columns":"*","filter":{},"computed_fields":%[2]s}}],
						"insert_permissions":[{"role":"user","permission":{"columns":"*","check":%[1]s}}],
						"update_permissions":[{"role":"user","permission":{"columns":"*","filter":{},"check":%[1]s}}]}`, check, fields))
					require.Empty(t, e.state.Load().schema.Inconsistencies())
					rows := func() string { return writtenAs(t, e, "admin", `{ job(order_by: {id: asc}) { id status n } }`) }
					if way.setUp != "" {
						writtenAs(t, e, "admin", `mutation { insert_job(objects: [`+way.setUp+`]) { affected_rows } }`)
					}
					before := rows()
					require.Contains(t, writtenAs(t, e, "user", `mutation { `+way.refused+` }`), refused, way.refused)
					require.Equal(t, before, rows())
					require.Contains(t, writtenAs(t, e, "user", `mutation { `+way.allowed+` }`), `"data"`, way.allowed)
				}
			}
		})
	}
}

// newSQLiteJobs is the table of jobs, with its view, in SQLite.
func newSQLiteJobs(t *testing.T, c Config) *Executor {
	t.Helper()
	feature, path := t.TempDir(), filepath.Join(t.TempDir(), "jobs.db")
	source := sqlite.Open(sqlite.Options{Path: path, Create: true, Readers: 1})
	_, err := source.RunSQL(t.Context(), backend.RawSQL{SQL: `
		CREATE TABLE job (id INTEGER PRIMARY KEY, boss INTEGER REFERENCES job, status TEXT NOT NULL, n INTEGER NOT NULL DEFAULT 1);
		CREATE VIEW busy AS SELECT id FROM job WHERE status = 'active' AND (SELECT count(*) FROM job WHERE status = 'active') > 1`})
	source.Close()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(feature, "metadata.json"), []byte(`{"version": 3, "sources": [{"name": "default", "kind": "sqlite",
		"configuration": {"connection_info": {"database_url": {"from_env": "JOBS"}}}, "tables": [{"table": "job",
			"object_relationships": [{"name": "above", "using": {"foreign_key_constraint_on": "boss"}}],
			"array_relationships": [{"name": "below", "using": {"foreign_key_constraint_on": {"table": "job", "column": "boss"}}}]}, {"table": "busy"}]}]}`), 0o600))
	url := dbtest.URL(t)
	env := func(name string) (string, bool) {
		switch name {
		case "JOBS":
			return path, true
		case "ENGINE_GRAPHQL_SQLITE_ALLOWED_PATH_PREFIX":
			return filepath.Dir(path), true
		}
		return url, true
	}
	return newFixtureIn(t, env, feature, c, nil)
}

// TestReturningOfHiddenRows holds that rows which the role may not select are counted, and shown unless the setting leaves them out.
func TestReturningOfHiddenRows(t *testing.T) {
	t.Parallel()
	for _, filter := range []bool{false, true} {
		e := newFixture(t, "testdata/written", Config{FilterReturning: filter})
		permit(t, e, "default", "job", `{
			"select_permissions":[{"role":"user","permission":{"columns":"*","filter":{"status":{"_eq":"active"}}}}],
			"insert_permissions":[{"role":"user","permission":{"columns":"*","check":{}}}],
			"update_permissions":[{"role":"user","permission":{"columns":"*","filter":{}}}],
			"delete_permissions":[{"role":"user","permission":{"filter":{}}}]}`)
		for _, c := range []struct{ mutation, all, visible string }{
			{
				`insert_job(objects: [{id: 1, status: "active"}, {id: 2, status: "idle"}]) { affected_rows returning { id } }`,
				`{"insert_job":{"affected_rows":2,"returning":[{"id":1},{"id":2}]}}`, `{"insert_job":{"affected_rows":2,"returning":[{"id":1}]}}`,
			},
			{`insert_job_one(object: {id: 3, status: "idle"}) { id }`, `{"insert_job_one":{"id":3}}`, `{"insert_job_one":null}`},
			{`insert_job_one(object: {id: 4, status: "active"}) { id }`, `{"insert_job_one":{"id":4}}`, `{"insert_job_one":{"id":4}}`},
			{
				`insert_job(objects: [{id: 5, status: "idle", below: {data: {id: 6, status: "active"}}}]) { affected_rows returning { id } }`,
				`{"insert_job":{"affected_rows":2,"returning":[{"id":5}]}}`, `{"insert_job":{"affected_rows":2,"returning":[]}}`,
			},
			{
				`update_job(where: {id: {_lte: 2}}, _set: {n: 2}) { affected_rows returning { id } }`,
				`{"update_job":{"affected_rows":2,"returning":[{"id":1},{"id":2}]}}`, `{"update_job":{"affected_rows":2,"returning":[{"id":1}]}}`,
			},
			{`update_job_by_pk(pk_columns: {id: 4}, _set: {status: "idle"}) { id }`, `{"update_job_by_pk":{"id":4}}`, `{"update_job_by_pk":null}`},
			{`delete_job_by_pk(id: 3) { id }`, `{"delete_job_by_pk":{"id":3}}`, `{"delete_job_by_pk":null}`},
			{
				`delete_job(where: {id: {_lte: 2}}) { returning { id } }`,
				`{"delete_job":{"returning":[{"id":1},{"id":2}]}}`, `{"delete_job":{"returning":[{"id":1}]}}`,
			},
		} {
			want := c.all
			if filter {
				want = c.visible
			}
			require.JSONEq(t, `{"data":`+want+`}`, writtenAs(t, e, "user", `mutation { `+c.mutation+` }`), c.mutation)
		}
	}
}
