package graphqlws

import (
	"encoding/json"

	"queryengine/pkg/jsontext"
	"queryengine/pkg/jsonwalk"
)

// Protocols are the subprotocols of WebSockets that Run speaks, the preferred one first.
func Protocols() []string { return []string{transport, Legacy} }

const (
	transport = "graphql-transport-ws"
	// Legacy is the older protocol.
	Legacy = "graphql-ws"
)

// kind is the kind of a server's message.
type kind int

const (
	ignored kind = iota // keepalives, and what a later version of a protocol may add
	acknowledged
	refused // the connection was
	result
	failed
	completed
	pinged
)

var (
	transportKinds = map[string]kind{
		"connection_ack": acknowledged, "next": result, "error": failed, "complete": completed, "ping": pinged,
	}
	legacyKinds = map[string]kind{
		"connection_ack": acknowledged, "connection_error": refused, "data": result, "error": failed, "complete": completed,
	}
)

// message is what a server sends.
type message struct {
	kind kind
	// id is raw JSON, nil for a message about the connection.
	id, payload []byte
}

// read reads a message. Of its payload it only finds the end.
func read(text []byte, kinds map[string]kind) (message, error) {
	var m message
	name := ""
	c := jsonwalk.NewCursor(text)
	if c.Kind() != jsonwalk.Object {
		return m, notProtocol()
	}
	err := c.Object(func(key []byte) error {
		value, err := c.Value()
		if err != nil {
			return err
		}
		switch string(key) {
		case "type":
			name, err = jsonwalk.Text(value)
		case "id":
			m.id = value
		case "payload":
			m.payload = value
		}
		return err
	})
	if err == nil {
		err = c.End()
	}
	if err != nil {
		return m, notProtocol()
	}
	m.kind = kinds[name]
	return m, nil
}

// subscriptionID names the only subscription of a WebSocket.
const subscriptionID = `"1"`

// about reports whether a message is about the subscription or the connection as a whole.
func (m *message) about() bool { return m.id == nil || string(m.id) == subscriptionID }

// ServerError holds those with which a server ended a subscription, or refused it: a JSON list.
type ServerError struct{ List []byte }

// Error reports that there are some. Their texts are for clients alone.
func (*ServerError) Error() string { return "the server has answered with errors" }

// errorsOf are the errors of a message: a list in the newer protocol, and one error in the
// older one, whose servers differ in what they send.
func (m *message) errorsOf() error {
	list := m.payload
	if list == nil || !json.Valid(list) {
		return notProtocol()
	}
	switch jsonwalk.KindOf(list) {
	case jsonwalk.Array:
		return &ServerError{List: list}
	case jsonwalk.Object:
		return &ServerError{List: append(append([]byte{'['}, list...), ']')}
	}
	text := append([]byte(`[{"message":`), list...)
	if jsonwalk.KindOf(list) != jsonwalk.String {
		text = jsontext.AppendString([]byte(`[{"message":`), string(list))
	}
	return &ServerError{List: append(text, "}]"...)}
}
