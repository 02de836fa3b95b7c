package api

import (
	"context"
	"net/http"

	"queryengine/pkg/session"
	queryv1 "queryengine/proto/query/v1"
	"queryengine/services/gateway/internal/live"
)

// subscription is one that counts as its session's until it is closed.
type subscription struct {
	*live.Subscription
	end func()
}

// Close ends the subscription.
func (s *subscription) Close() {
	s.Subscription.Close()
	s.end()
}

// subscribe begins a subscription, unless its session has too many. address is the client's.
func (a *API) subscribe(ctx context.Context, of *session.Session, address string, r *queryv1.ExecuteRequest, headers func() map[string]string, to live.Receiver) (*subscription, error) {
	end, err := a.running.Begin(of, address)
	if err != nil {
		return nil, err
	}
	var s *live.Subscription
	defer func() {
		if s == nil {
			end()
		}
	}()
	if s, err = a.Live.Subscribe(ctx, r, headers, to); err != nil {
		return nil, err
	}
	return &subscription{s, end}, nil
}

// showSubscriptions answers with what the executors do for subscriptions, as a list by
// executor; extended adds the cohorts.
func showSubscriptions(extended bool) handler {
	return func(x *exchange) error {
		if err := x.authenticateAdmin(); err != nil {
			return err
		}
		list, err := x.api.Live.Dump(x.ctx, extended)
		if err != nil {
			return err
		}
		x.send(jsonType, http.StatusOK, list)
		return nil
	}
}
