package queryexecutor

import (
	"queryengine/pkg/apierror"
	"queryengine/services/query-executor/internal/parse"
)

// withinLimits refuses operations that are larger than the metadata allows a role. The other
// limits are the gateway's business.
func (s *state) withinLimits(op *parse.Operation, q *request) error {
	if s.limits == nil || q.session.IsAdmin() || q.anyQuery {
		return nil
	}
	if limit, ok := s.limits.DepthLimit.Of(q.session.Role); ok && op.Size.Depth > limit {
		return apierror.Newf(apierror.DepthLimitExceeded,
			"depth limit exceeded: query depth is %d, the limit is %d", op.Size.Depth, limit)
	}
	if limit, ok := s.limits.NodeLimit.Of(q.session.Role); ok && op.Size.Nodes > limit {
		return apierror.Newf(apierror.NodeLimitExceeded,
			"node limit exceeded: query has %d nodes, the limit is %d", op.Size.Nodes, limit)
	}
	return nil
}
