package queryexecutor

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/session"
)

// An upsert tests rows that it updates with the check of updates, also with one that always holds;
// without one, with the check of inserts.
func TestChecksOfUpserts(t *testing.T) {
	t.Parallel()
	e := newFixture(t, "testdata/cases/mutations", Config{})
	permissions := func(role, check string) (insert, update string) {
		return `{"role":"` + role + `","permission":{"columns":"*","check":{"name":{"_nlike":"bad%"}}}}`,
			`{"role":"` + role + `","permission":{"columns":"*","filter":{},"check":` + check + `}}`
	}
	insertNone, updateNone := permissions("none", `null`)
	insertTrue, updateTrue := permissions("true", `{}`)
	insertOther, updateOther := permissions("other", `{"name":{"_nlike":"worse%"}}`)
	permit(t, e, "default", "country", `{
		"insert_permissions":[`+insertNone+`,`+insertTrue+`,`+insertOther+`],
		"update_permissions":[`+updateNone+`,`+updateTrue+`,`+updateOther+`]}`)
	const refused = `{"code":"permission-error","error":"check constraint of an insert/update permission has failed","path":"$.selectionSet.insert_country.args.objects"}`
	const written = `{"data":{"insert_country":{"affected_rows":1}}}`
	upsert := func(role, code, name string) string {
		return string(answer(t, e, &request{
			session: &session.Session{Role: role, Variables: map[string]string{session.RoleHeader: role}},
			text: `mutation { insert_country(objects: {code: "` + code + `", name: "` + name + `"}, on_conflict: {constraint: country_pkey, update_columns: [name]}) {
				affected_rows } }`,
		}))
	}
	for _, tt := range []struct{ role, code, name, want string }{
		{"none", "n1", "fine", written},
		{"none", "n1", "worse 1", written},
		{"none", "n1", "bad 1", refused},
		{"true", "t1", "bad 2", refused},
		{"true", "t1", "good", written},
		{"true", "t1", "bad 3", written},
		{"other", "o1", "bad 4", refused},
		{"other", "o1", "better", written},
		{"other", "o1", "worse 2", refused},
	} {
		require.JSONEq(t, tt.want, upsert(tt.role, tt.code, tt.name), "%s %s %s", tt.role, tt.code, tt.name)
	}
}
