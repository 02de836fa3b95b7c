package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/apierror"
	"queryengine/pkg/bus"
	"queryengine/pkg/metadata"
	"queryengine/pkg/snapshot"
	queryv1 "queryengine/proto/query/v1"
)

// limited is a world whose metadata has limits.
func limited(t *testing.T, limits string, change func(*world)) *world {
	t.Helper()
	w := setup(t, change)
	doc := metadata.Empty()
	doc.APILimits = json.RawMessage(limits)
	w.metadata.set(&snapshot.Snapshot{StreamID: "s", Version: 6, Document: doc})
	return w
}

func asUser(more ...string) []string {
	return append(append([]string{}, admin...), append([]string{"X-Engine-Role", "user"}, more...)...)
}

func TestRateLimit(t *testing.T) {
	t.Parallel()
	const refused = `{"errors":[{"message":"rate limit exceeded: at most 2 requests per minute are allowed",` +
		`"extensions":{"path":"$","code":"rate-limit-exceeded"}}]}`
	w := limited(t, `{"rate_limit":{"global":{"max_reqs_per_min":2,"unique_params":"IP"}}}`, func(w *world) {
		w.bus.answer = func(_ context.Context, _ bus.Endpoint, _ proto.Message, sink bus.Sink) error {
			_, err := sink.Write([]byte(`{"data":{}}`))
			return err
		}
	})
	for range 2 {
		require.NotEqual(t, refused, w.send(t, "POST", "/v1/graphql", `{"query":"{a}"}`, asUser()...).body)
	}
	require.Equal(t, refused, w.send(t, "POST", "/v1/graphql", `{"query":"{a}"}`, asUser()...).body)
	require.NotEqual(t, refused, w.send(t, "POST", "/v1/graphql", `{"query":"{a}"}`, asUser("X-Forwarded-For", "9.9.9.9")...).body)
	require.NotEqual(t, refused, w.send(t, "POST", "/v1/graphql", `{"query":"{a}"}`, admin...).body)
	require.Len(t, w.bus.calls, 4, "what is refused reaches no service")

	got := w.send(t, "POST", "/v1/graphql", `[{"query":"{a}"},{"query":"{a}"}]`, asUser("X-Forwarded-For", "9.9.9.9")...)
	require.Equal(t, `[{"data":{}},`+refused+`]`, got.body, "each request of a batch counts")
}

func TestBatchLimit(t *testing.T) {
	t.Parallel()
	w := limited(t, `{"batch_limit":{"global":1}}`, nil)
	got := w.send(t, "POST", "/v1/graphql", `[{"query":"{a}"},{"query":"{a}"}]`, asUser()...)
	require.Equal(t, `{"errors":[{"message":"batch limit exceeded: the batch has 2 operations, the limit is 1",`+
		`"extensions":{"path":"$","code":"batch-limit-exceeded"}}]}`, got.body)
	require.Empty(t, w.bus.calls)
	w.send(t, "POST", "/v1/graphql", `[{"query":"{a}"}]`, asUser()...)
	require.Len(t, w.bus.calls, 1)
}

func TestTimeLimit(t *testing.T) {
	t.Parallel()
	w := limited(t, `{"time_limit":{"global":0.02}}`, func(w *world) {
		w.bus.answer = func(ctx context.Context, _ bus.Endpoint, _ proto.Message, _ bus.Sink) error {
			<-ctx.Done()
			return ctx.Err()
		}
	})
	got := w.send(t, "POST", "/v1/graphql", `{"query":"{a}"}`, asUser()...)
	require.Equal(t, `{"errors":[{"message":"time limit exceeded: the operation took longer than 0.02 seconds",`+
		`"extensions":{"path":"$","code":"time-limit-exceeded"}}]}`, got.body)
}

func TestLimitsOfWebSockets(t *testing.T) {
	t.Parallel()
	w := limited(t, `{"rate_limit":{"global":{"max_reqs_per_min":1}}}`, func(w *world) {
		w.settings.WebSocket.InitTimeout = 10 * time.Second
		w.bus.answer = func(_ context.Context, _ bus.Endpoint, _ proto.Message, sink bus.Sink) error {
			_, err := sink.Write([]byte(`{"data":{}}`))
			return err
		}
	})
	socket, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(w.server.URL, "http")+"/v1/graphql", //nolint:bodyclose // Dial closes it
		&websocket.DialOptions{Subprotocols: []string{"graphql-transport-ws"}})
	require.NoError(t, err)
	defer socket.CloseNow() //nolint:errcheck // the test is over then
	send := func(message string) {
		require.NoError(t, socket.Write(t.Context(), websocket.MessageText, []byte(message)))
	}
	receive := func() string {
		for {
			_, message, err := socket.Read(t.Context())
			require.NoError(t, err)
			if !strings.Contains(string(message), `"ping"`) {
				return string(message)
			}
		}
	}
	send(`{"type":"connection_init","payload":{"headers":{"` + admin[0] + `":"` + admin[1] + `","X-Engine-Role":"user"}}}`)
	require.Contains(t, receive(), "connection_ack")
	send(`{"type":"subscribe","id":"1","payload":{"query":"{a}"}}`)
	require.Contains(t, receive(), `{"data":{}}`)
	require.Contains(t, receive(), "complete")
	send(`{"type":"subscribe","id":"2","payload":{"query":"{a}"}}`)
	require.Contains(t, receive(), "rate-limit-exceeded")
}

// TestBatchSharesItsTime holds that all members of a batch have the time of one request, and that
// what some of them have done is reported when it ends.
func TestBatchSharesItsTime(t *testing.T) {
	t.Parallel()
	const member = `{"errors":[{"message":"%s","extensions":{"path":"$","code":"%s"}}]}`
	for name, c := range map[string]struct {
		limits        string
		timeout       time.Duration
		message, code string
	}{
		"of a request": {`{}`, 50 * time.Millisecond, "the request took too long", "timeout"},
		"of the role":  {`{"time_limit":{"global":0.05}}`, 0, "time limit exceeded: the operation took longer than 0.05 seconds", "time-limit-exceeded"},
		"of both":      {`{"time_limit":{"global":0.05}}`, time.Hour, "time limit exceeded: the operation took longer than 0.05 seconds", "time-limit-exceeded"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			deadlines := map[time.Time]bool{}
			w := limited(t, c.limits, func(w *world) {
				w.settings.RequestTimeout = c.timeout
				w.bus.answer = func(ctx context.Context, _ bus.Endpoint, m proto.Message, sink bus.Sink) error {
					deadline, _ := ctx.Deadline()
					deadlines[deadline] = true
					if m.(*queryv1.ExecuteRequest).GetQuery() == "mutation {a}" {
						_, err := sink.Write([]byte(`{"data":{"a":1}}`))
						return err
					}
					<-ctx.Done()
					return apierror.New(apierror.Timeout, "the request took too long")
				}
			})
			// Without a connection, so that the time is that of synctest.
			synctest.Test(t, func(t *testing.T) {
				r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/graphql",
					strings.NewReader(`[{"query":"mutation {a}"},{"query":"{b}"},{"query":"{c}"}]`))
				for header := range slices.Chunk(asUser(), 2) {
					r.Header.Set(header[0], header[1])
				}
				got := httptest.NewRecorder()
				w.server.Config.Handler.ServeHTTP(got, r)
				refused := fmt.Sprintf(member, c.message, c.code)
				require.Equal(t, `[{"data":{"a":1}},`+refused+`,`+refused+`]`, got.Body.String())
				require.Equal(t, 200, got.Code)
				require.Len(t, deadlines, 1, "one for all")
			})
		})
	}
}

func TestLongRequestIDsAreCut(t *testing.T) {
	t.Parallel()
	w := setup(t, func(w *world) { w.bus.answer = says(`{"data":{}}`) })
	id := strings.Repeat("x", 127) + "é" + strings.Repeat("x", 1000)
	got := w.send(t, "POST", "/v1/graphql", `{"query":"{a}"}`, append([]string{"X-Request-Id", id}, admin...)...)
	require.Equal(t, id[:127], got.header.Get("X-Request-Id"))
	require.Equal(t, id[:127], w.bus.last(t).(*queryv1.ExecuteRequest).GetRequestId())
}
