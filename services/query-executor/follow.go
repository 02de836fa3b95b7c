package queryexecutor

import (
	"context"

	"google.golang.org/protobuf/proto"

	"queryengine/pkg/apierror"
	"queryengine/pkg/bus"
	"queryengine/pkg/session"
	queryv1 "queryengine/proto/query/v1"
	"queryengine/services/query-executor/internal/live"
	"queryengine/services/query-executor/internal/planned"
	"queryengine/services/query-executor/internal/remotesub"
)

// newRemoteSubscriptions makes what keeps the subscriptions that remote schemas answer.
func newRemoteSubscriptions(e *Executor) *remotesub.Manager {
	return remotesub.New(remotesub.Deps{
		Valid:   func(p *planned.Plan) bool { return e.state.Load().accepts(p) },
		Version: e.versionOf,
		Count:   e.live.CountRemote,
		Tracer:  e.tracer,
		Log:     e.logger,
	})
}

// follow answers LiveFollow: with the results of one subscription on a remote schema, for as long as
// the gateway wants them and the remote has some. Each waits until the gateway can take it, and the
// remote has to wait meanwhile.
func (e *Executor) follow(ctx context.Context, m proto.Message, w bus.ResponseWriter) error {
	in, ok := m.(*queryv1.ExecuteRequest)
	if !ok {
		return unexpectedRequest(m)
	}
	q := request{
		session: session.FromProto(in.GetSession()), text: in.GetQuery(), operation: in.GetOperationName(),
		variables: in.GetVariables(), minVersion: in.GetMinVersion(), relay: in.GetRelay(),
		clientHeaders: in.GetClientHeaders(), id: in.GetRequestId(), live: true,
	}
	again := q
	again.minVersion = 0 // the current version
	first, err := e.planRemote(ctx, &q)
	if err != nil { // which LiveSubscribe has counted as a request
		return e.metrics.failed(err)
	}
	s, err := e.remoteSubscriptions.Open(ctx, first, func(ctx context.Context) (remotesub.Planned, error) {
		q := again
		return e.planRemote(ctx, &q)
	})
	if err != nil {
		return err
	}
	defer s.Close()
	return e.send(s, w)
}

// planRemote plans a subscription that a remote schema answers.
func (e *Executor) planRemote(ctx context.Context, q *request) (remotesub.Planned, error) {
	s := e.borrow()
	defer e.giveBack(s)
	r, err := e.prepare(ctx, q, s)
	if err != nil {
		return remotesub.Planned{}, err
	}
	subscription := r.plan.RemoteSubscription()
	if subscription == nil {
		return remotesub.Planned{}, apierror.New(apierror.Unexpected, "the subscription is not answered by a remote schema any more: subscribe again")
	}
	return remotesub.Planned{
		Plan: r.plan, Body: subscription.Body(&s.run), Remotes: s.run.Remotes, Operation: live.Operation(e.metrics.requests.nameOf(q)),
	}, nil
}

// send writes the results of a subscription that a remote schema answers.
func (e *Executor) send(s *remotesub.Subscription, w bus.ResponseWriter) error {
	var buffer []byte
	write := func(m *queryv1.LiveResult) (err error) {
		if buffer, err = live.AppendFrame(buffer[:0], m); err != nil {
			return err
		}
		if _, err = w.Write(buffer); err != nil {
			return err
		}
		if cap(buffer) > largestBuffer {
			buffer = nil
		}
		return bus.Flush(w)
	}
	if err := write(&queryv1.LiveResult{}); err != nil {
		return err
	}
	err := s.Follow(func(answer []byte, version int64) error {
		return write(&queryv1.LiveResult{Data: answer, Version: version})
	})
	end := &queryv1.LiveResult{End: true}
	if err != nil {
		known := apierror.From(e.metrics.failed(err))
		end.Error = &queryv1.LiveError{Code: string(known.Code), Path: known.Path, Message: known.Message}
	}
	return write(end)
}
