package live

import (
	"context"

	"google.golang.org/protobuf/proto"

	"queryengine/pkg/apierror"
	"queryengine/pkg/bus"
	"queryengine/pkg/guard"
	queryv1 "queryengine/proto/query/v1"
)

// follow has an executor subscribe at a remote schema. Results of a remote come once: when the executor
// goes, the subscription ends with an error, because it is unknown what was missed.
func (s *Subscription) follow(instance string) {
	c := s.client
	c.mu.Lock()
	delete(c.subscriptions, s.id)
	s.link, s.moving = nil, false
	if s.closed {
		c.mu.Unlock()
		return
	}
	s.resumed = make(chan struct{}, 1)
	c.running.Add(1)
	c.mu.Unlock()
	go func() {
		defer c.running.Done()
		if s.headers != nil {
			s.operation.ClientHeaders = s.headers()
		}
		err := guard.Do(c.config.Log, panicked, func() error {
			return c.config.Bus.Call(s.ctx, bus.LiveFollow(instance), s.operation, nil, &follower{subscription: s, instance: instance})
		})
		if s.ctx.Err() != nil {
			return
		}
		if err == nil {
			err = unavailable("the answer of the " + bus.ServiceQueryExecutor + " has no end")
		}
		s.end(apierror.From(err))
	}()
}

// follower takes the results of a subscription on a remote schema. While its receiver is full the
// executor waits, and the remote does.
type follower struct {
	subscription *Subscription
	instance     string
	results      frames
}

// Head implements bus.Sink.
func (*follower) Head(proto.Message) error { return nil }

// Write takes the next piece of the answer.
func (f *follower) Write(p []byte) (int, error) { return f.results.write(p, f.take) }

// confirm has the executor look at the operation again, by the metadata that the gateway follows:
// results of a remote schema come once, so a result of older metadata can't be requested again, as
// others are.
func (f *follower) confirm() error {
	s := f.subscription
	operation, _ := proto.Clone(s.operation).(*queryv1.ExecuteRequest)
	operation.MinVersion = s.client.config.MinVersion()
	m, _, err := s.client.config.Bus.CallMessage(s.ctx, bus.LiveSubscribe(f.instance),
		&queryv1.SubscribeRequest{Operation: operation}, newSubscribeHead, 0)
	if head, ok := m.(*queryv1.SubscribeHead); err == nil && (!ok || !head.GetRemote()) {
		err = unavailable("a remote schema does not answer the subscription any more: subscribe again")
	}
	return err
}

// take hands a result to the receiver, as soon as that can take it.
func (f *follower) take(m *queryv1.LiveResult) error {
	s := f.subscription
	switch {
	case m.GetEnd():
		var why *apierror.Error
		if e := m.GetError(); e != nil {
			why = errorOf(e)
		}
		s.end(why)
		return nil
	case m.GetData() == nil:
		return nil // the first one, which only reports that the subscription is accepted
	}
	if m.GetVersion() < s.client.config.MinVersion() {
		if err := f.confirm(); err != nil {
			s.end(apierror.From(err))
			return nil
		}
	}
	for {
		s.taking.Lock()
		taken := s.ended || s.receiver.Data(m.GetData(), true)
		s.taking.Unlock()
		if taken {
			return nil
		}
		select {
		case <-s.resumed:
		case <-s.ctx.Done():
			return context.Cause(s.ctx)
		}
	}
}
