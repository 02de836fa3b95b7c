package execute_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/trace/noop"

	"queryengine/services/query-executor/internal/casetest"
)

// serveSubscription is a remote schema that answers a subscription with messages. It gives the address
// and the requests.
func serveSubscription(t *testing.T, messages ...string) (address string, asked <-chan json.RawMessage) {
	t.Helper()
	requests := make(chan json.RawMessage, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{"graphql-transport-ws"}})
		if err != nil {
			return
		}
		defer func() { _ = conn.CloseNow() }()
		ctx := r.Context()
		_, _, _ = conn.Read(ctx) // connection_init
		_ = conn.Write(ctx, websocket.MessageText, []byte(`{"type":"connection_ack"}`))
		var m struct {
			ID      string          `json:"id"`
			Payload json.RawMessage `json:"payload"`
		}
		_, text, err := conn.Read(ctx)
		if err != nil || json.Unmarshal(text, &m) != nil {
			return
		}
		requests <- m.Payload
		for _, message := range messages {
			if conn.Write(ctx, websocket.MessageText, []byte(`{"id":"`+m.ID+`",`+message+`}`)) != nil {
				return
			}
		}
		_, _, _ = conn.Read(ctx) // until the client leaves
	}))
	t.Cleanup(server.Close)
	return server.URL, requests
}

// TestFollowsRemoteSchemas: each result of a remote schema becomes an answer with the fields that clients
// asked for, errors are an answer like any other, and what ends a subscription is known.
func TestFollowsRemoteSchemas(t *testing.T) {
	t.Parallel()
	followed := 0
	casetest.Run(t, "../../testdata/cases", func(t *testing.T, c *casetest.Case) {
		if c.Feature.Name == "servers" && c.Name == "remote_alone" {
			c.Text = `subscription { hi: greeting }`
			followed = follow(t, c)
		}
	})
	t.Cleanup(func() { require.Equal(t, 3, followed) })
}

func follow(t *testing.T, c *casetest.Case) (followed int) {
	t.Helper()
	leave := errors.New("the client has left")
	const first = `"type":"next","payload":{"data":{"hi":"Ann","extra":1}}`
	for name, tt := range map[string]struct {
		messages, want []string
		err            error // of the client
	}{
		"results": {
			messages: []string{
				first, `"type":"next","payload":{"errors":[{"message":"no Bob"}]}`,
				`"type":"next","payload":{"data":{"hi":null}}`, `"type":"complete"`,
			},
			want: []string{`{"data":{"hi":"Ann"}}`, `{"data":null,"errors":[{"message":"no Bob"}]}`, `{"data":{"hi":null}}`},
		},
		"an error that ends it": {
			messages: []string{first, `"type":"error","payload":[{"message":"no more"}]`},
			want:     []string{`{"data":{"hi":"Ann"}}`, `{"data":null,"errors":[{"message":"no more"}]}`},
		},
		"a client that leaves": {messages: []string{first, first}, want: []string{`{"data":{"hi":"Ann"}}`}, err: leave},
	} {
		t.Run(name, func(t *testing.T) {
			address, asked := serveSubscription(t, tt.messages...)
			op, values, err := c.Operation()
			require.NoError(t, err)
			p, r, err := prepared(t, c, op, values, func(string) (string, bool) { return address, true })
			require.NoError(t, err)
			s := p.RemoteSubscription()
			var got []string
			err = s.Follow(t.Context(), noop.NewTracerProvider().Tracer(""), r.Remotes, s.Body(r), func(answer []byte) error {
				got = append(got, string(answer))
				return tt.err
			})
			require.ErrorIs(t, err, tt.err)
			require.Equal(t, tt.want, got)
			require.JSONEq(t, `{"query":"subscription {hi: greeting}"}`, string(<-asked))
			followed++
		})
	}
	return followed
}
