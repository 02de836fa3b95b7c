// Package audience knows which gateways are alive and which version of the metadata each
// of them has seen, so that a change is answered only when every gateway knows of it: the
// client's next request is stamped with that version, whichever gateway it reaches.
//
// It hears the Acks that followers send and asks for them with a roll call. A gateway that
// is silent for a while no longer counts.
package audience

import (
	"context"
	"fmt"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	"queryengine/pkg/bus"
	"queryengine/pkg/lifecycle"
	metadatav1 "queryengine/proto/metadata/v1"
)

const (
	// silence is how long a gateway counts that isn't heard of; it sends an Ack a second.
	silence = 3 * time.Second
	// rollCallTime is how long after the start gateways have time to answer.
	rollCallTime = 300 * time.Millisecond
)

type topics interface {
	Publish(t bus.Topic, m proto.Message) error
	Subscribe(t bus.Topic, newMessage func() proto.Message, h func(proto.Message)) (stop func(), err error)
}

// Audience is safe for concurrent use.
type Audience struct {
	topics topics
	now    func() time.Time
	// ready is when the answers to the roll call are in.
	ready time.Time

	mu       sync.Mutex
	gateways map[string]gateway
	changed  chan struct{}
}

type gateway struct {
	streamID string
	version  int64
	heard    time.Time
}

// New returns an Audience that hears nothing before Start.
func New(t topics) *Audience {
	return &Audience{topics: t, now: time.Now, gateways: map[string]gateway{}, changed: make(chan struct{})}
}

// Start calls the roll. stop ends it.
func (a *Audience) Start() (stop func(), err error) {
	stop, err = a.topics.Subscribe(bus.MetadataAck, func() proto.Message { return &metadatav1.Ack{} }, a.hear)
	if err != nil {
		return nil, fmt.Errorf("hear of the gateways: %w", err)
	}
	a.ready = a.now().Add(rollCallTime)
	if err := a.topics.Publish(bus.MetadataRollCall, &metadatav1.RollCall{}); err != nil {
		stop()
		return nil, fmt.Errorf("call the roll: %w", err)
	}
	return stop, nil
}

func (a *Audience) hear(m proto.Message) {
	ack, ok := m.(*metadatav1.Ack)
	if !ok || ack.GetService() != bus.ServiceGateway {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if ack.GetLeaving() {
		delete(a.gateways, ack.GetInstance())
	} else {
		a.gateways[ack.GetInstance()] = gateway{ack.GetStreamId(), ack.GetVersion(), a.now()}
	}
	close(a.changed)
	a.changed = make(chan struct{})
}

// Wait returns when every live gateway has seen the version, at the latest when ctx ends.
func (a *Audience) Wait(ctx context.Context, streamID string, version int64) {
	if early := a.ready.Sub(a.now()); early > 0 {
		lifecycle.Sleep(ctx, early)
	}
	for ctx.Err() == nil {
		a.mu.Lock()
		behind, changed := a.behind(streamID, version), a.changed
		a.mu.Unlock()
		if !behind {
			return
		}
		// Silence has no event of its own.
		timer := time.NewTimer(silence / 10)
		select {
		case <-ctx.Done():
		case <-changed:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// behind says whether a live gateway has yet to see the version.
func (a *Audience) behind(streamID string, version int64) bool {
	for instance, g := range a.gateways {
		if a.now().Sub(g.heard) > silence {
			delete(a.gateways, instance)
			continue
		}
		if g.streamID != streamID || g.version < version {
			return true
		}
	}
	return false
}
