package egress

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"queryengine/pkg/extension"
)

// Dial is one WebSocket that is to be opened.
type Dial struct {
	// URL is an http or https address: the WebSocket is opened at the same place.
	URL    string
	Header http.Header
	// Protocols are the subprotocols that the caller speaks, the preferred one first.
	Protocols []string
	// Timeout bounds the handshake, 0 to leave it to the context.
	Timeout time.Duration
}

// Socket is an open WebSocket. One goroutine may read while another one writes.
type Socket interface {
	// Protocol is the subprotocol that the server chose, "" for none.
	Protocol() string
	// Read reads the next message. Once its context has ended, so has the WebSocket.
	Read(ctx context.Context) ([]byte, error)
	// Write writes a message.
	Write(ctx context.Context, message []byte) error
	// Ping asks for a sign of life and waits for it. Another user has to be reading meanwhile.
	Ping(ctx context.Context) error
	// Close takes leave of the server, and waits a few seconds at most for its answer.
	Close()
	// Abort ends the connection.
	Abort()
}

// webSocket is a Socket to a server.
type webSocket struct {
	conn  *websocket.Conn
	limit int
}

// Dial opens a WebSocket under the rules for all calls. Its errors are *Error.
func (c *Client) Dial(ctx context.Context, d *Dial) (Socket, error) {
	if d.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, d.Timeout)
		defer cancel()
	}
	if _, ok := extension.Name(d.URL); ok {
		return c.converse(ctx, d)
	}
	var connected atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
	})
	request, err := c.request(ctx, &Request{Method: http.MethodGet, URL: d.URL, Header: d.Header})
	if err != nil {
		return nil, err
	}
	for name := range request.Header { // of a client that came by a WebSocket itself
		if name == "Upgrade" || name == "Content-Type" || strings.HasPrefix(name, "Sec-Websocket-") {
			delete(request.Header, name)
		}
	}
	conn, response, err := websocket.Dial(ctx, d.URL, &websocket.DialOptions{
		HTTPClient: &http.Client{Transport: socketTripper{c}, CheckRedirect: c.checkRedirect},
		HTTPHeader: request.Header, Host: request.Host, Subprotocols: d.Protocols,
		CompressionMode: websocket.CompressionDisabled,
	})
	if err != nil && response != nil {
		return nil, &Error{Kind: NotWebSocket, limit: response.StatusCode, cause: err}
	}
	if err != nil {
		return nil, failure(ctx, err, connected.Load())
	}
	conn.SetReadLimit(int64(c.config.MaxResponse))
	return &webSocket{conn, c.config.MaxResponse}, nil
}

// Protocol implements Socket.
func (s *webSocket) Protocol() string { return s.conn.Subprotocol() }

// Read implements Socket.
func (s *webSocket) Read(ctx context.Context) ([]byte, error) {
	_, message, err := s.conn.Read(ctx)
	if errors.Is(err, websocket.ErrMessageTooBig) {
		return nil, &Error{Kind: TooLarge, limit: s.limit, cause: err}
	}
	var closed websocket.CloseError
	if errors.As(err, &closed) {
		return nil, &ClosedError{Code: int(closed.Code), Reason: closed.Reason}
	}
	if err != nil {
		return nil, failure(ctx, err, true)
	}
	return message, nil
}

// Write implements Socket.
func (s *webSocket) Write(ctx context.Context, message []byte) error {
	if err := s.conn.Write(ctx, websocket.MessageText, message); err != nil {
		return failure(ctx, err, true)
	}
	return nil
}

// Ping implements Socket.
func (s *webSocket) Ping(ctx context.Context) error { return s.conn.Ping(ctx) }

// Close implements Socket.
func (s *webSocket) Close() {
	_ = s.conn.Close(websocket.StatusNormalClosure, "") // the server may be gone
}

// Abort implements Socket.
func (s *webSocket) Abort() { _ = s.conn.CloseNow() }

// ClosedError reports that the server has closed a WebSocket, and how.
type ClosedError struct {
	Code   int
	Reason string
}

// Error implements error.
func (*ClosedError) Error() string { return "the server has closed the connection" }

// socketTripper opens connections that become WebSockets. They don't count towards the limit of
// connections to a host: their callers limit them.
type socketTripper struct{ *Client }

// RoundTrip implements http.RoundTripper.
func (c socketTripper) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme == "https" && allows(*c.allowed.Load(), r.URL) {
		return c.trustedSockets.RoundTrip(r)
	}
	return c.sockets.RoundTrip(r)
}
