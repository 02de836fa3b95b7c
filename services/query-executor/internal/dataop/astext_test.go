package dataop_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/session"
)

// TestValuesAsText: the text of a value is that of the database, which reads the value of it again, and a condition on it finds what has
// no equality.
func TestValuesAsText(t *testing.T) {
	t.Parallel()
	s := setup(t)
	nests := `{"(\"(1,\"\"a \"\"\"\"b\"\"\"\"\"\")\",null)",NULL}`
	for _, c := range []struct {
		who        *session.Session
		args, want string
	}{
		{admin, `{"table":"thing","columns":["id",{"name":"nests","as_text":true},{"name":"bounds","as_text":true},{"name":"bounds","alias":"b"}],"where":{"id":1}}`, `[{"id":1,"nests":` + quoted(t, nests) + `,"bounds":"[0:1]={7,8}","b":[7,8]}]`},
		{clerk, `{"table":"thing","columns":[{"name":"spot","alias":"at","as_text":true}],"where":{"spot":{"_cast":{"text":{"_in":["(1,2)","(9,9)"]}}}}}`, `[{"at":"(1,2)"}]`},
		{admin, `{"table":"thing","columns":["id"],"where":{"nests":{"$cast":{"text":{"$eq":` + quoted(t, nests) + `}}}}}`, `[{"id":1}]`},
		{admin, `{"table":"thing","columns":["id"],"where":{"doc":{"_cast":{"text":{"_eq":"null"}}}}}`, `[{"id":1}]`},
		{admin, `{"table":"thing","columns":["id"],"where":{"doc":{"_is_null":true}}}`, `[{"id":2}]`},
		{admin, `{"table":"thing","columns":["id"],"where":{"doc":{"_is_null":false,"_cast":{"text":{"_neq":"null"}}}}}`, `[]`},
		{admin, `{"table":"thing","columns":["id"],"where":{"bounds":"[0:1]={7,8}"}}`, `[{"id":1}]`},
		// A domain over an enum is compared as the enum.
		{admin, `{"table":"thing","columns":["id"],"where":{"feels":"sad"}}`, `[{"id":2}]`},
		{admin, `{"table":"thing","columns":["id"],"where":{"feels":{"_in":["ok"]},"thought":{"_eq":"ok"}}}`, `[{"id":1}]`},
	} {
		got, err := s.run(t, c.who, op("select", c.args))
		require.NoError(t, err, c.args)
		require.JSONEq(t, c.want, got, c.args)
	}
	_, err := s.run(t, admin, op("update", `{"table":"thing","where":{"id":2},"$set":{"nests":`+quoted(t, nests)+`}}`))
	require.NoError(t, err)
	got, err := s.run(t, admin, op("count", `{"table":"thing","where":{"nests":{"_cast":{"text":{"_eq":`+quoted(t, nests)+`}}}}}`))
	require.NoError(t, err)
	require.JSONEq(t, `{"count":2}`, got)

	for args, want := range map[string][3]string{
		`{"table":"thing","columns":[{"name":"spot","as_text":1}]}`:                                           {"parse-failed", "$.columns[0].as_text", "parsing Bool failed, expected Boolean, but encountered Number"},
		`{"table":"track","columns":[{"name":"album","columns":["id"],"as_text":true}]}`:                      {"unexpected-payload", "$.args.columns[0].as_text", "only values of columns can be texts"},
		`{"table":"thing","columns":["id"],"where":{"doc":{"_eq":1}}}`:                                        {"unexpected-payload", "$.args.where.doc", "JSON column can not be part of boolean expression"},
		`{"table":"thing","columns":["id"],"where":{"spot":{"_cast":{"jsonb":{}}}}}`:                          {"unexpected-payload", "$.args.where.spot._cast", `cannot cast column of type "point" to type "jsonb"`},
		`{"table":"thing","columns":["id"],"where":{"doc":{"_cast":{"text":{"_eq":"null"}},"_in":["null"]}}}`: {"unexpected-payload", "$.args.where.doc", "JSON column can not be part of boolean expression"},
	} {
		_, err := s.run(t, admin, op("select", args))
		requireError(t, err, want[0], want[1], want[2], args)
	}
	_, err = s.run(t, clerk, op("select", `{"table":"thing","columns":[{"name":"doc","as_text":true}]}`))
	requireError(t, err, "permission-denied", "$.args.columns[0]", `role "clerk" does not have permission to select column "doc"`, "")
}

func quoted(t *testing.T, text string) string {
	t.Helper()
	out, err := json.Marshal(text)
	require.NoError(t, err)
	return string(out)
}
