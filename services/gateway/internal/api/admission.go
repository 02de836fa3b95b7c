package api

import (
	"context"
	"sync/atomic"

	"google.golang.org/protobuf/proto"

	"queryengine/pkg/apierror"
	"queryengine/pkg/bus"
)

// admission bounds the requests that wait for executors at once. When CPU is the bottleneck, nothing
// else refuses requests: they would pile up here, each later than the one before. Requests to metadata
// always pass, so that operators get through.
type admission struct {
	caller
	limit   int64 // 0 for none
	waiting atomic.Int64
	metrics *Metrics
}

// Call implements caller.
func (a *admission) Call(ctx context.Context, ep bus.Endpoint, req proto.Message, newHead func() proto.Message, sink bus.Sink) error {
	if a.limit == 0 || ep.Service != bus.ServiceQueryExecutor {
		return a.caller.Call(ctx, ep, req, newHead, sink)
	}
	if a.waiting.Add(1) > a.limit {
		a.waiting.Add(-1)
		a.metrics.refused.Inc()
		e := apierror.New(apierror.Busy, "too many requests wait for an answer")
		e.RetryAfter = 1
		return e
	}
	s := admitted{Sink: sink, admission: a}
	defer s.leave()
	return a.caller.Call(ctx, ep, req, newHead, &s)
}

// admitted is the sink of a request that waits. One whose answer has begun waits no longer: how
// fast its client takes the rest is no concern of others.
type admitted struct {
	bus.Sink
	admission *admission
	left      bool
}

// Write implements bus.Sink.
func (s *admitted) Write(p []byte) (int, error) {
	s.leave()
	return s.Sink.Write(p)
}

func (s *admitted) leave() {
	if !s.left {
		s.left = true
		s.admission.waiting.Add(-1)
	}
}
