package queryexecutor

import (
	"context"
	"maps"
	"strconv"
	"time"

	"queryengine/pkg/backend"
	"queryengine/pkg/jsonwalk"
	"queryengine/services/query-executor/internal/cache"
	"queryengine/services/query-executor/internal/execute"
	"queryengine/services/query-executor/internal/freshness"
)

// cacheKey is the key of the answer to a request.
func (e *Executor) cacheKey(q *request, r *ready, s *scratch) cache.Key {
	of := cache.Request{
		Role: q.session.Role, Schema: strconv.FormatBool(q.session.BackendOnly) + strconv.FormatBool(q.relay),
		Query: q.text, Operation: q.operation, Plan: r.plan.Statements(), Variables: s.values,
		Session: q.session.Variables,
	}
	for _, settings := range r.plan.Session.Settings {
		of.Plan = append(of.Plan, "\x00session "+settings) // unlike any statement
	}
	if r.plan.Needs().Has(execute.NeedsSchema) || r.plan.Session.All {
		of.Plan = append(of.Plan, strconv.FormatInt(r.state.snapshot.Version, 10))
	}
	if !r.plan.Session.All {
		of.Session = make(map[string]string, len(r.plan.Session.Names))
		for _, name := range r.plan.Session.Names {
			if v, ok := q.session.Variables[name]; ok {
				of.Session[name] = v
			}
		}
	}
	for _, tag := range cachedTags(r.cached) {
		of.Plan = append(of.Plan, "\x00tag "+tag) // unlike any statement
	}
	if r.plan.Session.Opaque {
		of.Headers = maps.Clone(q.clientHeaders)
		delete(of.Headers, "x-request-id")
	}
	return cache.KeyOf(&of)
}

// runCached answers a request with @cached: from the cache, or as any other, and then the answer is
// held back until it is stored, so that its head can report that.
func (e *Executor) runCached(ctx context.Context, q *request, r *ready, out *backend.Answer, s *scratch) error {
	seconds, refresh := cachedArguments(r.cached, s.values)
	tags := cachedTags(r.cached)
	var guard *freshness.Guard
	var purges []string
	if len(tags) > 0 {
		var err error
		if guard, err = e.freshness.Guard(ctx, r.plan.Reads); err == nil {
			purges, err = e.cache.Purges(ctx, tags)
		}
		if err != nil { // what can't be removed in time isn't cached
			e.logger.DebugContext(ctx, "an answer with tags is not cached at present", "error", err)
			return e.write(ctx, q, r.plan, out, s)
		}
	}
	key := e.cacheKey(q, r, s)
	deps := r.plan.Session
	s.responder.SessionBound = deps.All || deps.Opaque || len(deps.Names) > 0
	s.responder.Revalidate = deps.Opaque || len(cachedTags(r.cached)) > 0
	if !refresh {
		if body, left, ok := e.cache.Get(ctx, key); ok && (guard == nil || guard.Covers(key.Family, time.Now().Add(left-e.cache.TTL(seconds)))) {
			e.metrics.cacheHits.Inc()
			if e.queryLog.LogsQueries() {
				e.queryLog.Cached(ctx, q.logged())
			}
			return s.responder.Answer(key, body, cache.NoWarning, left)
		}
	}
	e.metrics.cacheMisses.Inc()
	s.responder.Hold(key, e.cache)
	defer s.responder.Drop()
	if err := e.write(ctx, q, r.plan, out, s); err != nil {
		return err
	}
	body, whole := s.responder.Held()
	if !whole {
		return nil
	}
	ttl := e.cache.TTL(seconds)
	if ttl == 0 || hasErrors(body) {
		return s.responder.Release(cache.NoWarning, 0)
	}
	var warning cache.Warning
	switch {
	case guard == nil:
		warning = e.cache.Put(ctx, key, body, ttl)
	case guard.Keep(key.Family):
		warning = e.cache.PutTagged(ctx, key, body, ttl, tags, purges, guard.Changed)
	default:
		warning = cache.CapacityExceeded
	}
	if warning != cache.NoWarning {
		ttl = 0
	}
	return s.responder.Release(warning, ttl)
}

// hasErrors reports whether a response document has errors in it.
func hasErrors(body []byte) bool {
	found := false
	err := jsonwalk.Fields(body, func(key, _ []byte) error {
		found = found || string(key) == "errors" || string(key) == `"errors"`
		return nil
	})
	return found || err != nil
}
