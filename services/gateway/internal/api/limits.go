package api

import (
	"context"

	"queryengine/pkg/apierror"
	"queryengine/pkg/session"
	"queryengine/services/gateway/internal/accesslog"
	"queryengine/services/gateway/internal/limits"
)

// limitsOf are the limits that the metadata sets for a session.
func (a *API) limitsOf(s *session.Session) *limits.Limits {
	if current := a.Metadata.Current(); current != nil {
		return a.limits.Of(current.Document, s)
	}
	return nil
}

// limited has do run an operation of a session within the limits that the metadata sets for it.
// address is the client's.
func (a *API) limited(ctx context.Context, s *session.Session, address, operation, requestID string, do func(context.Context) error) error {
	bounds := a.limitsOf(s)
	err := bounds.Rate(address)
	if err == nil {
		within, finish := bounds.Time(ctx)
		err = finish(do(within))
	}
	return a.refused(ctx, s, operation, requestID, err)
}

// limitedData is limited for a request with a number of data operations. Several are a batch, of
// which each counts as a request.
func (x *exchange) limitedData(size int, do func(context.Context) error) error {
	a := x.api
	if a.UnlimitedData {
		return do(x.ctx)
	}
	bounds, address := a.limitsOf(x.session), accesslog.ClientIP(x.r)
	var err error
	if size > 1 {
		err = bounds.Batch(size)
	}
	for range size - 1 {
		if err == nil {
			err = bounds.Rate(address)
		}
	}
	if err != nil {
		return a.refused(x.ctx, x.session, "", x.requestID, err)
	}
	return a.limited(x.ctx, x.session, address, "", x.requestID, do)
}

// refused logs that a request went beyond a limit, and passes on the error. Other errors are
// passed on alone.
func (a *API) refused(ctx context.Context, s *session.Session, operation, requestID string, err error) error {
	if err == nil {
		return nil
	}
	switch e := apierror.From(err); e.Code {
	case apierror.BatchLimitExceeded, apierror.RateLimitExceeded, apierror.DepthLimitExceeded,
		apierror.NodeLimitExceeded, apierror.TimeLimitExceeded, apierror.BytesLimitExceeded:
		a.logs.limits.ErrorContext(ctx, "", "role", s.Role,
			"limit", e.Message, "code", e.Code, "operation_name", operation, "request_id", requestID)
	}
	return err
}
