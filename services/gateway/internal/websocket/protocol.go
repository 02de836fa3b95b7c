package websocket

import (
	"net/http"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/pkg/jsontext"
	"queryengine/services/gateway/internal/reply"
)

// protocol is one of the two ways to spell the same conversation.
type protocol int

const (
	// legacy is the protocol of subscriptions-transport-ws, whose subprotocol is graphql-ws.
	legacy protocol = iota
	// transport is the protocol of the graphql-ws library, graphql-transport-ws.
	transport
)

func (p protocol) name() string {
	if p == transport {
		return "graphql-transport-ws"
	}
	return "graphql-ws"
}

// chooseProtocol takes the newer protocol when the client offers it.
func chooseProtocol(h http.Header) protocol {
	for _, line := range h.Values("Sec-WebSocket-Protocol") {
		for name := range strings.SplitSeq(line, ",") {
			if strings.TrimSpace(name) == transport.name() {
				return transport
			}
		}
	}
	return legacy
}

// The messages without an operation.
var (
	messageAck  = []byte(`{"type":"connection_ack"}`)
	messageKA   = []byte(`{"type":"ka"}`)
	messagePing = []byte(`{"type":"ping","payload":{"message":"keepalive"}}`)
)

func (p protocol) keepAlive() []byte {
	if p == transport {
		return messagePing
	}
	return messageKA
}

// dataPrefix opens a message with an answer, up to the payload.
func (p protocol) dataPrefix(id string) []byte {
	kind := "data"
	if p == transport {
		kind = "next"
	}
	return envelope(kind, id)
}

func envelope(kind, id string) []byte {
	b := append([]byte(`{"type":"`), kind...)
	b = append(b, `","id":`...)
	b = jsontext.AppendString(b, id)
	return append(b, `,"payload":`...)
}

func completeMessage(id string) []byte {
	b := jsontext.AppendString([]byte(`{"type":"complete","id":`), id)
	return append(b, '}')
}

// failure is the message that an operation ends with when it has no answer. The newer
// protocol has one form for errors, a list: its library closes the connection, and with it
// all other operations, when it gets another. misuse reports that the client broke the rules
// of the conversation, which ends the connection anyway.
func (p protocol) failure(id string, e *apierror.Error, flat, misuse bool) []byte {
	switch {
	case flat:
	case misuse:
		return append(reply.AppendGraphQLErrorItem(envelope("error", id), e, false), '}')
	case whileRunning(e) && p == legacy:
		b := append(envelope("data", id), `{"data":null,"errors":[`...)
		return append(reply.AppendGraphQLErrorItem(b, e, false), "]}}"...)
	}
	return p.refusal(id, e, flat)
}

// refusal is the message of an operation that was not begun.
func (p protocol) refusal(id string, e *apierror.Error, flat bool) []byte {
	switch {
	case flat:
		return append(reply.AppendAPIError(envelope("error", id), e, false), '}')
	case p == legacy:
		return append(reply.AppendGraphQLError(envelope("error", id), e, false), '}')
	}
	b := reply.AppendGraphQLErrorItem(append(envelope("error", id), '['), e, false)
	return append(b, "]}"...)
}

// fault is the message of a subscription that goes on after an error.
func (p protocol) fault(id string, e *apierror.Error) []byte {
	return append(reply.AppendGraphQLError(p.dataPrefix(id), e, false), '}')
}

// whileRunning reports whether an error arose when the operation ran, and not before: such errors
// come from the database, from remote schemas, and from handlers of actions, which have codes and
// extensions of their own.
func whileRunning(e *apierror.Error) bool {
	if e.Extensions != nil {
		return true
	}
	switch e.Code {
	case apierror.ValidationFailed, apierror.ParseFailed, apierror.CoercionError, apierror.NotSupported, apierror.NotFound,
		apierror.NotExists, apierror.InvalidParams, apierror.UnexpectedPayload, apierror.BadRequest, apierror.InvalidJSON,
		apierror.InvalidHeaders, apierror.InvalidJWT, apierror.JWTInvalidClaims, apierror.JWTMissingRoleClaims,
		apierror.AccessDenied, apierror.PermissionDenied, apierror.StartFailed, apierror.Busy, apierror.DepthLimitExceeded,
		apierror.NodeLimitExceeded, apierror.BatchLimitExceeded, apierror.RateLimitExceeded, apierror.TimeLimitExceeded,
		apierror.BytesLimitExceeded, apierror.InvalidConfiguration:
		return false
	}
	return true
}

// connectionError is the message of the older protocol for a connection that failed.
func connectionError(text string) []byte {
	return append(jsontext.AppendString([]byte(`{"type":"connection_error","payload":`), text), '}')
}
