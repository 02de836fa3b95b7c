package schema

import (
	"slices"

	"queryengine/pkg/remoteschema"
	"queryengine/pkg/resolve"
)

// RemoteField is a field of a type of a remote schema, or a root field that one answers.
type RemoteField struct {
	Remote *resolve.Remote
	*remoteschema.Field
}

// RemoteInput is an argument of such a field, or a field of an input object of a remote schema.
type RemoteInput struct{ *remoteschema.Input }

// RemoteValue is a value of an enum of a remote schema. It goes to the remote under its name.
type RemoteValue struct{}

func (*RemoteField) fieldMeaning() {}
func (RemoteInput) inputMeaning()  {}
func (RemoteValue) valueMeaning()  {}

// remotePart is a type of a remote schema as the role sees it.
type remotePart struct {
	role   *Role
	remote *resolve.Remote
	*remoteschema.Type
}

func (p remotePart) describe() string { return p.Description }

func (p remotePart) build() content {
	r := p.role
	c := content{kin: &kin{interfaces: r.remoteTypes(p.remote, p.Interfaces), possible: r.remoteTypes(p.remote, p.Possible)}}
	for _, f := range p.Fields {
		c.fields = append(c.fields, r.remoteField(p.remote, f))
	}
	for _, relationship := range r.source.RemoteTypeRelationships(p.remote, p.Remote) {
		if relationship.Remote != nil {
			c.fields = append(c.fields, r.remoteJoin(relationship, p.remote.Name+"_"+p.Remote)...)
			continue
		}
		c.fields = append(c.fields, r.remoteRelation(relationship, naming{})...)
	}
	for _, i := range p.Inputs {
		c.inputs = append(c.inputs, r.remoteInput(p.remote, i))
	}
	for _, v := range p.Values {
		c.values = append(c.values, Value{Name: v.Name, Description: v.Description, Meaning: RemoteValue{}})
	}
	return c
}

// RemoteOf is the type at the remote schema that t stands for, nil for other types.
func (t *Type) RemoteOf() *remoteschema.Type {
	switch p := t.definition.(type) {
	case remotePart:
		return p.Type
	case joinPart:
		return p.Type
	}
	return nil
}

// kinds are the kinds of types of remote schemas.
var kinds = map[remoteschema.Kind]Kind{
	remoteschema.Object: Object, remoteschema.Interface: Interface, remoteschema.Union: Union,
	remoteschema.Enum: Enum, remoteschema.InputObject: InputObject, remoteschema.Scalar: Scalar,
}

// remoteType is a type of a remote schema. Scalars of one name are the same everywhere.
func (r *Role) remoteType(remote *resolve.Remote, t *remoteschema.Type) *Type {
	if t.Kind == remoteschema.Scalar {
		return r.named(t.Name, Scalar, t.Description, nil)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if made := r.remotes[t]; made != nil {
		return made
	}
	made := &Type{Name: t.Name, Kind: kinds[t.Kind], definition: remotePart{r, remote, t}}
	r.remotes[t] = made
	return made
}

func (r *Role) remoteTypes(remote *resolve.Remote, list []*remoteschema.Type) []*Type {
	var types []*Type
	for _, t := range list {
		types = append(types, r.remoteType(remote, t))
	}
	return types
}

func (r *Role) remoteRef(remote *resolve.Remote, of *remoteschema.Ref) Ref {
	var ref Ref
	if of.Elem != nil {
		ref = List(r.remoteRef(remote, of.Elem))
	} else {
		ref = Named(r.remoteType(remote, of.Type))
	}
	if of.NonNull {
		return NonNull(ref)
	}
	return ref
}

func (r *Role) remoteField(remote *resolve.Remote, f *remoteschema.Field) Field {
	return Field{
		Name: f.Name, Type: r.remoteRef(remote, f.Type), Meaning: &RemoteField{remote, f}, doc: (*note)(&f.Description),
		args: argsFunc(func() []Input {
			var inputs []Input
			for _, i := range f.Args {
				inputs = append(inputs, r.remoteInput(remote, i))
			}
			return inputs
		}),
	}
}

func (r *Role) remoteInput(remote *resolve.Remote, i *remoteschema.Input) Input {
	in := Input{Name: i.Name, Description: i.Description, Type: r.remoteRef(remote, i.Type), Meaning: RemoteInput{i}}
	if i.Default != nil {
		in.Default = *i.Default
	}
	return in
}

// remoteRoots are the root fields that remote schemas answer; root gives their root type.
func (r *Role) remoteRoots(root func(*remoteschema.Schema) *remoteschema.Type) []Field {
	var fields []Field
	if r.options.Relay {
		return nil
	}
	for _, remote := range r.source.Remotes {
		view := remote.For(r.Name)
		if view == nil || root(view) == nil {
			continue
		}
		t := r.remoteType(remote, root(view))
		if view.Namespace == "" {
			fields = append(fields, t.Fields()...)
			continue
		}
		fields = append(fields, Field{Name: view.Namespace, Type: NonNull(Named(t)), Meaning: Namespace{t}})
	}
	return fields
}

func remoteQuery(s *remoteschema.Schema) *remoteschema.Type { return s.Query }

func remoteSubscription(s *remoteschema.Schema) *remoteschema.Type { return s.Subscription }

func remoteMutation(s *remoteschema.Schema) *remoteschema.Type { return s.Mutation }

// IsRemoteSubscription reports whether a remote schema answers the field of that name in the root
// of the subscriptions.
func (r *Role) IsRemoteSubscription(name string) bool {
	f := r.subscription.Field(name)
	if f == nil {
		return false
	}
	switch m := f.Meaning.(type) {
	case *RemoteField:
		return true
	case Namespace:
		return m.Type.RemoteOf() != nil
	}
	return false
}

// isRemote reports whether the object type of a remote schema is among those that an interface
// or a union of it stands for.
func (r *Role) isRemote(object, condition string) bool {
	return slices.ContainsFunc(r.source.Remotes, func(remote *resolve.Remote) bool {
		view := remote.For(r.Name)
		if view == nil {
			return false
		}
		t := view.Type(condition)
		return t != nil && slices.ContainsFunc(t.Possible, func(t *remoteschema.Type) bool { return t.Name == object })
	})
}
