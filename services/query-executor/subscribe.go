package queryexecutor

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/bus"
	"queryengine/pkg/logtype"
	"queryengine/pkg/session"
	"queryengine/pkg/telemetry"
	queryv1 "queryengine/proto/query/v1"
	"queryengine/services/query-executor/internal/changelog"
	"queryengine/services/query-executor/internal/freshness"
	"queryengine/services/query-executor/internal/live"
	"queryengine/services/query-executor/internal/planned"
)

func changeLog(d Deps) func(source string) backend.Changes {
	return func(source string) backend.Changes { return changelog.New(d.Bus, source) }
}

// newFreshness makes what removes cached answers.
func newFreshness(e *Executor, d Deps) *freshness.Watcher {
	return freshness.New(freshness.Deps{
		Changes: live.Changes{Use: e.liveSource, Log: changeLog(d)}, Log: d.Logger,
		Forget: func(ctx context.Context, family string) { e.cache.Forget(ctx, family) },
	})
}

// newLive makes what keeps the executor's subscriptions.
func newLive(e *Executor, d Deps) *live.Manager {
	return live.New(live.Deps{
		Use:       e.liveSource,
		Queries:   live.Options{Interval: e.config.LiveInterval, Batch: e.config.LiveBatch, Patience: e.config.livePatience},
		Streams:   live.Options{Interval: e.config.StreamInterval, Batch: e.config.StreamBatch, Patience: e.config.livePatience},
		SkipEmpty: e.config.SkipEmptyResults,
		Version:   e.versionOf,
		ChangeLog: changeLog(d),
		Calls:     e.calls,
		Metrics:   live.NewMetrics(d.Metrics, e.config.DetailedMetrics),
		Log:       telemetry.Of(d.Logger, logtype.Poller),
		Tracer:    e.tracer,
	})
}

// versionOf is the current version if a plan is valid for it, else 0: the plan will be made again.
func (e *Executor) versionOf(p any) int64 {
	if known, ok := p.(*planned.Plan); ok {
		if s := e.state.Load(); s.accepts(known) {
			return s.snapshot.Version
		}
	}
	return 0
}

// liveSource is an open source that can be subscribed to.
func (e *Executor) liveSource(name string) (backend.LiveSource, func(), error) {
	use, err := e.sources.Named(name)
	if err != nil {
		return nil, nil, err
	}
	if s, ok := use.Source.(backend.LiveSource); ok {
		return s, use.Release, nil
	}
	use.Release()
	return nil, nil, apierror.Newf(apierror.NotSupported, "subscriptions on source %q are not supported", name)
}

// link answers LiveLink: with the results of all subscriptions of a gateway, for as long as
// the gateway wants them.
func (e *Executor) link(ctx context.Context, m proto.Message, w bus.ResponseWriter) error {
	in, ok := m.(*queryv1.LinkRequest)
	if !ok {
		return unexpectedRequest(m)
	}
	l, err := e.live.Open(in.GetLink())
	if err != nil {
		return err
	}
	defer l.Close()
	return l.Serve(ctx, func(p []byte) error {
		_, err := w.Write(p)
		return err
	}, func() error { return bus.Flush(w) })
}

// subscribe answers LiveSubscribe.
func (e *Executor) subscribe(ctx context.Context, m proto.Message, w bus.ResponseWriter) error {
	in, ok := m.(*queryv1.SubscribeRequest)
	if !ok {
		return unexpectedRequest(m)
	}
	op := in.GetOperation()
	q := &request{
		session: session.FromProto(op.GetSession()), text: op.GetQuery(), operation: op.GetOperationName(),
		variables: bytes.Clone(op.GetVariables()), minVersion: op.GetMinVersion(), relay: op.GetRelay(), live: true,
		describe: op.GetDescribe(), id: op.GetRequestId(), readOnly: op.GetReadOnly(),
	}
	started := time.Now()
	s, err := e.subscription(ctx, q)
	e.metrics.requests.done(q, time.Since(started), err)
	if err != nil {
		return e.metrics.failed(err)
	}
	head := &queryv1.SubscribeHead{Remote: s.Remote}
	if q.describe {
		head.ParameterizedQueryHash, head.OperationName, head.OperationType = q.hash, q.parsed.Name, string(q.parsed.Kind)
	}
	if s.Remote {
		w.SetHead(head)
		return nil
	}
	s.Hash, head.Cursor = in.GetHash(), s.Cursor
	if in.Cursor != nil {
		s.Cursor = in.GetCursor()
	}
	if s.Live != nil && e.queryLog.LogsQueries() {
		e.queryLog.Subscribed(ctx, q.logged(), s.Live, s.Values)
	}
	if err := e.live.Join(in.GetLink(), in.GetSubscriber(), s); err != nil {
		return err
	}
	w.SetHead(head)
	return nil
}

// streamStart returns where a stream begins, nil where its values say so.
func (e *Executor) streamStart(ctx context.Context, s live.Subscription) ([]byte, error) {
	source, release, err := e.liveSource(s.Live.Source)
	if err != nil {
		return nil, err
	}
	defer release()
	starter, ok := source.(backend.StreamStarter)
	if !ok {
		return nil, nil
	}
	return starter.StreamStart(ctx, s.Live.Statement, s.Values)
}

// subscription plans a subscription, and finds out where a stream begins.
func (e *Executor) subscription(ctx context.Context, q *request) (live.Subscription, error) {
	s := e.borrow()
	defer func() {
		q.values = nil // they are those of s
		e.giveBack(s)
	}()
	r, err := e.prepare(ctx, q, s)
	if err != nil {
		return live.Subscription{}, err
	}
	out := live.Subscription{Plan: r.plan, Request: q, Role: q.session.Role, Live: r.plan.Live(), Remote: r.plan.RemoteSubscription() != nil}
	out.Operation = live.Operation(e.metrics.requests.nameOf(q))
	if out.Live == nil {
		out.Calls = callsOf(r.plan, s)
		return out, nil
	}
	values, err := out.Live.Values(&s.run)
	if err != nil {
		return out, err
	}
	out.Values = cloneAll(values)
	if q.readOnly {
		out.Live = out.Live.ReadOnly()
	}
	if out.Live.Streaming {
		out.Cursor, err = e.streamStart(ctx, out)
	}
	return out, err
}

// callsOf are the calls of actions that a subscription is about, nil for none.
func callsOf(p *planned.Plan, s *scratch) *live.Calls {
	run := s.run
	ids, lasting := p.Calls(&run)
	if len(ids) == 0 {
		return nil
	}
	run.Values, run.Bound = cloneAll(run.Values), cloneAll(run.Bound)
	run.SetCookies = nil
	return &live.Calls{IDs: ids, Lasting: lasting, Answer: func(ctx context.Context) ([]byte, error) {
		own, out := run, backend.NewAnswer(nil, nil, 0)
		err := p.Write(ctx, &own, out)
		return out.Buf, err
	}}
}

// cloneAll copies values, which may be parts of a larger text.
func cloneAll(values [][]byte) [][]byte {
	own := make([][]byte, len(values))
	for i, v := range values {
		own[i] = bytes.Clone(v)
	}
	return own
}

// explainSubscription answers QueryExplain for a subscription.
func (e *Executor) explainSubscription(ctx context.Context, q *request, w bus.ResponseWriter) error {
	q.live = true
	st, err := e.stateAt(ctx, q.minVersion)
	if err != nil {
		return err
	}
	if e.role(st, q).Subscription() == nil {
		return apierror.New(apierror.NotFound, "no subscriptions found")
	}
	s := e.borrow()
	defer e.giveBack(s)
	r, err := e.prepare(ctx, q, s)
	if err != nil {
		return err
	}
	body, err := r.plan.ExplainLive(ctx, &s.run)
	if err != nil {
		return err
	}
	_, err = w.Write(body)
	return err
}

// dumpSubscriptions answers LiveDump.
func (e *Executor) dumpSubscriptions(_ context.Context, m proto.Message, w bus.ResponseWriter) error {
	in, ok := m.(*queryv1.LiveDumpRequest)
	if !ok {
		return unexpectedRequest(m)
	}
	body, err := json.Marshal(e.live.Dump(in.GetExtended()))
	if err != nil {
		return err
	}
	_, err = w.Write(body)
	return err
}

// unsubscribe answers LiveUnsubscribe.
func (e *Executor) unsubscribe(_ context.Context, m proto.Message, w bus.ResponseWriter) error {
	in, ok := m.(*queryv1.UnsubscribeRequest)
	if !ok {
		return unexpectedRequest(m)
	}
	e.live.Leave(in.GetLink(), in.GetSubscribers())
	w.SetHead(&emptypb.Empty{})
	return nil
}
