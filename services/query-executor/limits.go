package queryexecutor

import (
	"context"

	"queryengine/pkg/apierror"
	"queryengine/pkg/session"
	"queryengine/services/query-executor/internal/dataop"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/plan"
)

// admit refuses what a session may not run, by the text of a document and by its size.
func (s *state) admit(user *session.Session, document string, size parse.Size) error {
	if err := s.Listed(user, document); err != nil {
		return err
	}
	return s.Sized(user, size)
}

// Listed refuses documents that the allow list keeps from a role.
func (s *state) Listed(user *session.Session, document string) error {
	if s.allowlist == nil {
		return nil
	}
	return s.allowlist.Check(user, document)
}

// admission is what data operations have to pass.
func (e *Executor) admission() dataop.Admission { return e.state.Load() }

// validateData asks a webhook about what a data operation writes.
func (e *Executor) validateData(ctx context.Context, s *session.Session, clientHeaders map[string]string, in plan.Input) error {
	return e.validator.For(clientHeaders).Validate(ctx, s, in)
}

// Sized refuses operations that are larger than the metadata allows a role. The other limits are
// the gateway's business.
func (s *state) Sized(user *session.Session, size parse.Size) error {
	if s.limits == nil || user.IsAdmin() {
		return nil
	}
	if limit, ok := s.limits.DepthLimit.Of(user.Role); ok && size.Depth > limit {
		return apierror.Newf(apierror.DepthLimitExceeded,
			"depth limit exceeded: query depth is %d, the limit is %d", size.Depth, limit)
	}
	if limit, ok := s.limits.NodeLimit.Of(user.Role); ok && size.Nodes > limit {
		return apierror.Newf(apierror.NodeLimitExceeded,
			"node limit exceeded: query has %d nodes, the limit is %d", size.Nodes, limit)
	}
	return nil
}
