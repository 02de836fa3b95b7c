package queryexecutor

import (
	"context"

	"queryengine/pkg/apierror"
	"queryengine/pkg/egress"
	"queryengine/pkg/guard"
	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
	"queryengine/pkg/snapshot"
	"queryengine/services/query-executor/internal/allowlist"
	"queryengine/services/query-executor/internal/live"
	"queryengine/services/query-executor/internal/planned"
	"queryengine/services/query-executor/internal/schema"
)

// apply makes the state of a snapshot and opens its sources. Snapshots come one after the
// other.
func (e *Executor) apply(next *snapshot.Snapshot) {
	e.applying.Lock()
	defer e.applying.Unlock()
	s := &state{
		generation: 1, snapshot: next, limits: next.Document.Limits(), roles: map[roleKey]*schema.Role{},
		measured: next.Document.Metrics(), withoutIntrospection: next.Document.WithoutIntrospection(),
	}
	var previous *resolve.Schema
	var listed *allowlist.List
	if old := e.state.Load(); old != nil {
		previous, listed, s.generation = old.schema, old.allowlist, old.generation+1
	}
	s.allowlist = allowlist.New(next.Document, e.config.EnableAllowlist, listed)
	s.schema = resolve.New(next.Document, findings(next), previous, e.resolveOptions)
	e.sources.Update(next.Document.Sources)
	e.applyAllowlist(next.Document)
	e.state.Store(s)
	if lacks := resolve.LacksCode(next.Document, e.env, e.config.Egress.Code); e.lacksCode.Swap(lacks) != lacks && e.bus != nil {
		e.bus.Announce()
	}
	e.introspections.Clear() // plans that introspect are good for one state only
	e.metrics.applied(next.Version)
	e.replan(s)
}

// applyAllowlist makes the TLS allow list count for calls from now on.
func (e *Executor) applyAllowlist(d *metadata.Document) {
	hosts, err := egress.Allowlist(d.Network)
	if err != nil {
		e.logger.Warn("TLS allow list is treated as empty", "error", err)
	}
	e.egress.SetAllowlist(hosts)
}

// findings are the snapshot's findings about sources and remote schemas.
func findings(s *snapshot.Snapshot) resolve.Findings {
	return resolve.Findings{Catalogs: s.Catalogs, SourceErrors: s.SourceErrors, Remotes: s.Remotes, RemoteErrors: s.RemoteErrors}
}

// replan takes the subscriptions whose plans are not valid for a state out of their cohorts, so that no
// client receives what it may not see any more, and plans them again.
func (e *Executor) replan(s *state) {
	if recheck := e.remoteSubscriptions.Changed(); recheck != nil {
		e.replanning.done.Go(recheck)
	}
	e.replanning.add(e.live.Stale(func(p any) bool {
		known, ok := p.(*planned.Plan)
		return ok && s.accepts(known)
	}), e.rejoin)
}

// rejoin plans a subscription again and takes it into a cohort, or ends it.
func (e *Executor) rejoin(s *live.Subscriber) {
	q, _ := s.Request.(*request)
	var next live.Subscription
	err := guard.Do(e.logger, "panic in the planning of a subscription", func() (err error) {
		next, err = e.subscription(context.Background(), q)
		return err
	})
	if err == nil && next.Remote {
		err = apierror.New(apierror.RemoteSchemaError, "a remote schema answers the subscription now: subscribe again")
	}
	if err != nil || next.Live == nil && next.Calls == nil {
		e.live.End(s, err)
		return
	}
	e.live.Rejoin(s, next)
}
