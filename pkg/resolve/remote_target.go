package resolve

import (
	"encoding/json"
	"slices"
	"strings"

	"queryengine/pkg/metadata"
	"queryengine/pkg/remoteschema"
)

// RemoteTarget is a field of a remote schema.
type RemoteTarget struct {
	Remote *Remote
	// Path are the calls from the root for queries down, by the schema of the remote itself.
	Path []RemoteCall
}

// RemoteCall is one field on the way, with the arguments that the definition fixes.
type RemoteCall struct {
	Field *remoteschema.Field
	Args  []JoinArgument
}

// JoinArgument is an argument, or a field of an input object, with the value that the
// definition of a relationship gives it.
type JoinArgument struct {
	*remoteschema.Input
	Value JoinValue
}

// JoinValue is one of JoinReference, JoinLiteral, JoinList and JoinObject.
type JoinValue interface{ isJoinValue() }

// JoinReference is the value of a field of the left side: the one at that place of
// RemoteRelationship.Left.
type JoinReference int

// JoinLiteral is a scalar in JSON.
type JoinLiteral json.RawMessage

// JoinList is a list of one element, or none.
type JoinList []JoinValue

// JoinObject are the fixed fields of an input object.
type JoinObject []JoinArgument

func (JoinReference) isJoinValue() {}
func (JoinLiteral) isJoinValue()   {}
func (JoinList) isJoinValue()      {}
func (JoinObject) isJoinValue()    {}

// For is the target as the role sees it; nil when the definition leads to, or gives a value
// to, something that is hidden from the role. Values of the definition take the place of
// presets.
func (t *RemoteTarget) For(role string, r *RemoteRelationship) []RemoteCall {
	view := t.Remote.For(role)
	if view == nil {
		return nil
	}
	path, p := joinPath(view, r)
	if p.reason != "" {
		return nil
	}
	return path
}

// joinRemote follows the path of the definition, and checks the arguments on it. left finds one
// of the left side.
func (s *Schema) joinRemote(r *RemoteRelationship, to *metadata.ToRemoteSchema, left func(name string) (JoinField, problem)) problem {
	remote := s.Remote(to.RemoteSchema)
	if remote == nil {
		return problemf("remote schema with name %q not found", to.RemoteSchema)
	}
	for _, name := range to.LHSFields {
		field, p := left(name)
		if p.reason != "" {
			return p
		}
		r.Left = append(r.Left, field)
	}
	path, p := joinPath(remote.Upstream, r)
	r.Remote = &RemoteTarget{Remote: remote, Path: path}
	return p
}

// joinPath finds the calls of a relationship in a schema of the remote, by the names there.
func joinPath(in *remoteschema.Schema, r *RemoteRelationship) ([]RemoteCall, problem) {
	j := joiner{to: r.Meta.Definition.ToRemoteSchema, left: r.Left}
	parent := in.Query
	var path []RemoteCall
	for i, step := range j.to.RemoteField {
		f := parent.RemoteField(step.Name)
		switch {
		case f != nil:
		case i == 0:
			return nil, problemf("field with name %q not found in remote schema", step.Name)
		default:
			return nil, problemf("remote field with name %q and type %q not found", step.Name, parent.Remote)
		}
		args, p := j.arguments(step.Arguments, slices.Concat(f.Args, presetInputs(f.Presets)))
		if p.reason != "" {
			return nil, p
		}
		if i < len(j.to.RemoteField)-1 {
			// Only the arguments of the last field can be given by clients.
			for _, a := range f.Args {
				if a.Required() && !slices.ContainsFunc(args, func(given JoinArgument) bool { return given.Name == a.Name }) {
					return nil, problemf("required argument with name %q is missing", a.Name)
				}
			}
		}
		path = append(path, RemoteCall{f, args})
		parent = f.Type.Named()
	}
	return path, problem{}
}

func presetInputs(presets []*remoteschema.Preset) []*remoteschema.Input {
	var inputs []*remoteschema.Input
	for _, p := range presets {
		inputs = append(inputs, p.Input)
	}
	return inputs
}

// joiner reads the arguments of one definition.
type joiner struct {
	to   *metadata.ToRemoteSchema
	left []JoinField
}

func (j joiner) arguments(raw json.RawMessage, inputs []*remoteschema.Input) ([]JoinArgument, problem) {
	given, _ := members(raw)
	slices.SortFunc(given, func(a, b member) int { return strings.Compare(a.key, b.key) })
	var args []JoinArgument
	for _, m := range given {
		i := slices.IndexFunc(inputs, func(i *remoteschema.Input) bool { return i.Name == m.key })
		if i < 0 {
			return nil, problemf("argument with name %q not found in remote schema", m.key)
		}
		value, p := j.value(m.value, inputs[i].Type)
		if p.reason != "" {
			return nil, p
		}
		args = append(args, JoinArgument{inputs[i], value})
	}
	return args, problem{}
}

func (j joiner) value(raw json.RawMessage, t *remoteschema.Ref) (JoinValue, problem) {
	switch kind := metadata.JSONType(raw); kind {
	case "Null":
		return nil, problemf("null is not allowed here")
	case "Array":
		return j.list(raw, t)
	case "Object":
		of := t.Named()
		if of.Kind != remoteschema.InputObject {
			return nil, problemf("type %qnot an input object type", of.Remote)
		}
		fields, p := j.arguments(raw, slices.Concat(of.Inputs, presetInputs(of.Presets)))
		return JoinObject(fields), p
	case "String":
		if reference, _ := text(raw); strings.HasPrefix(reference, "$") {
			i := slices.Index(j.to.LHSFields, reference[1:])
			if i < 0 {
				return nil, problemf("variable %q is not found", reference[1:])
			}
			if t.Elem == nil && j.left[i].isList() && (remoteschema.IsBuiltIn(t.Type.Remote) || t.Type.Kind != remoteschema.Scalar) {
				return nil, problemf("the type of the field %q is a list type, and %q is expected", reference[1:], t.Remote())
			}
			return JoinReference(i), problem{}
		}
		return JoinLiteral(raw), literalProblem(t.Named(), "String")
	case "Boolean":
		return JoinLiteral(raw), literalProblem(t.Named(), kind)
	default:
		if strings.ContainsAny(string(raw), ".eE") {
			return JoinLiteral(raw), literalProblem(t.Named(), "Float")
		}
		return JoinLiteral(raw), literalProblem(t.Named(), "Int")
	}
}

func (j joiner) list(raw json.RawMessage, t *remoteschema.Ref) (JoinValue, problem) {
	if t.Elem == nil {
		return nil, problemf("expected type %q but got %q", t.Remote(), "["+t.Type.Remote+"]")
	}
	items, _ := elements(raw)
	if len(items) > 1 {
		return nil, problemf("multiple elements in list value is not supported")
	}
	list := JoinList{}
	for _, item := range items {
		value, p := j.value(item, t.Elem)
		if p.reason != "" {
			return nil, p
		}
		list = append(list, value)
	}
	return list, problem{}
}

// literalProblem is why a literal of the given built-in type can't be of type t.
func literalProblem(t *remoteschema.Type, given string) problem {
	switch {
	case t.Kind == remoteschema.Enum:
		return problemf("enum value is not supported")
	case t.Kind == remoteschema.InputObject:
		return problemf("expected type %q but got %q", t.Remote, given)
	case t.Remote == given, t.Remote == "Float" && given == "Int", !remoteschema.IsBuiltIn(t.Remote):
		return problem{}
	case t.Remote == "ID" && (given == "Int" || given == "String"):
		return problem{}
	case t.Remote == "ID":
		return problemf("Only ID, Int, uuid or String scalar types can be joined to the ID type, but received %q", given)
	}
	return problemf("expected type %q but got %q", t.Remote, given)
}
