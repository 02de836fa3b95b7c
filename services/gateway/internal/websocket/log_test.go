package websocket_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	client "github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/logtype"
	"queryengine/pkg/querylog"
	"queryengine/pkg/telemetry"
	"queryengine/services/gateway/internal/websocket"
)

// uuids are what differs from run to run.
var uuids = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

func TestLog(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log, err := telemetry.NewLog(&out, "info", []string{"websocket-log"})
	require.NoError(t, err)
	logging := websocket.Logging{
		Stream: telemetry.StreamOf(log.Logger("gateway"), logtype.WebSocket), Masked: querylog.NewMask([]string{"pw"}),
	}
	w := setup(t, websocket.Config{}, websocket.Endpoint{}, logging)

	logging.Reject(apierror.New(apierror.AccessDenied, "wrong origin"))
	conn := w.dial(t, "graphql-ws")
	conn.send(`{"type":"start","id":"0","payload":{"query":"role"}}`)
	conn.expect(`{"type":"error","id":"0","payload":{"message":"start received before the connection is initialised","extensions":{"path":"$","code":"start-failed"}}}`,
		`{"type":"complete","id":"0"}`)
	conn.init(ka)
	conn.send(`{"type":"start","id":"1","payload":{"query":"role","operationName":"R"}}`)
	conn.expect(`{"type":"data","id":"1","payload":{"data":{"role":"clerk"}}}`, `{"type":"complete","id":"1"}`)
	conn.send(`{"type":"start","id":"2","payload":{"query":"unknown","variables":{"pw":"hush"}}}`)
	conn.expect(`{"type":"error","id":"2","payload":{"errors":[{"message":"no such field","extensions":{"path":"$.selectionSet.x","code":"validation-failed"}}]}}`, `{"type":"complete","id":"2"}`)
	conn.send(`{"type":"start","id":"3","payload":{"query":"subscription { a }"}}`)
	s := <-w.subscriptions
	require.True(t, s.Data([]byte(`{"data":{"a":1}}`), false))
	conn.expect(`{"type":"data","id":"3","payload":{"data":{"a":1}}}`)
	conn.send(`{"type":"stop","id":"3"}`)
	<-s.closed
	conn.send(`{"type":"connection_terminate"}`)
	conn.expectClose(client.StatusNormalClosure, "GQL_CONNECTION_TERMINATE received")

	refused := w.dial(t, "graphql-transport-ws")
	refused.send(`{"type":"connection_init","payload":{"headers":{"x-engine-admin-secret":"wrong"}}}`)
	refused.expectClose(4403, `{"server_error_msg":"4403: Forbidden"}`)
	w.server.Stop()
	log.Flush()
	require.NotContains(t, out.String(), "hush")

	const nobody, clerk = `{"user_vars":null,"connection_info":{"websocket_id":"ID","token_expiry":null,"msg":null},`,
		`{"user_vars":{},"connection_info":{"websocket_id":"ID","token_expiry":null,"msg":null},`
	var got []string
	// What stops a subscription may come before the gateway has heard that it began.
	text := strings.Replace(out.String(), `"hash-of-subscription"`, "null", 1)
	for line := range strings.Lines(uuids.ReplaceAllString(text, "ID")) {
		var l struct {
			Level, Type string
			Detail      json.RawMessage
		}
		require.NoError(t, json.Unmarshal([]byte(line), &l))
		require.Equal(t, "websocket-log", l.Type)
		got = append(got, l.Level+" "+string(l.Detail))
	}
	require.ElementsMatch(t, []string{
		`error ` + nobody + `"event":{"type":"rejected","detail":{"path":"$","error":"wrong origin","code":"access-denied"}}}`,
		`info ` + nobody + `"event":{"type":"accepted"}}`,
		`error ` + nobody + `"event":{"type":"operation","detail":{"operation_id":"0","request_id":null,"operation_name":null,` +
			`"operation_type":{"type":"proto_err","detail":"start received before the connection is initialised"},"query":null,"parameterized_query_hash":null}}}`,
		`info ` + clerk + `"event":{"type":"operation","detail":{"operation_id":"1","request_id":"ID","operation_name":"R",` +
			`"operation_type":{"type":"started"},"query":null,"parameterized_query_hash":null}}}`,
		`info ` + clerk + `"event":{"type":"operation","detail":{"operation_id":"1","request_id":"ID","operation_name":"R",` +
			`"operation_type":{"type":"completed"},"query":null,"parameterized_query_hash":"hash-of-role"}}}`,
		`info ` + clerk + `"event":{"type":"operation","detail":{"operation_id":"2","request_id":"ID","operation_name":null,` +
			`"operation_type":{"type":"started"},"query":null,"parameterized_query_hash":null}}}`,
		`error ` + clerk + `"event":{"type":"operation","detail":{"operation_id":"2","request_id":"ID","operation_name":null,` +
			`"operation_type":{"type":"query_err","detail":{"path":"$.selectionSet.x","error":"no such field","code":"validation-failed"}},` +
			`"query":{"operationName":null,"query":"unknown","variables":{"pw":"[MASKED]"}},"parameterized_query_hash":null}}}`,
		`info ` + clerk + `"event":{"type":"operation","detail":{"operation_id":"3","request_id":"ID","operation_name":null,` +
			`"operation_type":{"type":"started"},"query":null,"parameterized_query_hash":null}}}`,
		`info ` + clerk + `"event":{"type":"operation","detail":{"operation_id":"3","request_id":"ID","operation_name":null,` +
			`"operation_type":{"type":"stopped"},"query":null,"parameterized_query_hash":null}}}`,
		`info ` + strings.Replace(clerk, `"msg":null`, `"msg":"GQL_CONNECTION_TERMINATE received"`, 1) + `"event":{"type":"closed"}}`,
		`info ` + nobody + `"event":{"type":"accepted"}}`,
		`error ` + nobody + `"event":{"type":"conn_err","detail":"wrong secret"}}`,
		`info ` + strings.Replace(nobody, `"msg":null`, `"msg":"4403: Forbidden"`, 1) + `"event":{"type":"closed"}}`,
	}, got)
}
