package resolve

import (
	"strings"

	"queryengine/pkg/metadata"
	"queryengine/pkg/remoteschema"
)

// engineConflict describes the engine's own type with the name of a remote's type, when they differ; ""
// for none. Of types that are generated for tables only the kind is compared: a remote that is such an
// engine has the same ones, and they are one.
func (n *remoteNames) engineConflict(t *remoteschema.Type) string {
	names := n.schema.types()
	switch what := engineType(t.Name); {
	case strings.HasSuffix(t.Name, "_root"), strings.HasPrefix(t.Name, "__"):
		return what
	case what == scalarOfGraphQL && t.Kind != remoteschema.Scalar, what == orders && t.Kind != remoteschema.Enum,
		what == operands && t.Kind != remoteschema.InputObject:
		return what
	case strings.HasSuffix(what, "Federation") && !ofSubgraph(t):
		return what
	case (names.scalars[t.Name] || names.made[t.Name]) && t.Kind != remoteschema.Scalar:
		return scalarType
	}
	if owner, ok := names.owners[t.Name]; ok && !names.hidden[owner.of] {
		if of, isTable := owner.of.(*Table); !isTable || of.IsModel() {
			return owner.String()
		}
	}
	if other, ok := n.customDefinitions()[t.Name]; ok && other != t.Definition() {
		return other
	}
	if owner, kind := names.generated(t.Name, nil); owner.of != nil && kind != t.Kind {
		return "a type that is made for a table"
	}
	return ""
}

// ofSubgraph reports whether a type is what Apollo Federation has of that name: a remote may be a subgraph.
func ofSubgraph(t *remoteschema.Type) bool {
	switch t.Name {
	case "_Any":
		return t.Kind == remoteschema.Scalar
	case "_Entity":
		return t.Kind == remoteschema.Union
	}
	return t.Kind == remoteschema.Object && len(t.Fields) == 1 && t.Fields[0].Name == "sdl"
}

// customDefinitions are the types of actions as GraphQL's schema language spells them, by name. Without
// an action no role sees them.
func (n *remoteNames) customDefinitions() map[string]string {
	if n.customs != nil {
		return n.customs
	}
	n.customs = map[string]string{}
	if len(n.schema.Document.Actions) == 0 {
		return n.customs
	}
	types, err := metadata.ParseCustomTypes(n.schema.Document.CustomTypes)
	if err != nil {
		return n.customs // which was refused when it came
	}
	add := func(kind remoteschema.Kind, name string, parts []string) {
		n.customs[name] = remoteschema.Spell(kind, name, parts)
	}
	for _, t := range types.Enums {
		var values []string
		for _, v := range t.Values {
			values = append(values, v.Value)
		}
		add(remoteschema.Enum, t.Name, values)
	}
	for _, t := range types.InputObjects {
		var fields []string
		for _, f := range t.Fields {
			fields = append(fields, f.Name+": "+f.Type.String())
		}
		add(remoteschema.InputObject, t.Name, fields)
	}
	for _, t := range types.Objects {
		add(remoteschema.Object, t.Name, n.objectParts(&t))
	}
	for _, t := range types.Scalars {
		add(remoteschema.Scalar, t.Name, nil)
	}
	return n.customs
}

// objectParts are the fields of an object type. A relationship is a field that no type of a remote
// has.
func (n *remoteNames) objectParts(t *metadata.ObjectType) []string {
	var fields []string
	for _, f := range t.Fields {
		fields = append(fields, f.Name+": "+f.Type.String())
	}
	for _, r := range t.Relationships {
		fields = append(fields, r.Name+": "+n.schema.Document.Display(r.Source, r.RemoteTable))
	}
	return fields
}
