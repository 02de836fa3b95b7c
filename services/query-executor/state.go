package queryexecutor

import (
	"sync"

	"queryengine/pkg/egress"
	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
	"queryengine/pkg/snapshot"
	"queryengine/services/query-executor/internal/allowlist"
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
	allowlist  *allowlist.List // nil when every query is allowed
	// limits are those of the metadata, nil for none.
	limits *metadata.APILimits
	// measured says what is measured of operations besides what always is, nil for nothing.
	measured *metadata.MetricsConfig
	// withoutIntrospection are the roles that may not ask what the schema consists of.
	withoutIntrospection []string

	mu    sync.Mutex
	roles map[roleKey]*schema.Role
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

// apply makes the state of a snapshot and opens its sources. Snapshots come one after the
// other.
func (e *Executor) apply(next *snapshot.Snapshot) {
	e.applying.Lock()
	defer e.applying.Unlock()
	s := &state{
		generation: 1, snapshot: next, limits: next.Document.Limits(), roles: map[roleKey]*schema.Role{},
		measured: next.Document.Metrics(), withoutIntrospection: next.Document.WithoutIntrospection(),
	}
	var previous *resolve.Schema
	var listed *allowlist.List
	if old := e.state.Load(); old != nil {
		previous, listed, s.generation = old.schema, old.allowlist, old.generation+1
	}
	if e.config.EnableAllowlist {
		s.allowlist = allowlist.New(next.Document, listed)
	}
	s.schema = resolve.New(next.Document, findings(next), previous, e.resolveOptions)
	e.sources.Update(next.Document.Sources)
	e.applyAllowlist(next.Document)
	e.state.Store(s)
	e.introspections.Clear() // plans that introspect are good for one state only
	e.metrics.applied(next.Version)
	e.replan(s)
}

// applyAllowlist makes the TLS allow list count for calls from now on.
func (e *Executor) applyAllowlist(d *metadata.Document) {
	hosts, err := egress.Allowlist(d.Network)
	if err != nil {
		e.logger.Warn("the TLS allow list counts as empty", "error", err)
	}
	e.egress.SetAllowlist(hosts)
}

// findings is what the snapshot says of sources and remote schemas.
func findings(s *snapshot.Snapshot) resolve.Findings {
	return resolve.Findings{Catalogs: s.Catalogs, SourceErrors: s.SourceErrors, Remotes: s.Remotes, RemoteErrors: s.RemoteErrors}
}
