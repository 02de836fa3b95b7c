package websocket_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	client "github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/services/gateway/internal/live"
	"queryengine/services/gateway/internal/request"
	"queryengine/services/gateway/internal/websocket"
)

// subscription is one that the test gives results to.
type subscription struct {
	live.Receiver
	closed, resumed chan struct{}
}

func (s *subscription) Close() { close(s.closed) }
func (*subscription) Description() request.Description {
	return request.Description{Hash: "hash-of-subscription", Name: "Feed"}
}
func (s *subscription) Resume() { s.resumed <- struct{}{} }

func (w *world) subscribe(_ context.Context, o websocket.Operation, r live.Receiver) (websocket.Subscription, error) {
	if strings.Contains(o.Request.Query, "unknown") {
		return nil, apierror.New(apierror.ValidationFailed, "no such field")
	}
	if strings.Contains(o.Request.Query, "panic") {
		panic("unforeseen")
	}
	s := &subscription{Receiver: r, closed: make(chan struct{}), resumed: make(chan struct{}, 1)}
	w.subscriptions <- s
	return s, nil
}

func TestSubscriptionsInBothProtocols(t *testing.T) {
	t.Parallel()
	w := setup(t, websocket.Config{}, websocket.Endpoint{})
	division := apierror.New(apierror.DataException, "division by zero")
	for protocol, c := range map[string]struct {
		keepAlive, start, data, fault, refused, stop string
		behind                                       []string // the refusal
	}{
		"graphql-ws": {
			ka, "start", "data", `{"type":"data","id":"1","payload":{"errors":[{"message":"division by zero","extensions":{"path":"$","code":"data-exception"}}]}}`,
			`{"type":"error","id":"%s","payload":{"errors":[{"message":"%s","extensions":{"path":"$","code":"%s"}}]}}`, "stop",
			[]string{`{"type":"complete","id":"1"}`},
		},
		"graphql-transport-ws": {
			ping, "subscribe", "next", `{"type":"next","id":"1","payload":{"errors":[{"message":"division by zero","extensions":{"path":"$","code":"data-exception"}}]}}`,
			`{"type":"error","id":"%s","payload":[{"message":"%s","extensions":{"path":"$","code":"%s"}}]}`, "complete", nil,
		},
	} {
		conn := w.dial(t, protocol)
		conn.init(c.keepAlive)
		conn.send(`{"type":"` + c.start + `","id":"1","payload":{"query":"subscription { a }"}}`)
		s := <-w.subscriptions
		require.True(t, s.Data([]byte(`{"data":{"a":1}}`), false))
		conn.expect(`{"type":"` + c.data + `","id":"1","payload":{"data":{"a":1}}}`)
		s.Fail(division)
		conn.expect(c.fault)
		large := `{"data":{"a":"` + strings.Repeat("x", 40_000) + `"}}`
		require.True(t, s.Data([]byte(large), false))
		conn.conn.SetReadLimit(1 << 20)
		conn.expect(`{"type":"` + c.data + `","id":"1","payload":` + large + `}`)
		conn.send(`{"type":"` + c.stop + `","id":"1"}`)
		<-s.closed
		require.True(t, s.Data([]byte(`{"data":{"a":2}}`), false), "which no client gets")

		// The id is free again, whichever side ended the subscription.
		conn.send(`{"type":"` + c.start + `","id":"1","payload":{"query":"subscription { a }"}}`)
		s = <-w.subscriptions
		s.End(division)
		conn.expect(append([]string{fmt.Sprintf(c.refused, "1", "division by zero", "data-exception")}, c.behind...)...)
		conn.send(`{"type":"` + c.start + `","id":"1","payload":{"query":"subscription { unknown }"}}`)
		conn.expect(append([]string{fmt.Sprintf(c.refused, "1", "no such field", "validation-failed")}, c.behind...)...)
		conn.send(`{"type":"` + c.start + `","id":"1","payload":{"query":"subscription { a }"}}`)
		s = <-w.subscriptions
		s.End(nil)
		conn.expect(`{"type":"complete","id":"1"}`)

		// With the connection, its subscriptions end.
		conn.send(`{"type":"` + c.start + `","id":"2","payload":{"query":"subscription { a }"}}`)
		s = <-w.subscriptions
		require.NoError(t, conn.conn.CloseNow())
		<-s.closed
	}
}

// TestSlowClient: a client that does not read gets the newest result of a live query and all
// of a stream, which waits in the meantime.
func TestSlowClient(t *testing.T) {
	t.Parallel()
	w := setup(t, websocket.Config{}, websocket.Endpoint{})
	conn := w.dial(t, "graphql-transport-ws")
	conn.conn.SetReadLimit(1 << 30)
	conn.init(ping)
	var begun []*subscription
	for _, id := range []string{"live", "stream"} {
		conn.send(`{"type":"subscribe","id":"` + id + `","payload":{"query":"subscription { ` + id + ` }"}}`)
		begun = append(begun, <-w.subscriptions)
	}
	first, second := begun[0], begun[1]
	filler := `,"x":"` + strings.Repeat("x", 1<<20) + `"}}`
	document := func(n int) []byte { return []byte(`{"data":{"n":` + strconv.Itoa(n) + filler) }
	const results = 200
	for n := range results {
		require.True(t, first.Data(document(n), false))
	}
	taken := 0
	for second.Data(document(taken), true) {
		taken++
		require.Less(t, taken, results, "a slow client gets without end")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	last := map[byte]string{}
	count := map[byte]int{}
	number := func(text string) string {
		_, rest, _ := strings.Cut(text, `"n":`)
		n, _, _ := strings.Cut(rest, ",")
		return n
	}
	for number(last['l']) != strconv.Itoa(results-1) || count['s'] < taken {
		_, text, err := conn.conn.Read(ctx)
		require.NoError(t, err)
		kind := text[len(`{"type":"next","id":"`)]
		if kind == 's' {
			require.Equal(t, strconv.Itoa(count['s']), number(string(text)))
		}
		last[kind] = string(text)
		count[kind]++
	}
	require.Less(t, count['l'], results, "results in between are left out")
	select {
	case <-second.resumed:
	case <-ctx.Done():
		require.Fail(t, "the stream was not resumed")
	}
}

func TestRestart(t *testing.T) {
	t.Parallel()
	w := setup(t, websocket.Config{}, websocket.Endpoint{})
	old := w.dial(t, "graphql-transport-ws")
	old.init(ping)
	between := time.Now()
	later := w.dial(t, "graphql-transport-ws")
	later.init(ping)
	w.server.Restart(between, "something has changed")
	old.expectClose(client.StatusServiceRestart, "something has changed")
	later.send(`{"type":"subscribe","id":"1","payload":{"query":"role"}}`)
	later.expect(`{"type":"next","id":"1","payload":{"data":{"role":"clerk"}}}`)
}

func TestSubscriptionsOfAConnectionAreBounded(t *testing.T) {
	t.Parallel()
	w := setup(t, websocket.Config{MaxSubscriptions: 2}, websocket.Endpoint{})
	conn := w.dial(t, "graphql-transport-ws")
	conn.init(ping)
	begin := func(id string) {
		conn.send(`{"type":"subscribe","id":"` + id + `","payload":{"query":"subscription { a }"}}`)
	}
	begin("1")
	first := <-w.subscriptions
	begin("2")
	<-w.subscriptions
	begin("3")
	conn.expect(`{"type":"error","id":"3","payload":[{"message":"the connection has too many subscriptions: at most 2 are allowed",` +
		`"extensions":{"path":"$","code":"start-failed"}}]}`)
	first.End(nil)
	conn.expect(`{"type":"complete","id":"1"}`)
	begin("4")
	<-w.subscriptions
}
