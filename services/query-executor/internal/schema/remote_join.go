package schema

import (
	"slices"
	"strconv"
	"strings"

	"queryengine/pkg/remoteschema"
	"queryengine/pkg/resolve"
)

// RemoteJoin is a relationship to a field of a remote schema. It takes the arguments of that
// field that the definition leaves to clients.
type RemoteJoin struct {
	*resolve.RemoteRelationship
	// Path are the fields on the way, as the role sees them.
	Path []resolve.RemoteCall
}

func (*RemoteJoin) fieldMeaning() {}

// remoteJoin is the field of a relationship to a remote schema, none for a role that doesn't
// see what the definition needs. left is the left side as names of types spell it.
func (r *Role) remoteJoin(relationship *resolve.RemoteRelationship, left string) []Field {
	remote := relationship.Remote.Remote
	path := relationship.Remote.For(r.Name, relationship)
	if len(path) == 0 {
		return nil
	}
	last := path[len(path)-1]
	suffix := "_remote_rel_" + plain(left) + relationship.Name
	return []Field{{
		Name: relationship.Name, Type: r.remoteRef(remote, last.Field.Type).Nullable(), doc: (*note)(description(last.Field)),
		Meaning: &RemoteJoin{relationship, path},
		args:    argsFunc(func() []Input { return r.joinInputs(remote, last.Field.Args, last.Args, suffix) }),
	}}
}

// description is that of a field of a remote schema, or of its type where it has none.
func description(f *remoteschema.Field) *string {
	if f.Description == "" {
		return &f.Type.Named().Description
	}
	return &f.Description
}

// plain replaces what names can't have.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, s)
}

// joinPart is an input object of a remote schema without what a relationship gives.
type joinPart struct {
	remotePart
	fixed  []resolve.JoinArgument
	suffix string
}

func (p joinPart) build() content {
	return content{inputs: p.role.joinInputs(p.remote, p.Inputs, p.fixed, p.suffix)}
}

// joinInputs are the inputs that a relationship leaves to clients.
func (r *Role) joinInputs(remote *resolve.Remote, inputs []*remoteschema.Input, fixed []resolve.JoinArgument, suffix string) []Input {
	var list []Input
	for _, i := range inputs {
		in := r.remoteInput(remote, i)
		given := FindFixed(fixed, i.Name)
		if given == nil {
			list = append(list, in)
			continue
		}
		part := r.joinRest(remote, i.Type, given.Value, suffix)
		if part == nil || len(part.Inputs()) == 0 {
			continue
		}
		in.Type = in.Type.Nullable() // the definition gives one where it is needed
		in.Type.Named = part
		list = append(list, in)
	}
	return list
}

// joinRest is the type of what a relationship leaves of an object, or of the objects of a list;
// nil for nothing.
func (r *Role) joinRest(remote *resolve.Remote, of *remoteschema.Ref, v resolve.JoinValue, suffix string) *Type {
	switch v := v.(type) {
	case resolve.JoinObject:
		return r.joinType(joinPart{remotePart{r, remote, of.Named()}, v, suffix})
	case resolve.JoinList:
		if len(v) == 1 {
			return r.joinRest(remote, of.Elem, v[0], suffix)
		}
	}
	return nil
}

// joinType is the type of a part. A relationship that gives other fields of the same type at
// another place has another type there.
func (r *Role) joinType(p joinPart) *Type {
	r.mu.Lock()
	defer r.mu.Unlock()
	base := p.Name + p.suffix
	for name, n := base, 2; ; name, n = base+"_"+strconv.Itoa(n), n+1 {
		known := r.shared[name]
		if known == nil {
			known = &Type{Name: name, Kind: InputObject, definition: p}
			r.shared[name] = known
		}
		if same, ok := known.definition.(joinPart); ok && sameKeys(same.fixed, p.fixed) {
			return known
		}
	}
}

// sameKeys reports whether the same fields are given, whatever their values.
func sameKeys(a, b []resolve.JoinArgument) bool {
	return slices.EqualFunc(a, b, func(a, b resolve.JoinArgument) bool {
		return a.Name == b.Name && sameParts(a.Value, b.Value)
	})
}

func sameParts(a, b resolve.JoinValue) bool {
	switch a := a.(type) {
	case resolve.JoinObject:
		b, ok := b.(resolve.JoinObject)
		return ok && sameKeys(a, b)
	case resolve.JoinList:
		b, ok := b.(resolve.JoinList)
		return ok && slices.EqualFunc(a, b, sameParts)
	}
	return true // nothing is left of it
}

// FindFixed finds what a relationship gives for an input, or nil.
func FindFixed(list []resolve.JoinArgument, name string) *resolve.JoinArgument {
	for i := range list {
		if list[i].Name == name {
			return &list[i]
		}
	}
	return nil
}
