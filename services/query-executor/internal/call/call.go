// Package call asks event-delivery, over the bus, about calls of asynchronous actions: to make
// one, what became of it, and which have ended.
package call

import (
	"context"

	"google.golang.org/protobuf/proto"

	"queryengine/pkg/apierror"
	"queryengine/pkg/bus"
	"queryengine/pkg/jsontext"
	"queryengine/pkg/jsonwalk"
	"queryengine/pkg/metadata"
	"queryengine/pkg/session"
	actionv1 "queryengine/proto/action/v1"
)

// Config is what a Client works with.
type Config struct {
	Bus *bus.Bus
	// MaxResponse bounds the answers of handlers.
	MaxResponse int
	// ShowInternal shows the internal part of errors to every role, ShowAdmin to admin.
	ShowInternal, ShowAdmin bool
}

// leastLimit is the smallest limit of the output of a call, in bytes, also when MaxResponse is smaller or 0.
const leastLimit = 32 << 20

// Client asks about calls. It is safe for concurrent use.
type Client struct{ Config }

// New returns a Client.
func New(c Config) *Client { return &Client{c} }

// Caller asks for one request.
type Caller struct {
	*Client
	Session *session.Session
	// Headers are those of the client.
	Headers map[string]string
	// Version of the metadata that the request is planned with.
	Version int64
}

// Enqueue has the handler of an action called with an input, a JSON object, and gives the id of
// the call, which is safe then.
func (c *Caller) Enqueue(ctx context.Context, a *metadata.Action, input []byte) (id string, err error) {
	in := &actionv1.EnqueueRequest{
		Action: a.Name, Input: input, SessionVariables: c.variables(), MetadataVersion: c.Version,
	}
	if a.Definition.ForwardClientHeaders {
		in.Headers = c.Headers
	}
	head, _, err := c.Bus.CallMessage(ctx, bus.ActionEnqueue, in, func() proto.Message { return &actionv1.EnqueueHead{} }, 0)
	if err != nil {
		return "", err
	}
	out, _ := head.(*actionv1.EnqueueHead)
	return out.GetId(), nil
}

// variables are those that a call is stored with.
func (c *Caller) variables() map[string]string {
	return c.Session.Given()
}

// Read gives what became of a call of an action: a JSON object with id, created_at, errors and
// output; nil when there is none, or, when ownerOnly is set, none of this session's.
func (c *Caller) Read(ctx context.Context, action, id string, ownerOnly bool) ([]byte, error) {
	in := &actionv1.ReadRequest{Action: action, Id: id, OwnerOnly: ownerOnly}
	if ownerOnly {
		in.SessionVariables = c.variables()
	}
	limit := 2 * max(c.MaxResponse, leastLimit) // the database may put space between tokens
	head, output, err := c.Bus.CallMessage(ctx, bus.ActionRead, in, func() proto.Message { return &actionv1.ReadHead{} }, limit)
	if err != nil {
		return nil, err
	}
	entry, _ := head.(*actionv1.ReadHead)
	if entry.GetMissing() {
		return nil, nil
	}
	out := jsontext.AppendString([]byte(`{"id":`), id)
	out = append(append(out, `,"created_at":`...), entry.GetCreatedAt()...)
	out = append(out, `,"errors":`...)
	if out, err = c.appendErrors(out, entry.GetErrors()); err != nil {
		return nil, err
	}
	out = append(out, `,"output":`...)
	if len(output) == 0 {
		output = []byte("null")
	}
	return append(append(out, output...), '}'), nil
}

// appendErrors appends why a call failed, without what isn't for the session.
func (c *Caller) appendErrors(dst, errors []byte) ([]byte, error) {
	if len(errors) == 0 {
		return append(dst, "null"...), nil
	}
	shown := c.ShowInternal || c.ShowAdmin && c.Session.IsAdmin()
	dst = append(dst, '{')
	first := true
	err := jsonwalk.Fields(errors, func(key, value []byte) error {
		if !shown && string(key) == "internal" {
			return nil
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(jsontext.AppendString(dst, string(key)), ':')
		dst = append(dst, value...)
		return nil
	})
	if err != nil {
		return nil, apierror.New(apierror.Unexpected, "the errors of a call are malformed").WithInternal(err.Error())
	}
	return append(dst, '}'), nil
}

// Finished returns those of some calls that have ended, or are unknown.
func (c *Client) Finished(ctx context.Context, ids []string) ([]string, error) {
	head, _, err := c.Bus.CallMessage(ctx, bus.ActionFinished, &actionv1.FinishedRequest{Ids: ids},
		func() proto.Message { return &actionv1.Finished{} }, 0)
	if err != nil {
		return nil, err
	}
	out, _ := head.(*actionv1.Finished)
	return out.GetIds(), nil
}

// Watch calls ended with calls as they end, as far as that is heard of, until stop.
func (c *Client) Watch(ended func(ids []string)) (stop func(), err error) {
	return c.Bus.Subscribe(bus.ActionsEnded, func() proto.Message { return &actionv1.Finished{} }, func(m proto.Message) {
		if in, ok := m.(*actionv1.Finished); ok {
			ended(in.GetIds())
		}
	})
}
