package bus

import "google.golang.org/protobuf/proto"

// wired is a message that goes with each request of a client, and is written and read by code for it instead of by
// reflection. The bytes are those of its .proto.
type wired interface {
	// AppendWire and ReadWire are false for what is left to proto.Marshal and proto.Unmarshal.
	AppendWire(b []byte) ([]byte, bool)
	ReadWire(b []byte) bool
}

// wireSize is enough for most requests of clients, so that they are written without growing.
const wireSize = 1 << 10

func marshalRequest(m proto.Message) ([]byte, error) {
	if w, ok := m.(wired); ok {
		if b, ok := w.AppendWire(make([]byte, 0, wireSize)); ok {
			return b, nil
		}
	}
	return proto.Marshal(m)
}

func unmarshalRequest(b []byte, m proto.Message) error {
	if w, ok := m.(wired); ok && w.ReadWire(b) {
		return nil
	}
	return proto.Unmarshal(b, m) // which begins with an empty message
}
