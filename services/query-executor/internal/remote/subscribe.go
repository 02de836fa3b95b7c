package remote

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"queryengine/pkg/apierror"
	"queryengine/pkg/egress"
	"queryengine/pkg/metadata"
	"queryengine/services/query-executor/internal/graphqlws"
)

// silence is how long a remote may send nothing before it is polled to see whether it is there.
const silence = 30 * time.Second

// Subscribe subscribes at a remote with the body of a request, and hands each result, the body of an
// answer, to take, until the remote completes the subscription: that is no error. The errors with which
// a remote ends a subscription are *ServerError.
func (c *Caller) Subscribe(ctx context.Context, m *metadata.RemoteSchema, body []byte, take func(answer []byte) error) error {
	d := &m.Definition
	address, err := d.Address(c.env)
	if err != nil {
		return err
	}
	header, err := c.header(d)
	if err != nil {
		return err
	}
	init, err := initPayload(header)
	if err != nil {
		return err
	}
	run := func(protocols ...string) error {
		socket, err := c.egress.Dial(ctx, &egress.Dial{URL: address, Header: header, Protocols: protocols, Timeout: d.Timeout()})
		if err != nil {
			return err
		}
		return graphqlws.Run(ctx, socket, graphqlws.Options{Init: init, Patience: d.Timeout(), Silence: silence}, body, take)
	}
	err = run(graphqlws.Protocols()...)
	if mistaken(err) {
		err = run(graphqlws.Legacy)
	}
	return subscriptionError(ctx, d, err)
}

// mistaken reports whether a server chose a protocol that it doesn't speak: libraries choose the
// first one, and leave it to a server of the older protocol to find that wrong.
func mistaken(err error) bool {
	const protocolError = 1002
	var unacknowledged *graphqlws.UnacknowledgedError
	var closed *egress.ClosedError
	return errors.As(err, &unacknowledged) && errors.As(err, &closed) && closed.Code == protocolError
}

// initPayload is the payload of connection_init: the headers of the handshake once more, for
// servers that look for them there.
func initPayload(header http.Header) ([]byte, error) {
	headers := make(map[string]string, len(header))
	for name, values := range header {
		if name != "Content-Type" {
			headers[strings.ToLower(name)] = strings.Join(values, ", ")
		}
	}
	return json.Marshal(struct {
		Headers map[string]string `json:"headers"`
	}{headers})
}

// subscriptionError is why a subscription ended, in the words for clients.
func subscriptionError(ctx context.Context, d *metadata.RemoteSchemaDefinition, err error) error {
	var (
		failed *egress.Error
		closed *egress.ClosedError
		errs   *graphqlws.ServerError
	)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &errs):
		return &ServerError{List: errs.List}
	case errors.As(err, &closed):
		message := "the server of the remote schema has closed the connection"
		if closed.Reason != "" {
			message += ": " + closed.Reason
		}
		return apierror.New(apierror.RemoteSchemaError, message).WithInternal(struct {
			Code int `json:"code"`
		}{closed.Code})
	case errors.As(err, &failed):
		return transport(d, err)
	}
	return err
}
