package egress

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"

	"github.com/coder/websocket"

	"queryengine/pkg/extension"
)

// run has code of this build answer a call. It gets the headers that a server would get, and the trace in its context.
func (c *Client) run(ctx context.Context, r *Request) (*Response, error) {
	u, err := url.Parse(r.URL)
	if err != nil {
		return nil, &Error{Kind: InvalidURL, cause: err}
	}
	response, err := c.config.Code.Do(ctx, &extension.Request{Method: r.Method, URL: u, Header: c.codeHeader(r.Header), Body: r.Body})
	if err != nil {
		return nil, codeFailure(ctx, u.Host, err)
	}
	limit := r.MaxResponse
	if limit == 0 {
		limit = c.config.MaxResponse
	}
	if len(response.Body) > limit {
		return nil, &Error{Kind: TooLarge, limit: limit}
	}
	return &Response{Status: response.Status, Header: response.Header, Body: response.Body}, nil
}

func (c *Client) codeHeader(given http.Header) http.Header {
	header := given.Clone()
	if header == nil {
		header = http.Header{}
	}
	if len(header["User-Agent"]) == 0 {
		header.Set("User-Agent", c.config.UserAgent)
	}
	return header
}

func codeFailure(ctx context.Context, name string, err error) *Error {
	switch {
	case errors.Is(err, extension.ErrUnknown):
		return &Error{Kind: NoHandler, detail: extension.NoHandler(name), cause: err}
	case errors.Is(err, extension.ErrNoSocket):
		return &Error{Kind: NotWebSocket, limit: http.StatusNotImplemented, cause: err}
	}
	return failure(ctx, err, true)
}

// converse opens a WebSocket to code of this build, with the caller's preferred protocol.
func (c *Client) converse(ctx context.Context, d *Dial) (Socket, error) {
	name, _ := extension.Name(d.URL)
	protocol := ""
	if len(d.Protocols) > 0 {
		protocol = d.Protocols[0]
	}
	code, err := c.config.Code.Dial(ctx, name, protocol, c.codeHeader(d.Header))
	if err != nil {
		return nil, codeFailure(ctx, name, err)
	}
	return &codeSocket{code, protocol, c.config.MaxResponse}, nil
}

// codeSocket is a Socket to code of this build.
type codeSocket struct {
	code     *extension.Socket
	protocol string
	limit    int
}

// Protocol implements Socket.
func (s *codeSocket) Protocol() string { return s.protocol }

// Read implements Socket.
func (s *codeSocket) Read(ctx context.Context) ([]byte, error) {
	message, err := s.code.Read(ctx)
	switch {
	case ctx.Err() != nil:
		s.code.Close()
		return nil, failure(ctx, ctx.Err(), true)
	case errors.Is(err, io.EOF):
		return nil, &ClosedError{Code: int(websocket.StatusNormalClosure)}
	case err != nil:
		return nil, failure(ctx, err, true)
	case len(message) > s.limit:
		return nil, &Error{Kind: TooLarge, limit: s.limit}
	}
	return message, nil
}

// Write implements Socket.
func (s *codeSocket) Write(ctx context.Context, message []byte) error {
	if err := s.code.Write(ctx, message); err != nil {
		return failure(ctx, err, true)
	}
	return nil
}

// Ping implements Socket: a read notices at once when the code is gone.
func (s *codeSocket) Ping(context.Context) error { return nil }

// Close implements Socket.
func (s *codeSocket) Close() { s.code.Close() }

// Abort implements Socket.
func (s *codeSocket) Abort() { s.code.Close() }
