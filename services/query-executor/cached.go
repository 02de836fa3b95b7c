package queryexecutor

import (
	"context"
	"maps"
	"strconv"

	"queryengine/pkg/backend"
	"queryengine/pkg/jsonwalk"
	"queryengine/services/query-executor/internal/cache"
	"queryengine/services/query-executor/internal/execute"
)

// cacheKey is the key of the answer to a request.
func (e *Executor) cacheKey(q *request, r *ready, s *scratch) cache.Key {
	of := cache.Request{
		Role: q.session.Role, Schema: strconv.FormatBool(q.session.BackendOnly) + strconv.FormatBool(q.relay),
		Query: q.text, Operation: q.operation, Plan: r.plan.Statements(), Variables: s.values,
		Session: q.session.Variables,
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
	key := e.cacheKey(q, r, s)
	deps := r.plan.Session
	s.responder.SessionBound, s.responder.HeadersBound = deps.All || deps.Opaque || len(deps.Names) > 0, deps.Opaque
	if !refresh {
		if body, left, ok := e.cache.Get(ctx, key); ok {
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
	warning := e.cache.Put(ctx, key, body, ttl)
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
