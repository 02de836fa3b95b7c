package request_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/services/gateway/internal/request"
)

func TestSingle(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body string
		want request.GraphQL
	}{
		"query only":      {`{"query":"{ a }"}`, request.GraphQL{Query: "{ a }"}},
		"nulls":           {`{"query":"{ a }","operationName":null,"variables":null}`, request.GraphQL{Query: "{ a }"}},
		"everything":      {`{"variables":{"x": 1},"operationName":"Q","query":"query Q\n{ a }"}`, request.GraphQL{Query: "query Q\n{ a }", OperationName: "Q", Variables: []byte(`{"x": 1}`)}},
		"unknown keys":    {`{"query":"{ a }","extensions":{"tracing":true},"id":7}`, request.GraphQL{Query: "{ a }"}},
		"the last counts": {`{"query":"{ a }","query":"{ b }"}`, request.GraphQL{Query: "{ b }"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, err := request.ReadBody([]byte(c.body))
			require.NoError(t, err)
			require.False(t, b.IsBatch())
			got, err := b.Single()
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

func TestSingleErrors(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]apierror.Error{
		`{`:                                 {Code: "invalid-json", Path: "$", Message: "Error in $: not enough input at byte 1"},
		`"x"`:                               {Code: "parse-failed", Path: "$", Message: "parsing GraphQL request failed, expected Object, but encountered String"},
		`{}`:                                {Code: "parse-failed", Path: "$", Message: `key "query" not found`},
		`{"query":1}`:                       {Code: "parse-failed", Path: "$.query", Message: "parsing Text failed, expected String, but encountered Number"},
		`{"query":"","operationName":true}`: {Code: "parse-failed", Path: "$.operationName", Message: "parsing Text failed, expected String, but encountered Boolean"},
		`{"query":"","variables":[]}`:       {Code: "parse-failed", Path: "$.variables", Message: "parsing variables failed, expected Object, but encountered Array"},
		`{"documentId":1}`:                  {Code: "parse-failed", Path: "$.documentId", Message: "parsing Text failed, expected String, but encountered Number"},
	} {
		b, err := request.ReadBody([]byte(body))
		if err == nil {
			_, err = b.Single()
		}
		requireError(t, want, err, body)
	}
}

func TestBatch(t *testing.T) {
	t.Parallel()
	b, err := request.ReadBody([]byte(`[{"query":"{ a }"},{"variables":{}},{"query":"{ c }","variables":{}}]`))
	require.NoError(t, err)
	require.True(t, b.IsBatch())
	var queries []string
	require.NoError(t, b.Batch(func(i int, r request.GraphQL, err error) error {
		if i == 1 {
			requireError(t, apierror.Error{Code: "parse-failed", Path: "$", Message: `key "query" not found`}, err)
		} else {
			require.NoError(t, err)
		}
		queries = append(queries, r.Query)
		return nil
	}))
	require.Equal(t, []string{"{ a }", "", "{ c }"}, queries)
}

func TestExplain(t *testing.T) {
	t.Parallel()
	e, err := request.ReadExplain([]byte(`{"query":"{ a }"}`))
	require.NoError(t, err)
	require.Equal(t, "{ a }", e.Query)
	require.Equal(t, "admin", e.User.Role)
	require.Equal(t, map[string]string{"x-engine-role": "admin"}, e.User.Variables)
	require.True(t, e.User.BackendOnly)

	e, err = request.ReadExplain([]byte(`{"query":{"query":"query Q { a }","operationName":"Q"},"is_relay":true,
		"user":{"X-Engine-Role":"clerk","X-Engine-User-Id":"7","other":"x"}}`))
	require.NoError(t, err)
	require.Equal(t, "Q", e.OperationName)
	require.True(t, e.Relay)
	require.Equal(t, "clerk", e.User.Role)
	require.Equal(t, map[string]string{"x-engine-role": "clerk", "x-engine-user-id": "7"}, e.User.Variables)

	for body, want := range map[string]apierror.Error{
		`[]`:                            {Code: "parse-failed", Path: "$", Message: "parsing explain request failed, expected Object, but encountered Array"},
		`{}`:                            {Code: "parse-failed", Path: "$", Message: `key "query" not found`},
		`{"query":{}}`:                  {Code: "parse-failed", Path: "$.query", Message: `key "query" not found`},
		`{"query":"","user":{"x":1}}`:   {Code: "parse-failed", Path: "$.user.x", Message: "parsing Text failed, expected String, but encountered Number"},
		`{"query":"","user":7}`:         {Code: "parse-failed", Path: "$.user", Message: "parsing HashMap failed, expected Object, but encountered Number"},
		`{"query":"","is_relay":"yes"}`: {Code: "parse-failed", Path: "$.is_relay", Message: "parsing Bool failed, expected Boolean, but encountered String"},
	} {
		_, err := request.ReadExplain([]byte(body))
		requireError(t, want, err, body)
	}
}

func TestOperationType(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"type":"insert","args":{"type":"x"}}`: "insert", `{"args":{}}`: "", `{"type":1}`: "", `[]`: "",
	} {
		got, err := request.OperationType([]byte(body))
		require.NoError(t, err)
		require.Equal(t, want, got, body)
	}
	_, err := request.OperationType([]byte(`{"type":`))
	requireError(t, apierror.Error{Code: "invalid-json", Path: "$", Message: "Error in $: not enough input at byte 8"}, err)
}

func requireError(t *testing.T, want apierror.Error, err error, hint ...any) {
	t.Helper()
	var got *apierror.Error
	require.ErrorAs(t, err, &got, hint...)
	require.Equal(t, want.Code, got.Code, hint...)
	require.Equal(t, want.Path, got.Path, hint...)
	require.Equal(t, want.Message, got.Message, hint...)
}
