package dataop_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/services/query-executor/internal/dataop"
)

// TestExplainPermissions: an explanation names the rules that match a row, and what each column shows by them.
func TestExplainPermissions(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for _, c := range []struct{ args, want string }{
		{`{"role":"ruled","session":{"X-Engine-Artist-Id":"1"},"key":{"id":1}}`, `{"found":true,
			"select":{"allowed":true,"rules":[{"role":"ruled","rule":"own","matches":true},{"role":"ruled","rule":"2","matches":true},{"role":"ruled","rule":"dear","matches":false}],
				"columns":[{"name":"id","shows":"value","role":"ruled","rule":"own","value":1},{"name":"title","shows":"value","role":"ruled","rule":"own","value":"Blue"},
					{"name":"price","shows":"null","value":null},{"name":"stock","shows":"mask","role":"ruled","rule":"2","value":0}]},
			"update":{"allowed":true,"rules":[{"role":"ruled","rule":"1","matches":false},{"role":"ruled","rule":"2","matches":true}],
				"columns":[{"name":"title","role":"ruled","rule":"2"}]},
			"delete":{"allowed":false,"reason":"no rule matches the row","rules":[{"role":"ruled","rule":"1","matches":false}]}}`},
		{`{"role":"ruled","session":{"x-engine-artist-id":"1"},"key":{"id":3}}`, `{"found":true,
			"select":{"allowed":true,"rules":[{"role":"ruled","rule":"own","matches":false},{"role":"ruled","rule":"2","matches":true},{"role":"ruled","rule":"dear","matches":false}],
				"columns":[{"name":"id","shows":"value","role":"ruled","rule":"2","value":3},{"name":"title","shows":"mask","role":"ruled","rule":"2","value":"***"},
					{"name":"price","shows":"null","value":null},{"name":"stock","shows":"mask","role":"ruled","rule":"2","value":0}]},
			"update":{"allowed":true,"rules":[{"role":"ruled","rule":"1","matches":true},{"role":"ruled","rule":"2","matches":false}],
				"columns":[{"name":"stock","role":"ruled","rule":"1"}]},
			"delete":{"allowed":true,"rules":[{"role":"ruled","rule":"1","matches":true}]}}`},
		{`{"role":"stranger","key":{"id":1}}`, `{"found":true,"select":{"allowed":false,"reason":"role \"stranger\" has no permission"},
			"update":{"allowed":false,"reason":"role \"stranger\" has no permission"},"delete":{"allowed":false,"reason":"role \"stranger\" has no permission"}}`},
		{`{"role":"ruled","session":{"x-engine-artist-id":"1"},"key":{"id":99}}`, `{"found":false}`},
	} {
		got, err := s.run(t, admin, op(dataop.ExplainPermissions, `{"table":"album",`+c.args[1:]))
		require.NoError(t, err, c.args)
		require.JSONEq(t, c.want, got, c.args)
	}
	for _, c := range []struct{ args, path, text string }{
		{`{"table":"album","role":"admin","key":{"id":1}}`, "$.role", "no rule binds admin"},
		{`{"table":"album","role":"ruled"}`, "$", `key "key" not found`},
		{`{"table":"album","role":"ruled","key":{}}`, "$.args.key", `key "id" not found`},
		{`{"table":"album","role":"ruled","key":{"id":1,"title":"x"}}`, "$.args.key.title", `"title" is no column of the primary key`},
		{`{"table":"album","role":"ruled","session":{"x-engine-artist-id":1},"key":{"id":1}}`, "$.session", "expected an object of texts"},
		{`{"table":"album","role":"ruled","key":{"id":1}}`, "$.args", `"x-engine-artist-id" header is expected but not found`},
		{`{"table":"none","role":"ruled","key":{"id":1}}`, "$.args.table", `table "none" does not exist`},
	} {
		_, err := s.run(t, admin, op(dataop.ExplainPermissions, c.args))
		fault := apierror.From(err)
		require.Contains(t, fault.Message, c.text, c.args)
		require.Equal(t, c.path, fault.Path, c.args)
	}
	_, err := s.run(t, clerk, op(dataop.ExplainPermissions, `{"table":"album","role":"ruled","key":{"id":1}}`))
	require.Equal(t, apierror.AccessDenied, apierror.From(err).Code)
}
