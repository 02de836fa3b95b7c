package queryexecutor

import (
	"context"
	"net/http"
	"sync"

	"google.golang.org/protobuf/proto"

	"queryengine/pkg/apierror"
	"queryengine/pkg/bus"
	"queryengine/pkg/session"
	queryv1 "queryengine/proto/query/v1"
	"queryengine/services/query-executor/internal/execute"
	"queryengine/services/query-executor/internal/live"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/planned"
	"queryengine/services/query-executor/internal/schema"
)

// maxFeeds bounds the subscriptions on remote schemas that one executor keeps: each has a
// connection of its own.
const maxFeeds = 10_000

// feeds are the subscriptions on remote schemas that are running.
type feeds struct {
	mu      sync.Mutex
	closed  bool
	running map[*feed]struct{}
}

// feed is a subscription on a remote schema.
type feed struct {
	request *request
	body    []byte
	remotes execute.Remotes
	// operation is what metrics call it.
	operation live.Operation
	cancel    context.CancelCauseFunc
	// plan belongs to the mu of feeds: it is another one after a change of the metadata that
	// makes no difference.
	plan *planned.Plan
}

var errStopping = unavailable("the query-executor is stopping: subscribe again")

func unavailable(message string) *apierror.Error {
	e := apierror.New(apierror.Unexpected, message).WithStatus(http.StatusServiceUnavailable)
	e.RetryAfter = 1
	return e
}

// add counts a feed in.
func (f *feeds) add(one *feed) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.closed:
		return errStopping
	case len(f.running) >= maxFeeds:
		return unavailable("too many subscriptions on remote schemas")
	case f.running == nil:
		f.running = map[*feed]struct{}{}
	}
	f.running[one] = struct{}{}
	return nil
}

func (f *feeds) remove(one *feed) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.running, one)
}

// close ends all of them.
func (f *feeds) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	for one := range f.running {
		one.cancel(errStopping)
	}
}

// stale are those whose plans are not good for a state.
func (f *feeds) stale(s *state) []*feed {
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []*feed
	for one := range f.running {
		if !s.accepts(one.plan) {
			list = append(list, one)
		}
	}
	return list
}

// follow answers LiveFollow: with the results of one subscription on a remote schema, for as
// long as the gateway wants them and the remote has some. Each waits for the gateway to have
// room, and the remote has to wait meanwhile.
func (e *Executor) follow(ctx context.Context, m proto.Message, w bus.ResponseWriter) error {
	in, ok := m.(*queryv1.ExecuteRequest)
	if !ok {
		return unexpectedRequest(m)
	}
	one := &feed{request: &request{
		session: session.FromProto(in.GetSession()), text: in.GetQuery(), operation: in.GetOperationName(),
		variables: in.GetVariables(), minVersion: in.GetMinVersion(), relay: in.GetRelay(),
		clientHeaders: in.GetClientHeaders(), id: in.GetRequestId(), live: true,
	}}
	ctx, one.cancel = context.WithCancelCause(ctx)
	defer one.cancel(nil)
	if err := e.planFeed(ctx, one); err != nil { // which LiveSubscribe has counted as a request
		return e.metrics.failed(err)
	}
	plan := one.plan
	if err := e.feeds.add(one); err != nil {
		return err
	}
	defer e.feeds.remove(one)
	e.live.CountRemote(one.operation, 1)
	defer e.live.CountRemote(one.operation, -1)
	if !e.state.Load().accepts(plan) {
		e.recheck([]*feed{one}) // it changed before the feed was counted in
	}
	return e.send(ctx, plan.Feed(), one, w)
}

// send writes the results of a feed.
func (e *Executor) send(ctx context.Context, f *execute.Feed, one *feed, w bus.ResponseWriter) error {
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
	err := f.Follow(ctx, e.tracer, one.remotes, one.body, func(answer []byte) error {
		e.feeds.mu.Lock()
		plan := one.plan
		e.feeds.mu.Unlock()
		return write(&queryv1.LiveResult{Data: answer, Version: e.versionOf(plan)})
	})
	end := &queryv1.LiveResult{End: true}
	if err != nil {
		known := apierror.From(e.metrics.failed(err))
		end.Error = &queryv1.LiveError{Code: string(known.Code), Path: known.Path, Message: known.Message}
	}
	return write(end)
}

// planFeed plans a feed.
func (e *Executor) planFeed(ctx context.Context, one *feed) error {
	s := e.borrow()
	defer e.giveBack(s)
	r, err := e.prepare(ctx, one.request, s)
	if err != nil {
		return err
	}
	if r.plan.Feed() == nil {
		return apierror.New(apierror.Unexpected, "the subscription is not answered by a remote schema any more: subscribe again")
	}
	one.operation = live.Operation(e.metrics.requests.nameOf(one.request))
	one.plan, one.body, one.remotes = r.plan, r.plan.Feed().Body(&s.run), s.run.Remotes
	return nil
}

// recheck plans feeds anew after a change of the metadata, and ends those that a subscriber
// would notice a difference to.
func (e *Executor) recheck(list []*feed) {
	for _, one := range list {
		next := &feed{request: &request{
			session: one.request.session, text: one.request.text, operation: one.request.operation,
			variables: one.request.variables, relay: one.request.relay, clientHeaders: one.request.clientHeaders, live: true,
		}}
		err := e.planFeed(context.Background(), next)
		e.feeds.mu.Lock()
		if err == nil && !next.plan.Feed().Same(one.plan.Feed(), next.body, one.body) {
			err = apierror.New(apierror.RemoteSchemaError, "the remote schema or its permissions have changed: subscribe again")
		}
		if err == nil {
			one.plan = next.plan
		}
		e.feeds.mu.Unlock()
		if err != nil {
			one.cancel(err)
		}
	}
}

// subscribesRemote reports whether a remote schema answers one of the root fields.
func subscribesRemote(role *schema.Role, set []parse.Selection) bool {
	for _, s := range set {
		if f, ok := s.(*parse.Field); ok && role.IsRemoteSubscription(f.Name) {
			return true
		}
	}
	return false
}
