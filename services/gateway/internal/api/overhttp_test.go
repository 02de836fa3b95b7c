package api_test

import (
	"context"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/apierror"
	"queryengine/pkg/bus"
	queryv1 "queryengine/proto/query/v1"
)

func TestStrictOverHTTP(t *testing.T) {
	t.Parallel()
	w := setup(t, func(w *world) {
		w.settings.StrictOverHTTP = true
		w.bus.answer = func(_ context.Context, _ bus.Endpoint, m proto.Message, sink bus.Sink) error {
			if m.(*queryv1.ExecuteRequest).GetQuery() == "{wrong}" {
				return apierror.New(apierror.ValidationFailed, "no")
			}
			_, err := sink.Write([]byte(`{"data":{}}`))
			return err
		}
	})
	const jsonBody, response = "application/json; charset=utf-8", "application/graphql-response+json; charset=utf-8"
	for name, c := range map[string]struct {
		body, accept, contentType string
		status                    int
		answered                  string
	}{
		"plain JSON":                {`{"query":"{a}"}`, "application/json", "application/json", 200, jsonBody},
		"anything":                  {`{"query":"{a}"}`, "*/*", "application/json; charset=utf-8", 200, jsonBody},
		"the response type":         {`{"query":"{a}"}`, "application/graphql-response+json, application/json;q=0.9", "application/json", 200, response},
		"JSON is preferred":         {`{"query":"{a}"}`, "application/graphql-response+json;q=0.5, application/json", "application/json", 200, jsonBody},
		"a fault, plain":            {`{"query":"{wrong}"}`, "application/json", "application/json", 200, jsonBody},
		"a fault, the response":     {`{"query":"{wrong}"}`, "application/graphql-response+json", "application/json", 400, response},
		"no JSON, plain":            {`{`, "application/json", "application/json", 400, jsonBody},
		"no JSON, the response":     {`{`, "application/graphql-response+json", "application/json", 400, response},
		"no request":                {`{"query":1}`, "application/json", "application/json", 400, jsonBody},
		"another type of body":      {`{"query":"{a}"}`, "application/json", "text/plain", 415, jsonBody},
		"a body that has no type":   {`{"query":"{a}"}`, "application/json", "", 415, jsonBody},
		"a broken type of the body": {`{"query":"{a}"}`, "application/json", ";;", 415, jsonBody},
	} {
		headers := append([]string{"Accept", c.accept, "Content-Type", c.contentType}, admin...)
		got := w.send(t, "POST", "/v1/graphql", c.body, headers...)
		require.Equal(t, c.status, got.status, name)
		require.Equal(t, c.answered, got.header.Get("Content-Type"), name)
	}
	got := w.send(t, "POST", "/v1/metadata", `{"type":"x"}`, admin...)
	require.NotEqual(t, 415, got.status, "other endpoints stay as they are")
}

func TestQueriesByGET(t *testing.T) {
	t.Parallel()
	var asked *queryv1.ExecuteRequest
	w := setup(t, func(w *world) {
		w.settings.StrictOverHTTP = true
		w.bus.answer = func(_ context.Context, _ bus.Endpoint, m proto.Message, sink bus.Sink) error {
			asked, _ = m.(*queryv1.ExecuteRequest)
			_, err := sink.Write([]byte(`{"data":{}}`))
			return err
		}
	})
	get := func(parameters ...string) answer {
		values := url.Values{}
		for i := 0; i < len(parameters); i += 2 {
			values.Set(parameters[i], parameters[i+1])
		}
		return w.send(t, "GET", "/v1/graphql?"+values.Encode(), "", admin...)
	}
	got := get("query", "query a($x: Int) {b}", "operationName", "a", "variables", `{"x":1}`)
	require.Equal(t, 200, got.status, got.body)
	require.Equal(t, "a", asked.GetOperationName())
	require.JSONEq(t, `{"x":1}`, string(asked.GetVariables()))
	require.True(t, asked.GetReadOnly(), "a GET request changes nothing")
	require.Equal(t, 400, get().status)
	require.Equal(t, 400, get("query", "{a}", "variables", "[]").status)
	require.Equal(t, 400, get("query", "{a}", "variables", "{").status)

	w = setup(t, nil)
	require.Contains(t, w.send(t, "GET", "/v1/graphql?query={a}", "", admin...).body, "queries are sent by POST; by GET, too, with --strict-graphql-over-http", "it is an option")
}
