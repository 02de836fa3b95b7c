package rawsql

import (
	"context"

	"queryengine/pkg/backend"
)

// Rehearse runs the text as Run does, in a transaction that it rolls back after the hooks have seen what
// it did. Statements are sent one by one and watched as those of a read-only request are, so that
// the text can't end the transaction: one that tries is refused. What the server doesn't roll back stays
// done: sequences go on, and functions may have effects outside of the transaction. Locks are held
// until the end of the hooks.
func (s *Source) Rehearse(ctx context.Context, r backend.RawSQL) (*backend.RawResult, error) {
	if err := checkText(r.SQL); err != nil {
		return nil, err
	}
	c, err := s.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer c.Release()
	run := rawRun{source: s, pg: c.PG, direct: c.Direct, request: r, isolation: s.Pool.Endpoint.Isolation}
	return run.all(run.rehearse(ctx))
}

func (r *rawRun) rehearse(ctx context.Context) (*backend.RawResult, error) {
	defer r.rollback(ctx)
	if err := r.exec(ctx, "BEGIN ISOLATION LEVEL "+r.isolation.SQL()); err != nil {
		return nil, err
	}
	if err := r.announce(ctx, true); err != nil {
		return nil, err
	}
	if err := r.hook(ctx, r.request.Before); err != nil {
		return nil, err
	}
	g, err := r.newGuard(ctx, false)
	if err != nil {
		return nil, err
	}
	result, err := r.guarded(ctx, g)
	if err != nil {
		return nil, err
	}
	return result, r.hook(ctx, r.request.Check)
}
