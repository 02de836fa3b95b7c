package queryexecutor

import (
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	"queryengine/pkg/bus"
	queryv1 "queryengine/proto/query/v1"
)

// announceEvery is how often an executor announces that it takes subscriptions.
const announceEvery = time.Second

// announcer announces an executor to the gateways.
type announcer struct {
	bus     *bus.Bus
	stop    chan struct{}
	once    sync.Once
	running sync.WaitGroup
}

// start announces the executor from now on, while it is ready.
func (a *announcer) start(ready func() bool) error {
	announce := func() {
		if ready() {
			a.publish(false)
		}
	}
	stopListening, err := a.bus.Subscribe(bus.LiveRollCall, func() proto.Message { return &queryv1.LiveRollCall{} },
		func(proto.Message) { announce() })
	if err != nil {
		return err
	}
	a.running.Go(func() {
		defer stopListening()
		tick := time.NewTicker(announceEvery)
		defer tick.Stop()
		for {
			announce()
			select {
			case <-a.stop:
				return
			case <-tick.C:
			}
		}
	})
	return nil
}

// leave announces that the executor takes no more subscriptions.
func (a *announcer) leave() {
	if a.stop == nil {
		return // it has no bus
	}
	a.once.Do(func() { close(a.stop) })
	a.running.Wait()
	a.publish(true)
}

// publish is repeated, so a message that is lost does no harm.
func (a *announcer) publish(leaving bool) {
	_ = a.bus.Publish(bus.LiveExecutors, &queryv1.LiveExecutor{Instance: a.bus.Instance(), Leaving: leaving})
}
