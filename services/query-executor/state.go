package queryexecutor

import (
	"sync"

	"queryengine/pkg/apierror"
	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
	"queryengine/pkg/session"
	"queryengine/pkg/snapshot"
	"queryengine/services/query-executor/internal/allowlist"
	"queryengine/services/query-executor/internal/assist"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/planned"
	"queryengine/services/query-executor/internal/schema"
)

// state is one version of the metadata, resolved, with the schemas of the roles that asked.
type state struct {
	// generation counts the states of this process. Versions don't do: a metadata database
	// that was restored counts them again.
	generation uint64
	snapshot   *snapshot.Snapshot
	schema     *resolve.Schema
	allowlist  *allowlist.List // nil when every role may run any document
	// limits are those of the metadata, nil for none.
	limits *metadata.APILimits
	// measured is what is measured of operations besides the default, nil for nothing.
	measured *metadata.MetricsConfig
	// withoutIntrospection are the roles that may not ask what the schema consists of.
	withoutIntrospection []string

	mu    sync.Mutex
	roles map[roleKey]*schema.Role

	// stored are the documents for assistants, in the order of their names, once one has asked.
	storedOnce sync.Once
	stored     []*metadata.StoredQuery
}

type roleKey struct {
	name        string
	backendOnly bool
	relay       bool
}

// accepts reports whether a plan can be used with the state.
func (s *state) accepts(p *planned.Plan) bool { return p.Valid(s.generation, s.schema) }

// maxRoles bounds the schemas of one state: a client may make up names of roles.
const maxRoles = 1000

// role is the schema of a role.
func (s *state) role(name string, o schema.Options) *schema.Role {
	key := roleKey{name, o.BackendOnly, o.Relay}
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.roles[key]; r != nil {
		return r
	}
	if len(s.roles) >= maxRoles {
		clear(s.roles)
	}
	r := schema.New(s.schema, name, o)
	s.roles[key] = r
	return r
}

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

// ScanLimit is how many bytes an operation of a session may have databases read that charge for them.
func (s *state) ScanLimit(user *session.Session) (most int64, bounded bool) {
	if s.limits == nil || user.IsAdmin() {
		return 0, false
	}
	return s.limits.BytesLimit.Of(user.Role)
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

// tools are the documents for assistants that a session may run as far as its rule for documents goes.
func (s *state) tools(user *session.Session) []assist.Document {
	var list []assist.Document
	s.storedOnce.Do(func() { s.stored = s.snapshot.Document.Tools() })
	for _, q := range s.stored {
		if s.Listed(user, q.Query) == nil {
			list = append(list, assist.Document{Name: q.ToolName(), Title: q.Tool.Title, Description: q.Tool.Description, Query: q.Query})
		}
	}
	return list
}
