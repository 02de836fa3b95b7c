package queryexecutor

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"queryengine/pkg/backend"
	"queryengine/pkg/jsonwalk"
	"queryengine/services/query-executor/internal/cache"
	"queryengine/services/query-executor/internal/execute"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/plan"
)

// cachedDirective is @cached as it is spelt, nil when the operation isn't to be cached.
func cachedDirective(op *parse.Operation) *parse.Directive {
	i := slices.IndexFunc(op.Directives, func(d parse.Directive) bool { return d.Name == "cached" })
	if i < 0 {
		return nil
	}
	return &op.Directives[i]
}

// defaultTTL is how many seconds an answer is kept when the directive sets none.
const defaultTTL = 60

// cachedArguments are the arguments of @cached, which the plan has checked. refresh counts when it is a
// literal; a variable makes another key anyway.
func cachedArguments(d *parse.Directive, values [][]byte) (ttl int64, refresh bool) {
	ttl = defaultTTL
	for _, a := range d.Arguments {
		switch {
		case a.Name == "refresh":
			refresh = a.Value.Kind == parse.Boolean && a.Value.Text == "true"
		case a.Value.Kind == parse.VariableUse:
			if n, err := strconv.ParseInt(string(values[a.Value.Variable.Index]), 10, 64); err == nil {
				ttl = n
			}
		default:
			if n, err := strconv.ParseInt(a.Value.Text, 10, 64); err == nil {
				ttl = n
			}
		}
	}
	return ttl, refresh
}

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

// sessionUse is what a plan that may be cached uses of the session; others are not looked at.
func sessionUse(op *parse.Operation, p *plan.Plan) plan.SessionUse {
	if cachedDirective(op) == nil {
		return plan.SessionUse{}
	}
	return p.SessionUse()
}
