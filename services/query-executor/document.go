package queryexecutor

import (
	"context"
	"time"

	"queryengine/pkg/apierror"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/plancache"
	"queryengine/services/query-executor/internal/planned"
	"queryengine/services/query-executor/internal/schema"
	"queryengine/services/query-executor/internal/validate"
)

// document finds the operation, or parses it.
func (e *Executor) document(ctx context.Context, q *request) (*plancache.Document[planned.Plan], error) {
	key := plancache.Key{
		Role: q.session.Role, Text: q.text, Operation: q.operation, BackendOnly: q.session.BackendOnly, Relay: q.relay,
	}
	if d := e.plans.Find(key); d != nil {
		return d, nil
	}
	_, end := e.stage(ctx, stageParse, time.Now())
	op, err := parse.Parse(q.text, q.operation, parse.Limits{Tokens: e.config.MaxTokens})
	end(err)
	if err != nil {
		return nil, err
	}
	return e.plans.Add(key, op), nil
}

// permitted refuses kinds of operations that can't come this way.
func (e *Executor) permitted(st *state, op *parse.Operation, q *request) error {
	switch {
	case q.live && op.Kind != parse.Subscription:
		return apierror.Newf(apierror.UnexpectedPayload, "a %s is no subscription", op.Kind)
	case op.Kind == parse.Subscription && !q.live && subscribesRemote(e.role(st, q), op.Selections):
		return apierror.New(apierror.NotSupported, "subscription to remote server is not supported")
	case op.Kind == parse.Subscription && !q.live:
		return apierror.New(apierror.UnexpectedPayload, "subscriptions are not supported over HTTP, use websockets instead")
	case op.Kind == parse.Mutation && q.readOnly:
		return apierror.New(apierror.NotSupported, "Mutations are not allowed when read-only mode is enabled")
	case q.writesNothing && op.Kind == parse.Query:
		name := validate.Writing(e.role(st, q), op)
		if name != "" && q.readOnly {
			return apierror.Newf(apierror.NotSupported, "%s calls a volatile function, which may write: a request that only reads may not use it", name)
		}
		q.readOnly = name == ""
	}
	return nil
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
