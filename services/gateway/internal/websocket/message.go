package websocket

import (
	"errors"
	"fmt"
	"maps"
	"net/http"

	"queryengine/pkg/apierror"
	"queryengine/pkg/jsonwalk"
	"queryengine/pkg/session"
)

// message is a message of a client.
type message struct {
	kind string
	id   string
	// payload is JSON, of kind Null when there is none.
	payload jsonwalk.Value
}

// parseMessage reads a message; the parts point into text.
func parseMessage(text []byte) (message, error) {
	var m message
	v, err := jsonwalk.Parse(text)
	if err != nil {
		return m, err
	}
	if v.Kind != jsonwalk.Object {
		return m, fmt.Errorf("expected Object, but encountered %s", v.Kind)
	}
	err = v.Members(func(key []byte, member jsonwalk.Value) error {
		switch string(key) {
		case "type":
			if member.Kind != jsonwalk.String {
				return fmt.Errorf("type: expected String, but encountered %s", member.Kind)
			}
			m.kind = member.Text()
		case "id":
			if member.Kind != jsonwalk.String {
				return fmt.Errorf("id: expected String, but encountered %s", member.Kind)
			}
			m.id = member.Text()
		case "payload":
			m.payload = member
		}
		return nil
	})
	if err != nil {
		return m, err
	}
	return m, m.check()
}

func (m message) check() error {
	switch m.kind {
	case "connection_init", "connection_terminate", "ping", "pong":
		return nil
	case "start", "subscribe":
		if m.payload.Kind != jsonwalk.Object {
			return errors.New(`key "payload" not found`)
		}
	case "stop", "complete":
	case "":
		return errors.New(`key "type" not found`)
	default:
		return fmt.Errorf("unexpected type for ClientMessage: %s", m.kind)
	}
	if m.id == "" {
		return errors.New(`key "id" not found`)
	}
	return nil
}

// initHeaders are the headers of a connection_init on top of those of the upgrade: for a
// name in both, the payload's value counts.
func initHeaders(upgrade http.Header, payload jsonwalk.Value) (http.Header, error) {
	h := upgrade.Clone()
	for _, name := range []string{"Sec-Websocket-Key", "Sec-Websocket-Version", "Upgrade", "Connection"} {
		h.Del(name)
	}
	if payload.Kind != jsonwalk.Object {
		return h, nil
	}
	given := http.Header{}
	err := payload.Members(func(key []byte, headers jsonwalk.Value) error {
		if string(key) != "headers" || headers.Kind == jsonwalk.Null {
			return nil
		}
		if headers.Kind != jsonwalk.Object {
			return apierror.New(apierror.ParseFailed, "the headers of connection_init have to be an object")
		}
		return headers.Members(func(name []byte, value jsonwalk.Value) error {
			if value.Kind != jsonwalk.String {
				return apierror.Newf(apierror.ParseFailed, "the header %q of connection_init has to be a string", name)
			}
			given.Set(string(name), value.Text())
			return nil
		})
	})
	session.OwnHeaders(given)
	maps.Copy(h, given)
	return h, err
}
