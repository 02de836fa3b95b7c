package api_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/apierror"
	"queryengine/pkg/bus"
	"queryengine/pkg/telemetry"
	queryv1 "queryengine/proto/query/v1"
	"queryengine/services/gateway/internal/api"
)

// TestServerSpansNameTools: the span of an assistant's call has the tool and the role.
func TestServerSpansNameTools(t *testing.T) {
	t.Parallel()
	spans := tracetest.NewInMemoryExporter()
	w := setup(t, func(w *world) {
		w.deps.Tracing = telemetry.NewTracing()
		w.deps.Tracing.Use(sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans)), false)
		w.settings.MCP = api.MCP{Enabled: true, Admin: true, Discovery: []string{"search_schema"}, AnswerSize: 1 << 10, TimeLimit: time.Minute}
		w.bus.answer = says(`[]`)
	})
	got := w.send(t, "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_schema","arguments":{"text":"x"}}}`,
		append([]string{"Accept", "application/json, text/event-stream", "Content-Type", "application/json"}, admin...)...)
	require.Equal(t, 200, got.status, got.body)
	require.Eventually(t, func() bool { return len(spans.GetSpans()) == 1 }, 30*time.Second, 5*time.Millisecond)
	attributes := map[string]string{}
	for _, a := range spans.GetSpans()[0].Attributes {
		attributes[string(a.Key)] = a.Value.String()
	}
	require.Equal(t, "search_schema", attributes["gen_ai.tool.name"])
	require.Equal(t, "admin", attributes["enduser.role"])
}

// TestServerSpansSayWhatWasAskedFor: the span of a request has the executor's description of the
// operation, and of a failed one the client's.
func TestServerSpansSayWhatWasAskedFor(t *testing.T) {
	t.Parallel()
	const named, large = `query Named { a }`, `query Large { b }`
	for name, c := range map[string]struct {
		body, encoding string
		documents      bool
		want           map[string]string
		spans          []string
	}{
		"single": {
			body: `{"query": "query Named { a }"}`, documents: true, spans: []string{"/v1/graphql"},
			want: map[string]string{"graphql.operation.name": "Named", "graphql.operation.type": "query", "parameterized_query_hash": "hash", "graphql.document": named},
		},
		"without documents": {
			body: `{"query": "query Named { a }"}`, spans: []string{"/v1/graphql"},
			want: map[string]string{"graphql.operation.name": "Named", "graphql.operation.type": "query", "parameterized_query_hash": "hash"},
		},
		"failed": {
			body: `{"query": "{ broken }", "operationName": "Mine"}`, spans: []string{"/v1/graphql"},
			want: map[string]string{"graphql.operation.name": "Mine"},
		},
		"batch": {
			body: `[{"query": "query Named { a }"}, {"query": "{ broken }"}]`, spans: []string{"/v1/graphql"},
			want: map[string]string{
				"graphql.operation.name": `["Named",""]`, "graphql.operation.type": `["query",""]`, "parameterized_query_hash": `["hash",""]`,
			},
		},
		"compressed": {
			body: `{"query": "query Large { b }"}`, encoding: "gzip", spans: []string{"Compress response", "/v1/graphql"},
			want: map[string]string{"graphql.operation.name": "Named", "graphql.operation.type": "query", "parameterized_query_hash": "hash"},
		},
		"no GraphQL": {body: `nonsense`, spans: []string{"/v1/graphql"}, want: map[string]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spans := tracetest.NewInMemoryExporter()
			w := setup(t, func(w *world) {
				w.deps.Tracing = telemetry.NewTracing()
				w.deps.Tracing.Use(sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans)), false)
				w.settings.TraceDocuments = c.documents
				w.bus.answer = func(_ context.Context, _ bus.Endpoint, req proto.Message, sink bus.Sink) error {
					in, _ := req.(*queryv1.ExecuteRequest)
					if strings.Contains(in.GetQuery(), "broken") {
						return apierror.New(apierror.ValidationFailed, "no such field")
					}
					if err := sink.Head(&queryv1.ExecuteHead{ParameterizedQueryHash: "hash", OperationName: "Named", OperationType: "query"}); err != nil {
						return err
					}
					answer := `{"data":{}}`
					if in.GetQuery() == large {
						answer = `{"data":"` + strings.Repeat("x", 5000) + `"}`
					}
					_, err := sink.Write([]byte(answer))
					return err
				}
			})
			w.send(t, "POST", "/v1/graphql", c.body, append([]string{"Accept-Encoding", c.encoding}, admin...)...)
			require.Eventually(t, func() bool { return len(spans.GetSpans()) == len(c.spans) }, 30*time.Second, 5*time.Millisecond)
			got := map[string]string{}
			for i, s := range spans.GetSpans() {
				require.Equal(t, c.spans[i], s.Name)
				for _, a := range s.Attributes {
					if strings.HasPrefix(string(a.Key), "graphql.") || a.Key == "parameterized_query_hash" {
						got[string(a.Key)] = a.Value.String()
					}
				}
			}
			require.Equal(t, c.want, got)
		})
	}
}
