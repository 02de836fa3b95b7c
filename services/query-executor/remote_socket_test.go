package queryexecutor

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"
)

// socketServer is the part of a remote server that speaks over WebSockets: the test chooses its
// messages.
type socketServer struct {
	protocols []string
	// silent has it acknowledge nothing.
	silent  bool
	sockets chan *remoteSocket
}

// remoteSocket is a WebSocket that the executor has opened.
type remoteSocket struct {
	t      *testing.T
	conn   *websocket.Conn
	header http.Header
	// init is the payload of connection_init, request that of the subscription, and id its id.
	init, request json.RawMessage
	id            string
	done          chan struct{}
}

// serveSockets lets a server answer WebSockets, too.
func serveSockets(t *testing.T, s *remoteServer, protocols ...string) *socketServer {
	t.Helper()
	sockets := &socketServer{protocols: protocols, sockets: make(chan *remoteSocket, 100)}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sockets = func(w http.ResponseWriter, r *http.Request) { sockets.serve(t, w, r) }
	return sockets
}

type socketMessage struct {
	Type    string          `json:"type"`
	ID      string          `json:"id"`
	Payload json.RawMessage `json:"payload"`
}

func (s *socketServer) serve(t *testing.T, w http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: s.protocols, InsecureSkipVerify: true})
	if err != nil {
		return
	}
	defer func() { _ = conn.CloseNow() }()
	o := &remoteSocket{t: t, conn: conn, header: r.Header, done: make(chan struct{})}
	m, err := o.next(r.Context())
	if err != nil || m.Type != "connection_init" {
		return
	}
	o.init = m.Payload
	if !s.silent {
		_ = conn.Write(r.Context(), websocket.MessageText, []byte(`{"type":"connection_ack"}`))
		if m, err = o.next(r.Context()); err != nil {
			return
		}
		o.id, o.request = m.ID, m.Payload
	}
	s.sockets <- o
	<-o.done
}

func (o *remoteSocket) next(ctx context.Context) (m socketMessage, err error) {
	_, text, err := o.conn.Read(ctx)
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	return m, err
}

// await is the next message that is not a pong.
func (o *remoteSocket) await() (socketMessage, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return o.next(ctx)
}

// send sends a message about the subscription.
func (o *remoteSocket) send(kind, payload string) {
	o.t.Helper()
	text := `{"id":"` + o.id + `","type":"` + kind + `"`
	if payload != "" {
		text += `,"payload":` + payload
	}
	o.raw(text + "}")
}

func (o *remoteSocket) raw(text string) {
	o.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	require.NoError(o.t, o.conn.Write(ctx, websocket.MessageText, []byte(text)))
}

func (s *socketServer) accept(t *testing.T) *remoteSocket {
	t.Helper()
	select {
	case o := <-s.sockets:
		t.Cleanup(func() { close(o.done) })
		return o
	case <-time.After(10 * time.Second):
		require.Fail(t, "no one has subscribed")
	}
	return nil
}

func isSocket(r *http.Request) bool { return strings.EqualFold(r.Header.Get("Upgrade"), "websocket") }
