package resolve

import (
	"encoding/json"
	"fmt"
	"slices"

	"queryengine/pkg/extension"
	"queryengine/pkg/gqlname"
	"queryengine/pkg/metadata"
	"queryengine/pkg/session"
)

// Action is an action that can be used.
type Action struct {
	Meta *metadata.Action
	// Output is what the answer consists of.
	Output *CustomType
}

// Allowed reports whether a role may use the action.
func (s *Schema) Allowed(a *Action, role string) bool {
	return role == session.Admin || s.roles.any(role, func(role string) bool {
		return slices.ContainsFunc(a.Meta.Permissions, func(p metadata.ActionPermission) bool { return p.Role == role })
	})
}

// CustomType is the type of that name that actions use, or nil.
func (s *Schema) CustomType(name string) *CustomType { return s.actions.types.byName[name] }

// Actions are the consistent actions, by name.
func (s *Schema) Actions() []*Action { return s.actions.list }

// Action returns the consistent action of that name, or nil.
func (s *Schema) Action(name string) *Action {
	i := slices.IndexFunc(s.actions.list, func(a *Action) bool { return a.Meta.Name == name })
	if i < 0 {
		return nil
	}
	return s.actions.list[i]
}

// actionSet are the custom types and actions of a document.
type actionSet struct {
	rawTypes json.RawMessage
	raw      []json.RawMessage
	meta     []*metadata.Action
	sources  []*Source
	types    *customTypes
	list     []*Action
	problems []metadata.Inconsistency
}

// setActions resolves the actions. Those of the previous version are kept when neither they nor any
// source changed since.
func (s *Schema) setActions(prev *Schema) {
	set := &actionSet{rawTypes: s.Document.CustomTypes, raw: s.Document.Actions, sources: s.Sources}
	var before *actionSet
	if prev != nil {
		before = prev.actions
		if before.sameActions(set) && slices.Equal(before.sources, set.sources) {
			s.actions = before
			return
		}
	}
	s.actions = set
	var types *metadata.CustomTypes
	if before != nil && same(before.rawTypes, set.rawTypes) {
		types = before.types.meta
	} else {
		// What can't be read was refused when it came.
		types, _ = metadata.ParseCustomTypes(set.rawTypes)
	}
	set.types = newCustomTypes(types, s.sourceScalar)
	set.meta = parseActions(set.raw, before)
	problem := set.types.problem(s)
	if problem != "" {
		set.problems = append(set.problems, inconsistent(metadata.CustomTypesID(), types.Definition(), problem))
	}
	for _, m := range set.meta {
		a := &Action{Meta: m, Output: set.types.find(m.Definition.OutputType.Name)}
		reason := "custom types are inconsistent"
		if problem == "" {
			reason = set.actionProblem(a, s)
		}
		if reason != "" {
			set.problems = append(set.problems, inconsistent(m.ID(), actionDefinition(m), fmt.Sprintf("in action %q: %s", m.Name, reason)))
			continue
		}
		set.list = append(set.list, a)
		set.problems = append(set.problems, permissionProblems(m)...)
	}
}

func (set *actionSet) sameActions(o *actionSet) bool {
	return same(set.rawTypes, o.rawTypes) && slices.EqualFunc(set.raw, o.raw, same)
}

// same reports whether two objects that are kept as given are one and the same.
func same(a, b json.RawMessage) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// parseActions reads the actions that weren't there before.
func parseActions(raw []json.RawMessage, before *actionSet) []*metadata.Action {
	known := map[*byte]*metadata.Action{}
	if before != nil {
		for i, m := range before.meta {
			known[&before.raw[i][0]] = m
		}
	}
	list := make([]*metadata.Action, len(raw))
	for i, r := range raw {
		if list[i] = known[&r[0]]; list[i] == nil {
			list[i], _ = metadata.ParseAction(r) // what can't be read was refused when it came
		}
	}
	return list
}

// actionProblem is why an action can't be used, "" for nothing.
func (set *actionSet) actionProblem(a *Action, s *Schema) string {
	d := &a.Meta.Definition
	if !gqlname.Definable(a.Meta.Name) {
		return introspectionName(a.Meta.Name)
	}
	for _, arg := range d.Arguments {
		if !gqlname.Definable(arg.Name) {
			return fmt.Sprintf("in argument %q: %s", arg.Name, introspectionName(arg.Name))
		}
		if !set.types.find(arg.Type.Name).forInput() {
			return fmt.Sprintf("the type: %q is not defined in custom types or it is not a scalar/enum/input_object", arg.Type.Name)
		}
	}
	if taken := s.types().taken(a.Meta.Name, false); d.IsAsynchronous() && taken != "" {
		return fmt.Sprintf("found conflicting definitions for GraphQL type %q, which %s", a.Meta.Name, taken)
	}
	if t := set.types.find(a.Meta.Name); d.IsAsynchronous() && t != nil && t.Kind != SourceScalar {
		// What became of a call has a type that is called like the action.
		return fmt.Sprintf("found conflicting definitions for GraphQL type %q", a.Meta.Name)
	}
	if !a.Output.forOutput() || a.Output.Kind == CustomEnum {
		return fmt.Sprintf("the type: %q is not an object or scalar type defined in custom types", d.OutputType.Name)
	}
	if a.Output.Kind == CustomObject {
		if reason := set.relationshipProblem(a); reason != "" {
			return reason
		}
	}
	if s.options.Env == nil {
		return ""
	}
	if reason := a.Meta.Problem(s.options.Env); reason != "" {
		return reason
	}
	if reason := s.codeFault(extension.Action, d.Handler); reason != "" {
		return reason
	}
	return set.misfit(a, s.codeDefinition(d.Handler))
}

// relationshipProblem returns which relationships of the output type don't go with objects in it.
func (set *actionSet) relationshipProblem(a *Action) string {
	t := a.Output.Object
	isObject := func(f *metadata.ObjectField) bool { return set.types.find(f.Type.Name).Kind == CustomObject }
	var names []string
	if a.Meta.Definition.IsAsynchronous() {
		if len(t.Relationships) == 0 {
			return ""
		}
		for i := range t.Fields {
			if isObject(&t.Fields[i]) {
				names = append(names, t.Fields[i].Name)
			}
		}
		if names == nil {
			return ""
		}
		return "Async action relations cannot be used with object fields: " + quoteAll(names)
	}
	for _, r := range t.Relationships {
		if slices.ContainsFunc(sortedKeys(r.FieldMapping), func(name string) bool { return isObject(typeField(t, name)) }) {
			names = append(names, r.Name)
		}
	}
	if names == nil {
		return ""
	}
	return "Relationships cannot be defined with nested object fields: " + quoteAll(names)
}

// permissionProblems are the permissions of an action that mean nothing.
func permissionProblems(m *metadata.Action) []metadata.Inconsistency {
	var list []metadata.Inconsistency
	for _, p := range m.Permissions {
		if p.Role == session.Admin {
			list = append(list, inconsistent(metadata.ActionPermissionID(m.Name, p.Role), struct {
				Action  string  `json:"action"`
				Role    string  `json:"role"`
				Comment *string `json:"comment"`
			}{m.Name, p.Role, p.Comment}, "cannot define permission for admin role"))
		}
	}
	return list
}

// actionDefinition is how inconsistencies show an action.
func actionDefinition(m *metadata.Action) any {
	return struct {
		Name       string                     `json:"name"`
		Definition *metadata.ActionDefinition `json:"definition"`
		Comment    *string                    `json:"comment"`
	}{m.Name, &m.Definition, m.Comment}
}
