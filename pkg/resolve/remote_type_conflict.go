package resolve

import (
	"queryengine/pkg/metadata"
	"queryengine/pkg/remoteschema"
)

// The roots of the engine, by their names: no other type can be called like one of them.
var rootNames = map[string]bool{"query_root": true, "mutation_root": true, "subscription_root": true}

// generated are the types that are made for each table, by what follows the name of the type of
// its rows.
var generated = map[string]remoteschema.Kind{
	"_bool_exp": remoteschema.InputObject, "_order_by": remoteschema.InputObject, "_insert_input": remoteschema.InputObject,
	"_set_input": remoteschema.InputObject, "_pk_columns_input": remoteschema.InputObject, "_updates": remoteschema.InputObject,
	"_on_conflict": remoteschema.InputObject, "_stream_cursor_input": remoteschema.InputObject,
	"_select_column": remoteschema.Enum, "_update_column": remoteschema.Enum, "_constraint": remoteschema.Enum,
	"_aggregate": remoteschema.Object, "_aggregate_fields": remoteschema.Object, "_mutation_response": remoteschema.Object,
}

// engineConflict describes the engine's own type with the name of a remote's type, when they differ; ""
// for none. Of types that are generated for tables only the kind is compared: a remote that is such an
// engine has the same ones, and they are one.
func (n *remoteNames) engineConflict(t *remoteschema.Type) string {
	if rootNames[t.Name] {
		return "a root type of the engine"
	}
	if other, ok := n.customDefinitions()[t.Name]; ok && other != t.Definition() {
		return other
	}
	if kind, ok := n.generatedKinds()[t.Name]; ok && kind != t.Kind {
		return "a type that is made for a table"
	}
	return ""
}

// generatedKinds are the kinds of the types that are made for tables, by name.
func (n *remoteNames) generatedKinds() map[string]remoteschema.Kind {
	if n.generated == nil {
		n.generated = map[string]remoteschema.Kind{}
		for _, source := range n.schema.Sources {
			if source.head.convention != ConventionEngine {
				continue
			}
			for _, t := range source.Tables {
				for suffix, kind := range generated {
					n.generated[source.head.rowType(t.base.id)+suffix] = kind
				}
			}
		}
	}
	return n.generated
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
