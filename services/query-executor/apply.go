package queryexecutor

import (
	"context"
	"time"

	"queryengine/pkg/egress"
	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
	"queryengine/pkg/snapshot"
	"queryengine/services/query-executor/internal/allowlist"
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
	if e.config.EnableAllowlist {
		s.allowlist = allowlist.New(next.Document, listed)
	}
	s.schema = resolve.New(next.Document, findings(next), previous, e.resolveOptions)
	e.sources.Update(next.Document.Sources)
	e.applyAllowlist(next.Document)
	e.state.Store(s)
	e.introspections.Clear() // plans that introspect are good for one state only
	e.metrics.applied(next.Version)
	e.replan(s)
}

// applyAllowlist makes the TLS allow list count for calls from now on.
func (e *Executor) applyAllowlist(d *metadata.Document) {
	hosts, err := egress.Allowlist(d.Network)
	if err != nil {
		e.logger.Warn("the TLS allow list counts as empty", "error", err)
	}
	e.egress.SetAllowlist(hosts)
}

// findings are the snapshot's findings about sources and remote schemas.
func findings(s *snapshot.Snapshot) resolve.Findings {
	return resolve.Findings{Catalogs: s.Catalogs, SourceErrors: s.SourceErrors, Remotes: s.Remotes, RemoteErrors: s.RemoteErrors}
}

// follower knows when a version of the metadata was applied.
type follower interface {
	WaitFor(ctx context.Context, version int64) (*snapshot.Snapshot, error)
}

// versionPatience bounds the wait for a version of the metadata.
const versionPatience = 10 * time.Second

// stateAt is the state at a version or later. It waits for one that has not arrived yet.
func (e *Executor) stateAt(ctx context.Context, version int64) (*state, error) {
	if s := e.state.Load(); s != nil && s.snapshot.Version >= version {
		return s, nil
	}
	ctx, cancel := context.WithTimeout(ctx, versionPatience)
	defer cancel()
	if _, err := e.follower.WaitFor(ctx, version); err != nil {
		return nil, err
	}
	return e.state.Load(), nil
}

// metadataAt is the metadata at a version or later, and the schema of it.
func (e *Executor) metadataAt(ctx context.Context, version int64) (*snapshot.Snapshot, *resolve.Schema, error) {
	s, err := e.stateAt(ctx, version)
	if err != nil {
		return nil, nil, err
	}
	return s.snapshot, s.schema, nil
}
