package bus

import "google.golang.org/protobuf/proto"

// Publish sends m to every subscriber of t, in this process and in others. There is no
// receipt: a subscriber that is not connected does not get it.
func (b *Bus) Publish(t Topic, m proto.Message) error { return errUnbuilt }

// Subscribe calls h for each message of t, one after the other, on a goroutine of the
// subscription. It is active on return, and until stop or Close.
func (b *Bus) Subscribe(t Topic, newMessage func() proto.Message, h func(proto.Message)) (stop func(), err error) {
	return nil, errUnbuilt
}
