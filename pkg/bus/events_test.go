package bus_test

import (
	"net/http"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/bus"
	"queryengine/pkg/bus/natsserver"
)

func TestPublishEvent(t *testing.T) {
	t.Parallel()
	server, err := natsserver.Start(natsserver.Config{Dir: t.TempDir(), Port: -1, NoSync: true})
	require.NoError(t, err)
	t.Cleanup(server.Stop)
	b, err := bus.Connect(t.Context(), bus.Config{URL: server.ClientURL()})
	require.NoError(t, err)
	t.Cleanup(b.Close)

	header := http.Header{"Content-Type": {"application/json"}}
	place, err := b.PublishEvent(t.Context(), bus.Event{Subject: "events.stock", ID: "1", Header: header, Body: []byte(`{"id":"1"}`)}, 1)
	require.NoError(t, err)
	require.JSONEq(t, `{"stream":"EVENTS","sequence":1,"duplicate":false}`, string(place))
	place, err = b.PublishEvent(t.Context(), bus.Event{Subject: "events.stock", ID: "1", Header: header, Body: []byte(`{"id":"1"}`)}, 1)
	require.NoError(t, err)
	require.JSONEq(t, `{"stream":"EVENTS","sequence":1,"duplicate":true}`, string(place))

	conn, err := nats.Connect(server.ClientURL())
	require.NoError(t, err)
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	require.NoError(t, err)
	s, err := js.Stream(t.Context(), bus.EventsStream)
	require.NoError(t, err)
	m, err := s.GetMsg(t.Context(), 1)
	require.NoError(t, err)
	require.JSONEq(t, `{"id":"1"}`, string(m.Data))
	require.Equal(t, "application/json", m.Header.Get("Content-Type"))

	for _, subject := range []string{"engine.metadata.changes", "$JS.API.INFO", "_INBOX.x", "", "a.*", "a..b", "a b"} {
		_, err := b.PublishEvent(t.Context(), bus.Event{Subject: subject, ID: "2"}, 1)
		require.Error(t, err, subject)
	}
	_, err = b.PublishEvent(t.Context(), bus.Event{Subject: "stock", ID: "2"}, 1)
	require.ErrorIs(t, err, jetstream.ErrNoStreamResponse, "a subject that no stream keeps")
}
