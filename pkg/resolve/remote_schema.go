package resolve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"queryengine/pkg/apierror"
	"queryengine/pkg/metadata"
	"queryengine/pkg/remoteschema"
	"queryengine/pkg/session"
)

// Remote is a remote schema that can be used.
type Remote struct {
	Name string
	// Meta configures how the server is called.
	Meta *metadata.RemoteSchema
	// Upstream is all that the server offers, under its own names.
	Upstream *remoteschema.Schema

	raw   json.RawMessage // what Upstream was made of
	admin *remoteschema.Schema
	// closed reports whether roles see only what a permission shows them.
	closed bool
	roles  *roleSet

	mu    sync.Mutex
	views map[string]*remoteView
}

// remoteView is what a role sees; of a view that can't be built, problem is the reason.
type remoteView struct {
	schema  *remoteschema.Schema
	problem error
	// conflict reports whether the role has parents that see different things.
	conflict bool
}

// Remote returns the consistent remote schema of that name, or nil.
func (s *Schema) Remote(name string) *Remote {
	i, found := slices.BinarySearchFunc(s.Remotes, name, func(r *Remote, name string) int { return strings.Compare(r.Name, name) })
	if !found {
		return nil
	}
	return s.Remotes[i]
}

// For is what the role sees, under the names for clients; nil for nothing. It is made on
// first use and the same object from then on.
func (r *Remote) For(role string) *remoteschema.Schema {
	if role == session.Admin || !r.closed {
		return r.admin
	}
	return r.view(role).schema
}

// noView is the view of roles without a permission.
var noView = &remoteView{}

func (r *Remote) view(role string) *remoteView {
	if r.Meta.Permission(role) == nil && r.roles.byName[role] == nil {
		return noView // clients may make up names of roles: they aren't kept
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.viewLocked(role)
}

func (r *Remote) viewLocked(role string) *remoteView {
	if v := r.views[role]; v != nil {
		return v
	}
	v := noView
	if p := r.Meta.Permission(role); p != nil {
		v = r.permitted(p)
	} else if inherited := r.roles.byName[role]; inherited != nil {
		v = r.inherited(inherited)
	}
	r.views[role] = v
	return v
}

// permitted is what a permission shows.
func (r *Remote) permitted(p *metadata.RemoteSchemaPermission) *remoteView {
	v := &remoteView{}
	restricted, err := r.Upstream.Restrict(p.Definition.Schema)
	if err == nil {
		v.schema, err = restricted.Customize(r.Meta.Definition.Customization)
	}
	v.problem = err
	return v
}

// inherited is what all parents see that see anything, if that is the same.
func (r *Remote) inherited(role *Role) *remoteView {
	var parents []*remoteView
	for _, p := range role.Parents {
		switch v := r.viewLocked(p); {
		case v.conflict:
			return v
		case v.schema != nil:
			parents = append(parents, v)
		}
	}
	if len(parents) == 0 {
		return noView
	}
	first := parents[0].schema.String()
	for _, other := range parents[1:] {
		if other.schema.String() != first {
			return &remoteView{conflict: true}
		}
	}
	return parents[0]
}

// buildRemote makes a remote schema out of what its server answered. Its error is why it
// can't be used.
func (s *Schema) buildRemote(m *metadata.RemoteSchema, raw json.RawMessage, prev *Remote) (*Remote, error) {
	if prev != nil && !bytes.Equal(prev.raw, raw) {
		prev = nil
	}
	closed := s.options.RemoteSchemaPermissions
	if prev != nil && prev.Meta == m && prev.roles == s.roles && prev.closed == closed {
		return prev, nil
	}
	r := &Remote{Name: m.Name, Meta: m, raw: raw, closed: closed, roles: s.roles, views: map[string]*remoteView{}}
	var err error
	if prev != nil {
		r.Upstream = prev.Upstream
	} else if r.Upstream, err = remoteschema.FromIntrospection(raw); err != nil {
		return nil, err
	}
	r.admin, err = r.Upstream.Customize(m.Definition.Customization)
	return r, err
}

// buildRemotes makes the remote schemas one after the other: one that is in conflict with
// those before it, or with a source, is left out.
func (s *Schema) buildRemotes(f Findings, prev *Schema) {
	if len(s.Document.RemoteSchemas) == 0 {
		return
	}
	taken := s.newRemoteNames()
	for _, m := range s.Document.RemoteSchemas {
		raw := f.Remotes[m.Name]
		if raw == nil {
			reason := f.RemoteErrors[m.Name]
			if reason == "" {
				reason = "remote schema " + quote(m.Name) + " has not been introspected"
			}
			s.remoteProblem(m, reason)
			continue
		}
		if stale := f.RemoteErrors[m.Name]; stale != "" {
			s.remoteProblem(m, stale)
		}
		var before *Remote
		if prev != nil {
			before = prev.Remote(m.Name)
		}
		r, err := s.buildRemote(m, raw, before)
		if err != nil {
			s.remoteProblem(m, apierror.From(err).Message)
			continue
		}
		if conflict, ofTable := taken.claim(r); conflict != "" {
			s.remoteProblem(m, conflict)
			s.remoteProblems[len(s.remoteProblems)-1].Invalid = ofTable
			continue
		}
		s.Remotes = append(s.Remotes, r)
	}
}

func (s *Schema) remoteProblem(m *metadata.RemoteSchema, reason string) {
	s.remoteProblems = append(s.remoteProblems, inconsistent(m.ID(), m, reason))
}

// checkRemotePermissions checks the permissions on the remote schemas that can be used, and
// what inherited roles make of them.
func (s *Schema) checkRemotePermissions() []metadata.Inconsistency {
	var list []metadata.Inconsistency
	for _, r := range s.Remotes {
		if !r.closed {
			continue
		}
		for _, p := range r.Meta.Permissions {
			if err := r.view(p.Role).problem; err != nil {
				id := metadata.ObjectID{Kind: metadata.ObjectRemotePermission, Remote: r.Name, Role: p.Role}
				list = append(list, inconsistent(id, remotePermissionDefinition{r.Name, p}, apierror.From(err).Message))
			}
		}
		for _, role := range s.Document.InheritedRoles {
			if r.Meta.Permission(role.Name) == nil && r.view(role.Name).conflict {
				list = append(list, notInherited(role.Name, fmt.Sprintf("remote schema: '%s'", r.Name), struct {
					Remote string `json:"remote_schema"`
				}{r.Name}))
			}
		}
	}
	return list
}

// remotePermissionDefinition is a permission as inconsistent objects show it.
type remotePermissionDefinition struct {
	Remote string `json:"remote_schema"`
	*metadata.RemoteSchemaPermission
}
