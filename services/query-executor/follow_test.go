package queryexecutor

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/apierror"
	"queryengine/pkg/metadata"
	queryv1 "queryengine/proto/query/v1"
)

// results receives the results of a subscription: it can hold one at a time.
type results struct {
	ctx  context.Context //nolint:containedctx // that of the call
	told chan *queryv1.LiveResult
}

func (*results) SetHead(proto.Message) {}

func (r *results) Write(p []byte) (int, error) {
	size, n := binary.Uvarint(p)
	m := &queryv1.LiveResult{}
	if err := proto.Unmarshal(p[n:n+int(size)], m); err != nil {
		return 0, err
	}
	select {
	case r.told <- m:
		return len(p), nil
	case <-r.ctx.Done():
		return 0, r.ctx.Err()
	}
}

// following is a subscription on a remote schema.
type following struct {
	t *testing.T
	results
	stop context.CancelFunc
	err  chan error
}

func follow(t *testing.T, e *Executor, request *queryv1.ExecuteRequest) *following {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	f := &following{t: t, results: results{ctx: ctx, told: make(chan *queryv1.LiveResult)}, stop: stop, err: make(chan error, 1)}
	go func() { f.err <- e.follow(ctx, request, &f.results) }()
	t.Cleanup(stop)
	return f
}

func (f *following) next() *queryv1.LiveResult {
	f.t.Helper()
	select {
	case m := <-f.told:
		return m
	case err := <-f.err:
		require.NoError(f.t, err)
		require.Fail(f.t, "the answer has ended")
	case <-time.After(10 * time.Second):
		require.Fail(f.t, "nothing was reported")
	}
	return nil
}

// data is the next result.
func (f *following) data() string {
	f.t.Helper()
	m := f.next()
	require.False(f.t, m.GetEnd(), "%s", m.GetError())
	return string(m.GetData())
}

// end is why the subscription has ended.
func (f *following) end() string {
	f.t.Helper()
	m := f.next()
	require.True(f.t, m.GetEnd(), "%s", m.GetData())
	return m.GetError().GetMessage()
}

func (f *following) open() *following {
	f.t.Helper()
	require.Empty(f.t, f.data())
	return f
}

const greetings = `subscription Hello($to: String) { hi: greeting(to: $to) }`

func TestRemoteSubscription(t *testing.T) {
	t.Parallel()
	for _, protocol := range []struct{ name, start, result, stop string }{
		{"graphql-transport-ws", "subscribe", "next", "complete"}, {"graphql-ws", "start", "data", "stop"},
	} {
		t.Run(protocol.name, func(t *testing.T) {
			t.Parallel()
			server := newRemoteServer(t)
			sockets := serveSockets(t, server, protocol.name)
			e := newRemote(t, `[{"name":"people","definition":{"forward_client_headers":true,"headers":[{"name":"X-Caller","value":"engine"}]}}]`, Config{}, server)
			f := follow(t, e, &queryv1.ExecuteRequest{
				Session: asAdmin(), Query: greetings, Variables: []byte(`{"to":"Kim"}`),
				ClientHeaders: map[string]string{"authorization": "Bearer me", "upgrade": "websocket", "sec-websocket-key": "mine"},
			}).open()
			remote := sockets.accept(t)
			require.JSONEq(t, `{"query":"subscription Hello($to: String){hi: greeting(to: $to)}","operationName":"Hello","variables":{"to":"Kim"}}`, string(remote.request))
			require.Equal(t, []string{"engine", "Bearer me", "admin"},
				[]string{remote.header.Get("X-Caller"), remote.header.Get("Authorization"), remote.header.Get("X-Engine-Role")})
			var init struct{ Headers map[string]string }
			require.NoError(t, json.Unmarshal(remote.init, &init))
			require.Equal(t, []string{"engine", "Bearer me", "admin"},
				[]string{init.Headers["x-caller"], init.Headers["authorization"], init.Headers["x-engine-role"]})
			require.NotContains(t, init.Headers, "sec-websocket-key")

			remote.send(protocol.result, `{"data":{"hi":"one"}}`)
			require.Equal(t, `{"data":{"hi":"one"}}`, f.data())
			remote.raw(`{"type":"ka"}`)
			remote.send(protocol.result, `{"data":null,"errors":[{"message":"not now"}]}`)
			require.Equal(t, `{"data":null,"errors":[{"message":"not now"}]}`, f.data())
			for range 50 { // they are reported one by one, however slow the taker is
				remote.send(protocol.result, `{"data":{"other":1,"hi":"again"}}`)
			}
			for range 50 {
				require.Equal(t, `{"data":{"hi":"again"}}`, f.data())
			}
			remote.send("complete", "")
			require.Empty(t, f.end())
			require.NoError(t, <-f.err)

			f = follow(t, e, &queryv1.ExecuteRequest{Session: asAdmin(), Query: greetings}).open()
			remote = sockets.accept(t)
			remote.send("error", map[string]string{"next": `[{"message":"no more","extensions":{"code":"x"}}]`, "data": `{"message":"no more","extensions":{"code":"x"}}`}[protocol.result])
			require.Equal(t, `{"data":null,"errors":[{"message":"no more","extensions":{"code":"x"}}]}`, f.data())
			require.Empty(t, f.end())

			f = follow(t, e, &queryv1.ExecuteRequest{Session: asAdmin(), Query: greetings}).open()
			remote = sockets.accept(t)
			f.stop() // the client goes
			require.ErrorIs(t, <-f.err, context.Canceled)
			m, err := remote.await()
			require.NoError(t, err)
			require.Equal(t, []string{protocol.stop, remote.id}, []string{m.Type, m.ID})
			_, err = remote.await()
			require.Equal(t, websocket.StatusNormalClosure, websocket.CloseStatus(err))
		})
	}
}

func TestRemoteSubscriptionPings(t *testing.T) {
	t.Parallel()
	server := newRemoteServer(t)
	sockets := serveSockets(t, server, "graphql-transport-ws")
	e := newRemote(t, plainRemote, Config{}, server)
	follow(t, e, &queryv1.ExecuteRequest{Session: asAdmin(), Query: greetings}).open()
	remote := sockets.accept(t)
	remote.raw(`{"type":"ping"}`)
	m, err := remote.await()
	require.NoError(t, err)
	require.Equal(t, "pong", m.Type)
}

func TestRemoteSubscriptionOfARole(t *testing.T) {
	t.Parallel()
	server := newRemoteServer(t)
	sockets := serveSockets(t, server, "graphql-transport-ws")
	schema, err := json.Marshal(`schema { query: Query subscription: Subscription } type Query { hello: String }
		type Subscription { moods(where: Filter): Person greeting(to: String @preset(value: "x-engine-name")): String }
		type Person { id: Int! mood: Mood } input Filter { ids: [Int!] mood: Mood @preset(value: "x-engine-mood") } enum Mood { HAPPY }`)
	require.NoError(t, err)
	e := newRemote(t, `[{"name":"people","definition":{"customization":{"root_fields_namespace":"crm","type_names":{"prefix":"Crm"},
		"field_names":[{"parent_type":"Subscription","prefix":"on_"},{"parent_type":"Person","mapping":{"mood":"feeling"}}]}},
		"permissions":[{"role":"guest","definition":{"schema":`+string(schema)+`}}]}]`, Config{}, server)
	guest := &queryv1.Session{Role: "guest", Variables: map[string]string{"x-engine-role": "guest", "x-engine-name": "Lou", "x-engine-mood": "HAPPY"}}
	f := follow(t, e, &queryv1.ExecuteRequest{Session: guest, Query: `subscription { crm { changed: on_moods(where: {ids: 1}) { __typename feeling } } }`}).open()
	remote := sockets.accept(t)
	require.JSONEq(t, `{"query":"subscription ($x_engine_mood: Mood!){changed: moods(where: {ids: 1, mood: $x_engine_mood}) {__typename feeling: mood}}","variables":{"x_engine_mood":"HAPPY"}}`, string(remote.request))
	remote.send("next", `{"data":{"changed":{"feeling":"HAPPY","__typename":"Person"}}}`)
	require.Equal(t, `{"data":{"crm":{"changed":{"__typename":"CrmPerson","feeling":"HAPPY"}}}}`, f.data())
	for query, want := range map[string]string{
		`subscription { crm { on_greeting(to: "me") } }`:                                             "'on_greeting' has no argument named 'to'",
		`subscription { crm { on_moods { mood } } }`:                                                 "field 'mood' not found in type: 'CrmPerson'",
		`subscription { crm { on_greeting a: on_greeting } }`:                                        "exactly one root field is allowed for subscriptions on remote schemas",
		`subscription { greeting }`:                                                                  "field 'greeting' not found in type: 'subscription_root'",
		`subscription @_multiple_top_level_fields { crm { on_greeting } crm2: crm { on_greeting } }`: "exactly one root field is allowed for subscriptions on remote schemas",
	} {
		err := e.follow(t.Context(), &queryv1.ExecuteRequest{Session: guest, Query: query}, &reply{})
		require.ErrorContains(t, err, want, query)
	}
}

// TestRemoteSubscriptionFaults: whatever a remote does, the subscription ends with the reason.
func TestRemoteSubscriptionFaults(t *testing.T) {
	t.Parallel()
	const schema = `[{"name":"people","definition":{"timeout_seconds":1}}]`
	begin := func(t *testing.T, protocol string) (*following, *remoteSocket) {
		t.Helper()
		server := newRemoteServer(t)
		sockets := serveSockets(t, server, protocol)
		f := follow(t, newRemote(t, schema, Config{}, server), &queryv1.ExecuteRequest{Session: asAdmin(), Query: greetings})
		return f.open(), sockets.accept(t)
	}
	for _, tt := range []struct {
		name string
		do   func(*remoteSocket)
		want string
	}{
		{"not JSON", func(o *remoteSocket) { o.raw(`{"type":`) }, "the server of the remote schema has sent a message that is not of the protocol"},
		{"no field", func(o *remoteSocket) { o.send("next", `{"data":{"other":1}}`) }, "expecting key hi"},
		{"no data", func(o *remoteSocket) { o.send("next", `{}`) }, `Missing "data" field with no errors in response from remote`},
		{"no payload", func(o *remoteSocket) { o.send("next", ``) }, "the server of the remote schema has sent a message that is not of the protocol"},
		{"a value that is no JSON", func(o *remoteSocket) { o.send("next", `{"data":{"hi":nothing}}`) }, "Error in $: "},
		{"closed with a reason", func(o *remoteSocket) { _ = o.conn.Close(4403, "not you") }, "the server of the remote schema has closed the connection: not you"},
		{"gone", func(o *remoteSocket) { _ = o.conn.CloseNow() }, `HTTP exception occurred while sending the request to "`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, remote := begin(t, "graphql-transport-ws")
			tt.do(remote)
			require.Contains(t, f.end(), tt.want)
		})
	}
	t.Run("no WebSockets", func(t *testing.T) {
		t.Parallel()
		f := follow(t, newRemote(t, schema, Config{}, newRemoteServer(t)), &queryv1.ExecuteRequest{Session: asAdmin(), Query: greetings}).open()
		require.Contains(t, f.end(), "HTTP exception occurred while sending the request to")
	})
	t.Run("another protocol", func(t *testing.T) {
		t.Parallel()
		server := newRemoteServer(t)
		serveSockets(t, server, "soap")
		f := follow(t, newRemote(t, schema, Config{}, server), &queryv1.ExecuteRequest{Session: asAdmin(), Query: greetings}).open()
		require.Equal(t, "the server of the remote schema speaks neither graphql-transport-ws nor graphql-ws", f.end())
	})
	t.Run("nothing is acknowledged", func(t *testing.T) {
		t.Parallel()
		server := newRemoteServer(t)
		sockets := serveSockets(t, server, "graphql-transport-ws")
		sockets.silent = true
		f := follow(t, newRemote(t, schema, Config{}, server), &queryv1.ExecuteRequest{Session: asAdmin(), Query: greetings}).open()
		sockets.accept(t)
		require.Equal(t, "the server of the remote schema did not acknowledge the connection in time", f.end())
	})
	t.Run("refused", func(t *testing.T) {
		t.Parallel()
		server := newRemoteServer(t)
		sockets := serveSockets(t, server, "graphql-ws")
		sockets.silent = true
		f := follow(t, newRemote(t, schema, Config{}, server), &queryv1.ExecuteRequest{Session: asAdmin(), Query: greetings}).open()
		sockets.accept(t).raw(`{"type":"connection_error","payload":{"message":"who are you?"}}`)
		require.Equal(t, `{"data":null,"errors":[{"message":"who are you?"}]}`, f.data())
		require.Empty(t, f.end())
	})
}

// TestRemoteSubscriptionAndMetadata: a change that makes no difference isn't noticed, and any
// other one ends the subscription.
func TestRemoteSubscriptionAndMetadata(t *testing.T) {
	t.Parallel()
	server := newRemoteServer(t)
	sockets := serveSockets(t, server, "graphql-transport-ws")
	e := newRemote(t, plainRemote, Config{}, server)
	f := follow(t, e, &queryv1.ExecuteRequest{Session: asAdmin(), Query: greetings}).open()
	remote := sockets.accept(t)
	change := func(to func(*metadata.Document)) {
		t.Helper()
		next := *e.state.Load().snapshot
		document := *next.Document
		next.Document = &document
		to(&document)
		next.Version++
		e.apply(&next)
		e.replanning.wait()
	}
	edit := func(to func(*metadata.RemoteSchema)) func(*metadata.Document) {
		return func(d *metadata.Document) {
			changed := *d.RemoteSchemas[0]
			to(&changed)
			d.RemoteSchemas = []*metadata.RemoteSchema{&changed}
		}
	}
	change(edit(func(m *metadata.RemoteSchema) { comment := "another"; m.Comment = &comment }))
	remote.send("next", `{"data":{"hi":"still here"}}`)
	require.Equal(t, `{"data":{"hi":"still here"}}`, f.data())
	change(edit(func(m *metadata.RemoteSchema) { m.Definition.ForwardClientHeaders = true }))
	require.Equal(t, "the remote schema or its permissions have changed: subscribe again", f.end())

	f = follow(t, e, &queryv1.ExecuteRequest{Session: asAdmin(), Query: greetings}).open()
	remote = sockets.accept(t)
	change(func(d *metadata.Document) { d.RemoteSchemas = nil })
	require.Equal(t, "field 'greeting' not found in type: 'subscription_root'", f.end())
	_, err := remote.await()
	require.NoError(t, err, "the remote gets the end")

	change(func(d *metadata.Document) { d.RemoteSchemas = []*metadata.RemoteSchema{} })
	err = e.execute(t.Context(), &queryv1.ExecuteRequest{Session: asAdmin(), Query: greetings}, &reply{})
	require.Equal(t, apierror.UnexpectedPayload, apierror.From(err).Code)
}

func TestRemoteSubscriptionOverHTTP(t *testing.T) {
	t.Parallel()
	e := newRemote(t, plainRemote, Config{}, newRemoteServer(t))
	err := apierror.From(e.execute(t.Context(), &queryv1.ExecuteRequest{Session: asAdmin(), Query: greetings}, &reply{}))
	require.Equal(t, "not-supported: subscription to remote server is not supported", strings.Join([]string{string(err.Code), err.Message}, ": "))
}

func TestStoppingEndsRemoteSubscriptions(t *testing.T) {
	t.Parallel()
	server := newRemoteServer(t)
	sockets := serveSockets(t, server, "graphql-transport-ws")
	e := newRemote(t, plainRemote, Config{}, server)
	f := follow(t, e, &queryv1.ExecuteRequest{Session: asAdmin(), Query: greetings}).open()
	sockets.accept(t)
	require.Equal(t, 1, e.remoteSubscriptions.Running())
	e.remoteSubscriptions.Close()
	require.Equal(t, "the query-executor is stopping: subscribe again", f.end())
	require.ErrorContains(t, e.follow(t.Context(), &queryv1.ExecuteRequest{Session: asAdmin(), Query: greetings}, &reply{}), "stopping")
}
