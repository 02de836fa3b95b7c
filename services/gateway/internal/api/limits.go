package api

import (
	"context"

	"queryengine/pkg/apierror"
	"queryengine/pkg/session"
	"queryengine/services/gateway/internal/limits"
)

// limitsOf are the limits that the metadata sets for a session.
func (a *API) limitsOf(s *session.Session) *limits.Limits {
	if current := a.Metadata.Current(); current != nil {
		return a.limits.Of(current.Document, s)
	}
	return nil
}

// refused logs that a request went beyond a limit, and passes on the error. Other errors are
// passed on alone.
func (a *API) refused(ctx context.Context, s *session.Session, operation, requestID string, err error) error {
	if err == nil {
		return nil
	}
	switch e := apierror.From(err); e.Code {
	case apierror.BatchLimitExceeded, apierror.RateLimitExceeded, apierror.DepthLimitExceeded,
		apierror.NodeLimitExceeded, apierror.TimeLimitExceeded:
		a.logs.limits.ErrorContext(ctx, "", "role", s.Role,
			"limit", e.Message, "code", e.Code, "operation_name", operation, "request_id", requestID)
	}
	return err
}
