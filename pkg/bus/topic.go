package bus

import (
	"context"
	"fmt"

	"github.com/nats-io/nats.go"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/guard"
)

// Publish sends m to every subscriber of t, in this process and in others. There is no
// receipt: a subscriber that is not connected does not get it.
func (b *Bus) Publish(t Topic, m proto.Message) error {
	data, err := proto.Marshal(m)
	if err != nil {
		return fmt.Errorf("publish to %s: %w", t.Subject, err)
	}
	if err := b.nc.Publish(t.Subject, data); err != nil {
		return fmt.Errorf("publish to %s: %w", t.Subject, err)
	}
	return nil
}

// Subscribe calls h for each message of t, one after the other, on a goroutine of the
// subscription. It is active on return, and until stop or Close.
func (b *Bus) Subscribe(t Topic, newMessage func() proto.Message, h func(proto.Message)) (stop func(), err error) {
	sub, err := b.nc.Subscribe(t.Subject, func(raw *nats.Msg) {
		m := newMessage()
		if err := proto.Unmarshal(raw.Data, m); err != nil {
			b.log.Error("a message cannot be read", "subject", t.Subject, "error", err)
			return
		}
		guard.Run(b.log, "panic in a message handler", func() { h(m) })
	})
	if err != nil {
		return nil, fmt.Errorf("subscribe to %s: %w", t.Subject, err)
	}
	if err := b.flush(context.Background()); err != nil {
		return nil, fmt.Errorf("subscribe to %s: %w", t.Subject, err)
	}
	return func() {
		if err := sub.Unsubscribe(); err != nil {
			b.log.Debug("cannot unsubscribe", "subject", t.Subject, "error", err)
		}
	}, nil
}
