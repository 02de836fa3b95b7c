// Package audience knows which gateways are alive and which version of the metadata each
// of them has seen, so that a change is answered only when every gateway knows of it: the
// client's next request is stamped with that version, whichever gateway it reaches.
//
// It hears the Acks that followers send and asks for them with a roll call. A gateway that
// is silent for a while, and leaves a roll call unanswered after that, no longer counts: the
// silence alone may be that of this process, which was frozen or cut off from NATS.
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
	// answerTime is how long a silent gateway has to answer a roll call.
	answerTime = time.Second
	// firstTime is how long after the start gateways have time to answer where none can serve
	// anything yet.
	firstTime = 300 * time.Millisecond
)

type topics interface {
	Publish(t bus.Topic, m proto.Message) error
	Subscribe(t bus.Topic, newMessage func() proto.Message, h func(proto.Message)) (stop func(), err error)
}

// Audience is safe for concurrent use.
type Audience struct {
	topics topics
	now    func() time.Time
	// ready is when all gateways have been heard of.
	ready time.Time

	mu       sync.Mutex
	gateways map[string]gateway
	changed  chan struct{}
}

type gateway struct {
	streamID string
	version  int64
	heard    time.Time
	// asked is when a roll call was made because of its silence, zero for not yet.
	asked time.Time
}

// New returns an Audience that hears nothing before Start.
func New(t topics) *Audience {
	return &Audience{topics: t, now: time.Now, gateways: map[string]gateway{}, changed: make(chan struct{})}
}

// Start asks all gateways for their versions. Until slow gateways have had time to answer, too, the
// known ones don't count as all; first reports that there were no metadata before, which any gateway
// could serve. stop ends it.
func (a *Audience) Start(first bool) (stop func(), err error) {
	stop, err = a.topics.Subscribe(bus.MetadataAck, func() proto.Message { return &metadatav1.Ack{} }, a.hear)
	if err != nil {
		return nil, fmt.Errorf("hear of the gateways: %w", err)
	}
	a.ready = a.now().Add(silence)
	if first {
		a.ready = a.now().Add(firstTime)
	}
	if err := a.topics.Publish(bus.MetadataRollCall, &metadatav1.RollCall{}); err != nil {
		stop()
		return nil, fmt.Errorf("discover instances: %w", err)
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
		a.gateways[ack.GetInstance()] = gateway{streamID: ack.GetStreamId(), version: ack.GetVersion(), heard: a.now()}
	}
	close(a.changed)
	a.changed = make(chan struct{})
}

// Wait returns when every live gateway has seen the version, at the latest when ctx ends. It
// returns how many of them have not, and how many there are.
func (a *Audience) Wait(ctx context.Context, streamID string, version int64) (behind, live int) {
	if early := a.ready.Sub(a.now()); early > 0 {
		lifecycle.Sleep(ctx, early)
	}
	for {
		a.mu.Lock()
		behind, live, silent := a.count(streamID, version)
		changed := a.changed
		a.mu.Unlock()
		if behind == 0 || ctx.Err() != nil {
			return behind, live
		}
		if silent {
			_ = a.topics.Publish(bus.MetadataRollCall, &metadatav1.RollCall{}) // without NATS the wait ends with ctx
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

// count returns how many live gateways have yet to see the version, and how many there are.
// ask reports whether a roll call is due because one of them has fallen silent.
func (a *Audience) count(streamID string, version int64) (behind, live int, ask bool) {
	now := a.now()
	for instance, g := range a.gateways {
		if now.Sub(g.heard) > silence {
			switch {
			case g.asked.IsZero():
				g.asked, ask = now, true
				a.gateways[instance] = g
			case now.Sub(g.asked) > answerTime:
				delete(a.gateways, instance)
				continue
			}
			behind++ // until it has answered, whatever it had seen
		} else if g.streamID != streamID || g.version < version {
			behind++
		}
		live++
	}
	return behind, live, ask
}
