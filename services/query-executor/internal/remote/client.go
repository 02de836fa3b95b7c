package remote

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"queryengine/pkg/apierror"
	"queryengine/pkg/egress"
	"queryengine/pkg/metadata"
	"queryengine/pkg/session"
)

// Client calls remotes. It is safe for concurrent use.
type Client struct {
	egress *egress.Client
	env    metadata.Env
	// DataFirst reports whether data count and errors don't, where a remote answers with both.
	DataFirst bool
	// bodies are buffers that answers take turns in using.
	bodies sync.Pool
}

// NewClient makes a client; env is where definitions name variables of.
func NewClient(client *egress.Client, env metadata.Env, dataFirst bool) *Client {
	return &Client{egress: client, env: env, DataFirst: dataFirst}
}

// Caller calls for one request.
type Caller struct {
	*Client
	Session *session.Session
	// Headers are the client's, their names in lower case.
	Headers   map[string]string
	RequestID string
}

// largestBuffer is the largest buffer that is kept for the next answer.
const largestBuffer = 4 << 20

func (c *Client) buffer() []byte {
	if kept, ok := c.bodies.Get().(*[]byte); ok {
		return *kept
	}
	return nil
}

// Release takes back the memory of an answer that is no longer used. Not every answer has to be given
// back.
func (c *Client) Release(body []byte) {
	if cap(body) > 0 && cap(body) <= largestBuffer {
		body = body[:0]
		c.bodies.Put(&body)
	}
}

// Call sends a body. An answer of any status is an answer.
func (c *Caller) Call(ctx context.Context, m *metadata.RemoteSchema, body []byte) (*egress.Response, error) {
	d := &m.Definition
	address, err := d.Address(c.env)
	if err != nil {
		return nil, err
	}
	header, err := c.header(d)
	if err != nil {
		return nil, err
	}
	response, err := c.egress.Do(ctx, &egress.Request{
		Method: http.MethodPost, URL: address, Header: header, Body: body, Timeout: d.Timeout(), Buffer: c.buffer(),
	})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err() // the caller's patience, not the remote's
	case err != nil:
		return nil, transport(d, err)
	}
	return response, nil
}

// header are the headers of a call: those of the definition win over the session, and that
// over the client.
func (c *Caller) header(d *metadata.RemoteSchemaDefinition) (http.Header, error) {
	configured := make(http.Header, len(d.Headers))
	for i := range d.Headers {
		value, err := d.Headers[i].Resolve(c.env)
		if err != nil {
			return nil, err
		}
		configured.Add(d.Headers[i].Name, value)
	}
	variables := make(http.Header, len(c.Session.Variables)+1)
	for name, value := range c.Session.Given() {
		variables.Set(name, value)
	}
	var forwarded http.Header
	if d.ForwardClientHeaders {
		forwarded = egress.Forwarded(c.Headers)
	}
	var request http.Header
	if c.RequestID != "" {
		request = http.Header{"X-Request-Id": {c.RequestID}}
	}
	return egress.Merge(c.egress.Headers(nil, nil), configured, variables, request, forwarded), nil
}

// transport is the error of a call without an answer. It names the address as the user wrote
// it.
func transport(d *metadata.RemoteSchemaDefinition, err error) error {
	message := `HTTP exception occurred while sending the request to "` + d.Shown() + `"`
	e := apierror.New(apierror.RemoteSchemaError, message)
	var failed *egress.Error
	if !errors.As(err, &failed) {
		return e
	}
	return e.WithInternal(struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	}{failed.Type(), failed.Error()})
}
