package websocket_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	client "github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/bus"
	"queryengine/pkg/session"
	"queryengine/pkg/telemetry"
	queryv1 "queryengine/proto/query/v1"
	"queryengine/services/gateway/internal/auth"
	"queryengine/services/gateway/internal/websocket"
)

// world is a server whose answers are scripted by the text of the query.
type world struct {
	server *websocket.Server
	http   *httptest.Server
	// An item for each query "hang" that began, and that was stopped.
	began, stopped chan struct{}
	// subscriptions are those that have begun.
	subscriptions chan *subscription
}

func setup(t *testing.T, c websocket.Config, e websocket.Endpoint, logging ...websocket.Logging) *world {
	t.Helper()
	var deps websocket.Deps
	if len(logging) > 0 {
		deps.Logging = logging[0]
	}
	return setupWith(t, c, e, deps)
}

// setupWith adds what a world is to deps.
func setupWith(t *testing.T, c websocket.Config, e websocket.Endpoint, deps websocket.Deps) *world {
	t.Helper()
	if c.InitTimeout == 0 {
		c.InitTimeout = time.Minute
	}
	c.MaxMessage, c.MaxOperations = 1<<16, 10
	w := &world{began: make(chan struct{}, 10), stopped: make(chan struct{}, 10), subscriptions: make(chan *subscription, 10)}
	deps.Authenticate = func(_ context.Context, h http.Header) (*auth.Identity, error) {
		if h.Get("X-Engine-Admin-Secret") != "s3cret" {
			return nil, apierror.New(apierror.AccessDenied, "wrong secret")
		}
		identity := &auth.Identity{Session: &session.Session{Role: h.Get("X-Engine-Role")}}
		if h.Get("X-Short") != "" {
			identity.Expires = time.Now().Add(50 * time.Millisecond)
		}
		return identity, nil
	}
	deps.Execute, deps.Subscribe, deps.Logger = w.execute, w.subscribe, telemetry.Discard()
	w.server = websocket.NewServer(c, deps)
	w.http = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { w.server.Serve(rw, r, e) }))
	t.Cleanup(func() {
		w.server.Stop()
		w.http.Close()
	})
	return w
}

func (w *world) execute(ctx context.Context, o websocket.Operation, sink bus.Sink) error {
	switch o.Request.Query {
	case "role":
		if err := sink.Head(&queryv1.ExecuteHead{ParameterizedQueryHash: "hash-of-role", OperationName: "Role"}); err != nil {
			return err
		}
		_, err := sink.Write([]byte(`{"data":{"role":"` + o.Session.Role + `"}}`))
		return err
	case "pieces":
		for _, piece := range []string{`{"data":{"a":`, `[1,`, `2]}}`} {
			if _, err := sink.Write([]byte(piece)); err != nil {
				return err
			}
		}
		return nil
	case "hang":
		w.began <- struct{}{}
		<-ctx.Done()
		w.stopped <- struct{}{}
		return ctx.Err()
	case "cut":
		_, _ = sink.Write([]byte(`{"data":`))
		return errors.New("the database went away")
	case "panic":
		panic("unforeseen")
	case "panic late":
		_, _ = sink.Write([]byte(`{"data":`))
		panic("unforeseen")
	case "divide":
		return apierror.New(apierror.DataException, "division by zero")
	case "handler":
		return apierror.New("full", "there is no room")
	}
	return apierror.At(apierror.New(apierror.ValidationFailed, "no such field"), "selectionSet", "x")
}

type conversation struct {
	t    *testing.T
	conn *client.Conn
}

func (w *world) dial(t *testing.T, protocol string) *conversation {
	t.Helper()
	options := &client.DialOptions{}
	if protocol != "" {
		options.Subprotocols = []string{protocol}
	}
	conn, response, err := client.Dial(t.Context(), w.http.URL, options)
	require.NoError(t, err)
	_ = response
	t.Cleanup(func() { _ = conn.CloseNow() })
	require.Equal(t, protocol, conn.Subprotocol())
	return &conversation{t, conn}
}

func (c *conversation) send(text string) {
	c.t.Helper()
	require.NoError(c.t, c.conn.Write(c.t.Context(), client.MessageText, []byte(text)))
}

func (c *conversation) expect(texts ...string) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), 30*time.Second)
	defer cancel()
	for _, want := range texts {
		_, got, err := c.conn.Read(ctx)
		require.NoError(c.t, err, "expected %s", want)
		require.Equal(c.t, want, string(got))
	}
}

func (c *conversation) expectClose(code client.StatusCode, reason string) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), 30*time.Second)
	defer cancel()
	_, text, err := c.conn.Read(ctx)
	var e client.CloseError
	require.ErrorAs(c.t, err, &e, "got the message %s", text)
	require.Equal(c.t, code, e.Code)
	require.Equal(c.t, reason, e.Reason)
}

const initSecret = `{"type":"connection_init","payload":{"headers":{"x-engine-admin-secret":"s3cret","X-Engine-Role":"clerk"}}}`

func (c *conversation) init(keepAlive string) {
	c.t.Helper()
	c.send(initSecret)
	c.expect(`{"type":"connection_ack"}`, keepAlive)
}

const (
	ka   = `{"type":"ka"}`
	ping = `{"type":"ping","payload":{"message":"keepalive"}}`
)

func TestOperationsInBothProtocols(t *testing.T) {
	t.Parallel()
	w := setup(t, websocket.Config{}, websocket.Endpoint{})

	old := w.dial(t, "graphql-ws")
	old.init(ka)
	old.send(`{"type":"start","id":"1","payload":{"query":"role"}}`)
	old.expect(`{"type":"data","id":"1","payload":{"data":{"role":"clerk"}}}`, `{"type":"complete","id":"1"}`)
	old.send(`{"type":"start","id":"1","payload":{"query":"pieces"}}`)
	old.expect(`{"type":"data","id":"1","payload":{"data":{"a":[1,2]}}}`, `{"type":"complete","id":"1"}`)
	old.send(`{"type":"start","id":"2","payload":{"query":"unknown"}}`)
	old.expect(`{"type":"error","id":"2","payload":{"errors":[{"message":"no such field","extensions":{"path":"$.selectionSet.x","code":"validation-failed"}}]}}`, `{"type":"complete","id":"2"}`)
	old.send(`{"type":"start","id":"3","payload":{"query":"divide"}}`)
	old.expect(`{"type":"data","id":"3","payload":{"data":null,"errors":[{"message":"division by zero","extensions":{"path":"$","code":"data-exception"}}]}}`, `{"type":"complete","id":"3"}`)
	old.send(`{"type":"start","id":"4","payload":{"query":"handler"}}`)
	old.expect(`{"type":"data","id":"4","payload":{"data":null,"errors":[{"message":"there is no room","extensions":{"path":"$","code":"full"}}]}}`, `{"type":"complete","id":"4"}`)
	old.send(`{"type":"connection_terminate"}`)
	old.expectClose(client.StatusNormalClosure, "GQL_CONNECTION_TERMINATE received")

	modern := w.dial(t, "graphql-transport-ws")
	modern.init(ping)
	modern.send(`{"type":"subscribe","id":"a\"b","payload":{"query":"role"}}`)
	modern.expect(`{"type":"next","id":"a\"b","payload":{"data":{"role":"clerk"}}}`, `{"type":"complete","id":"a\"b"}`)
	modern.send(`{"type":"subscribe","id":"2","payload":{"query":"unknown"}}`)
	modern.expect(`{"type":"error","id":"2","payload":[{"message":"no such field","extensions":{"path":"$.selectionSet.x","code":"validation-failed"}}]}`)
	modern.send(`{"type":"subscribe","id":"3","payload":{"query":"divide"}}`)
	modern.expect(`{"type":"error","id":"3","payload":[{"message":"division by zero","extensions":{"path":"$","code":"data-exception"}}]}`)
	modern.send(`{"type":"subscribe","id":"4","payload":{"query":"handler"}}`)
	modern.expect(`{"type":"error","id":"4","payload":[{"message":"there is no room","extensions":{"path":"$","code":"full"}}]}`)
	modern.send(`{"type":"ping","payload":{"a":1}}`)
	modern.expect(`{"type":"pong","payload":{"a":1}}`)
	modern.send(`{"type":"ping"}`)
	modern.expect(`{"type":"pong"}`)
}

func TestFlatErrors(t *testing.T) {
	t.Parallel()
	c := setup(t, websocket.Config{}, websocket.Endpoint{FlatErrors: true}).dial(t, "")
	c.init(ka)
	c.send(`{"type":"start","id":"1","payload":{"query":"unknown"}}`)
	c.expect(`{"type":"error","id":"1","payload":{"error":"no such field","path":"$.selectionSet.x","code":"validation-failed"}}`, `{"type":"complete","id":"1"}`)
}

func TestStop(t *testing.T) {
	t.Parallel()
	w := setup(t, websocket.Config{}, websocket.Endpoint{})
	c := w.dial(t, "graphql-transport-ws")
	c.init(ping)
	c.send(`{"type":"subscribe","id":"1","payload":{"query":"hang"}}`)
	<-w.began
	c.send(`{"type":"complete","id":"1"}`)
	<-w.stopped
	c.send(`{"type":"subscribe","id":"1","payload":{"query":"role"}}`) // the id is free again
	c.expect(`{"type":"next","id":"1","payload":{"data":{"role":"clerk"}}}`, `{"type":"complete","id":"1"}`)

	c.send(`{"type":"subscribe","id":"2","payload":{"query":"hang"}}`)
	<-w.began
	require.NoError(t, c.conn.CloseNow())
	<-w.stopped // a client that is gone ends its operations
}

func TestMisuse(t *testing.T) {
	t.Parallel()
	w := setup(t, websocket.Config{}, websocket.Endpoint{})

	old := w.dial(t, "")
	old.send(`{"type":"start","id":"1","payload":{"query":"role"}}`)
	old.expect(`{"type":"error","id":"1","payload":{"message":"start received before the connection is initialised","extensions":{"path":"$","code":"start-failed"}}}`, `{"type":"complete","id":"1"}`)
	old.send(`{`)
	old.expect(`{"type":"connection_error","payload":"parsing ClientMessage failed: Error in $: not enough input at byte 1"}`)
	old.send(`{"type":"start","id":"1"}`)
	old.expect(`{"type":"connection_error","payload":"parsing ClientMessage failed: key \"payload\" not found"}`)
	old.init(ka)
	old.send(`{"type":"start","id":"1","payload":{"query":"hang"}}`)
	old.send(`{"type":"start","id":"1","payload":{"query":"role"}}`)
	old.expect(`{"type":"error","id":"1","payload":{"message":"an operation already exists with this id: 1","extensions":{"path":"$","code":"start-failed"}}}`, `{"type":"complete","id":"1"}`)

	modern := w.dial(t, "graphql-transport-ws")
	modern.send(`{"type":"subscribe","id":"1","payload":{"query":"role"}}`)
	modern.expect(`{"type":"error","id":"1","payload":{"message":"start received before the connection is initialised","extensions":{"path":"$","code":"start-failed"}}}`)
	modern.expectClose(client.StatusNormalClosure, "4400: start received before the connection is initialised")

	modern = w.dial(t, "graphql-transport-ws")
	modern.send(`{"type":"dance"}`)
	modern.expectClose(4400, `{"server_error_msg":"4400: Parsing client message failed: unexpected type for ClientMessage: dance"}`)
}

func TestFailedInit(t *testing.T) {
	t.Parallel()
	w := setup(t, websocket.Config{}, websocket.Endpoint{})
	old := w.dial(t, "")
	old.send(`{"type":"connection_init"}`)
	old.expect(`{"type":"connection_error","payload":"wrong secret"}`)
	old.expectClose(4400, `{"server_error_msg":"4400: Connection initialization failed: wrong secret"}`)

	for payload, fault := range map[string]string{
		`{"headers":[]}`:      `the headers of connection_init have to be an object`,
		`{"headers":{"a":1}}`: `the header \"a\" of connection_init has to be a string`,
	} {
		old := w.dial(t, "")
		old.send(`{"type":"connection_init","payload":` + payload + `}`)
		old.expect(`{"type":"connection_error","payload":"` + fault + `"}`)
	}

	modern := w.dial(t, "graphql-transport-ws")
	modern.send(`{"type":"connection_init","payload":{"headers":{"X-Engine-Admin-Secret":1}}}`)
	modern.expectClose(4403, `{"server_error_msg":"4403: Forbidden"}`)
}

// TestSecondInit: it replaces the session in both protocols, though the definition of graphql-transport-ws forbids it.
func TestSecondInit(t *testing.T) {
	t.Parallel()
	w := setup(t, websocket.Config{}, websocket.Endpoint{})
	old := w.dial(t, "")
	old.init(ka)
	old.init(ka)
	modern := w.dial(t, "graphql-transport-ws")
	modern.init(ping)
	modern.init(ping)
}

func TestTimes(t *testing.T) {
	t.Parallel()
	w := setup(t, websocket.Config{InitTimeout: 50 * time.Millisecond}, websocket.Endpoint{})
	w.dial(t, "").expectClose(client.StatusInternalError, "Connection initialisation timed out")
	w.dial(t, "graphql-transport-ws").expectClose(4408, `{"server_error_msg":"Connection initialisation timed out"}`)

	c := setup(t, websocket.Config{KeepAlive: 300 * time.Millisecond}, websocket.Endpoint{}).dial(t, "")
	c.init(ka)
	c.expect(ka, ka)

	short := setup(t, websocket.Config{}, websocket.Endpoint{}).dial(t, "")
	short.send(strings.Replace(initSecret, `"headers":{`, `"headers":{"X-Short":"1",`, 1))
	short.expect(`{"type":"connection_ack"}`, ka)
	short.expectClose(client.StatusNormalClosure, "")
}

func TestCutOffAnswerBreaksTheConnection(t *testing.T) {
	t.Parallel()
	c := setup(t, websocket.Config{}, websocket.Endpoint{}).dial(t, "")
	c.init(ka)
	c.send(`{"type":"start","id":"1","payload":{"query":"cut"}}`)
	_, _, err := c.conn.Read(t.Context())
	require.Error(t, err, "half an answer must never look whole")
}

func TestServerStops(t *testing.T) {
	t.Parallel()
	w := setup(t, websocket.Config{}, websocket.Endpoint{})
	c := w.dial(t, "")
	c.init(ka)
	c.send(`{"type":"start","id":"1","payload":{"query":"hang"}}`)
	<-w.began
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		w.server.Stop()
	}()
	c.expectClose(client.StatusServiceRestart, "shutting server down")
	<-stopped
	<-w.stopped
}

func TestLargeMessageIsRefused(t *testing.T) {
	t.Parallel()
	c := setup(t, websocket.Config{}, websocket.Endpoint{}).dial(t, "")
	c.send(`{"type":"connection_init","payload":{"x":"` + strings.Repeat("x", 1<<16) + `"}}`)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	_, _, err := c.conn.Read(ctx)
	require.Equal(t, client.StatusMessageTooBig, client.CloseStatus(err))
}

// TestMessagesOfStrangersAreSmall holds that the server keeps no large messages of clients that have
// not authenticated yet.
func TestMessagesOfStrangersAreSmall(t *testing.T) {
	t.Parallel()
	w := setup(t, websocket.Config{MaxInit: 1 << 10}, websocket.Endpoint{})
	padding := strings.Repeat(" ", 2<<10)
	for _, protocol := range []string{"graphql-ws", "graphql-transport-ws"} {
		for _, message := range []string{initSecret, `{"type":"ping"}`} {
			stranger := w.dial(t, protocol)
			stranger.send(message + padding)
			_, _, err := stranger.conn.Read(t.Context())
			require.Equal(t, client.StatusMessageTooBig, client.CloseStatus(err), "%v", err)
		}
	}
	known := w.dial(t, "graphql-transport-ws")
	known.init(ping)
	known.send(`{"type":"subscribe","id":"1","payload":{"query":"role"}}` + padding)
	known.expect(`{"type":"next","id":"1","payload":{"data":{"role":"clerk"}}}`, `{"type":"complete","id":"1"}`)
}
