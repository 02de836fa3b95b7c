package dataop_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/session"
	"queryengine/services/query-executor/internal/plan/validate"
)

// TestJSONAsText: a column of json has what was written, byte for byte, and is read as what it has; jsonb has the text of the
// database. In neither of them the null of JSON is NULL.
func TestJSONAsText(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for id, c := range []struct{ doc, parsed any }{
		{"null", "null"},
		{nil, nil},
		{" {\"b\": 1.10,\n\t\"a\" :  [ ],\r\n\"a\":9007199254740993} ", `{"a": 9007199254740993, "b": 1.10}`},
		{`"text"`, `"text"`},
		{`"null"`, `"null"`},
		{` 1.500`, `1.500`},
		{`"\u00e4 < "`, `"ä < "`},
	} {
		values, err := json.Marshal(map[string]any{"id": id, "doc": c.doc, "parsed": c.parsed})
		require.NoError(t, err)
		want, err := json.Marshal(map[string]any{"doc": c.doc, "parsed": c.parsed})
		require.NoError(t, err)
		args := `{"table":"paper","json_as_text":true,"objects":[` + string(values) + `],"returning":["doc","parsed"]}`
		got, err := s.run(t, admin, op("insert", args))
		require.NoError(t, err, args)
		require.JSONEq(t, `{"affected_rows":1,"returning":[`+string(want)+`]}`, got)

		// Written again by an update, and read by a select.
		set, err := json.Marshal(map[string]any{"doc": c.doc, "parsed": c.parsed})
		require.NoError(t, err)
		id, err := json.Marshal(id)
		require.NoError(t, err)
		_, err = s.run(t, admin, op("update", `{"table":"paper","where":{"id":`+string(id)+`},"$set":{"doc":"[1]","parsed":null},"json_as_text":true}`))
		require.NoError(t, err)
		_, err = s.run(t, admin, op("update", `{"table":"paper","where":{"id":`+string(id)+`},"$set":`+string(set)+`,"json_as_text":true}`))
		require.NoError(t, err)
		got, err = s.run(t, admin, op("select", `{"table":"paper","columns":["doc","parsed"],"where":{"id":`+string(id)+`},"json_as_text":true}`))
		require.NoError(t, err)
		require.JSONEq(t, `[`+string(want)+`]`, got)

		// The database has it so, too.
		doc, ok := c.doc.(string)
		row, err := s.source.RunSQL(t.Context(), backend.RawSQL{SQL: "SELECT doc::text FROM paper WHERE id = " + string(id)})
		require.NoError(t, err)
		require.NotNil(t, row)
		if ok {
			answer, err := json.Marshal(row)
			require.NoError(t, err)
			quoted, err := json.Marshal(doc)
			require.NoError(t, err)
			require.Contains(t, string(answer), string(quoted))
		}
	}
	// Arrays of it, and requests without it, are as ever.
	got, err := s.run(t, admin, op("insert", `{"table":"paper","json_as_text":true,"objects":[{"id":90,"list":[{"a":1}]}],"returning":["list"]}`))
	require.NoError(t, err)
	require.JSONEq(t, `{"affected_rows":1,"returning":[{"list":[{"a":1}]}]}`, got)
	got, err = s.run(t, admin, op("insert", `{"table":"paper","objects":[{"id":91,"doc":"{}"}],"returning":["doc"],"json_as_text":false}`))
	require.NoError(t, err)
	require.JSONEq(t, `{"affected_rows":1,"returning":[{"doc":"{}"}]}`, got)

	for args, want := range map[string][2]string{
		`{"table":"paper","json_as_text":true,"objects":[{"id":92,"doc":{}}]}`:   {"$.args.objects[0].doc", "parsing Text failed, expected String, but encountered Object"},
		`{"table":"paper","json_as_text":true,"objects":[{"id":92,"doc":"{"}]}`:  {"$.args.objects[0].doc", "invalid JSON: the text holds none, and json_as_text is given"},
		`{"table":"paper","json_as_text":"yes","objects":[{"id":92,"doc":"1"}]}`: {"$.json_as_text", "parsing Bool failed, expected Boolean, but encountered String"},
	} {
		_, err := s.run(t, admin, op("insert", args))
		requireError(t, err, "parse-failed", want[0], want[1], args)
	}
}

// TestWebhooksSeeJSONOfTexts: what checks an input sees JSON, however it is spelt.
func TestWebhooksSeeJSONOfTexts(t *testing.T) {
	t.Parallel()
	s := setup(t)
	var seen string
	s.handler.Validate = func(_ context.Context, _ *session.Session, _ map[string]string, in validate.Input) error {
		data, err := json.Marshal(in.Data)
		require.NoError(t, err)
		seen = string(data)
		return apierror.New(apierror.ValidationFailed, "no")
	}
	_, err := s.run(t, as("asked"), op("insert", `{"table":"paper","json_as_text":true,"objects":[{"id":1,"doc":"{\"a\": null}","parsed":"null"}]}`))
	require.Error(t, err)
	require.JSONEq(t, `[{"id":1,"doc":{"a":null},"parsed":null}]`, seen)
}
