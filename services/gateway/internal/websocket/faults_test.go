package websocket_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/services/gateway/internal/websocket"
)

// TestFaultsOfOperationsAreTheirOwn: operations share a connection, and connections a gateway. Whatever one does, the others go on.
func TestFaultsOfOperationsAreTheirOwn(t *testing.T) {
	t.Parallel()
	w := setup(t, websocket.Config{}, websocket.Endpoint{})
	const internal = `"payload":[{"message":"internal error","extensions":{"path":"$","code":"unexpected"}}]}`
	faulty, other := w.dial(t, "graphql-transport-ws"), w.dial(t, "graphql-transport-ws")
	faulty.init(ping)
	other.init(ping)
	begin := func(c *conversation) *subscription {
		t.Helper()
		c.send(`{"type":"subscribe","id":"1","payload":{"query":"subscription { a }"}}`)
		return <-w.subscriptions
	}
	own, others := begin(faulty), begin(other)
	goesOn := func(s *subscription, c *conversation) {
		t.Helper()
		require.True(t, s.Data([]byte(`{"data":{"a":1}}`), true))
		c.expect(`{"type":"next","id":"1","payload":{"data":{"a":1}}}`)
	}
	for _, fault := range []struct{ start, answer string }{
		{`"query":"fail"`, `{"type":"error","id":"2","payload":[{"message":"no such field","extensions":{"path":"$.selectionSet.x","code":"validation-failed"}}]}`},
		{`"query":"divide"`, `{"type":"error","id":"2","payload":[{"message":"division by zero","extensions":{"path":"$","code":"data-exception"}}]}`},
		{`"query":"panic"`, `{"type":"error","id":"2",` + internal},
		{`"query":"subscription { panic }"`, `{"type":"error","id":"2",` + internal},
		{`"query":7`, `{"type":"error","id":"2","payload":[{"message":"parsing Text failed, expected String, but encountered Number","extensions":{"path":"$.query","code":"parse-failed"}}]}`},
	} {
		faulty.send(`{"type":"subscribe","id":"2","payload":{` + fault.start + `}}`)
		faulty.expect(fault.answer)
		goesOn(own, faulty)
		goesOn(others, other)
	}
	faulty.send(`{"type":"subscribe","id":"3","payload":{"query":"hang"}}`)
	<-w.began
	goesOn(own, faulty)
	faulty.send(`{"type":"complete","id":"3"}`)
	<-w.stopped
	goesOn(own, faulty)

	// What has begun its message takes the connection with it, which is its client's own.
	faulty.send(`{"type":"subscribe","id":"4","payload":{"query":"panic late"}}`)
	<-own.closed
	goesOn(others, other)
	another := w.dial(t, "graphql-transport-ws")
	another.init(ping)
	goesOn(begin(another), another)
	another.send("no message")
	goesOn(others, other)
}
