package resolve

import (
	"encoding/json"
	"strings"

	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
)

// remoteRelationship renames the columns of the table that a remote relationship of it joins
// by, and what it leads to when that is in the same source. The arguments of a field of a
// remote schema follow, too, where they refer to a column.
func (w *renamer) remoteRelationship(table catalog.Name, r *metadata.RemoteRelationship) *metadata.RemoteRelationship {
	n := *r
	if !w.once(func() {
		if to := r.Definition.ToSource; to != nil {
			n.Definition.ToSource = w.toSource(table, to)
		} else {
			n.Definition.ToRemoteSchema = w.toRemoteSchema(table, r.Definition.ToRemoteSchema)
		}
	}) {
		return r
	}
	return &n
}

func (w *renamer) toSource(table catalog.Name, to *metadata.ToSource) *metadata.ToSource {
	n := *to
	inside := to.Source == w.Source
	n.FieldMapping = make(map[string]string, len(to.FieldMapping))
	for left, right := range to.FieldMapping {
		if inside {
			right = w.name(w.Columns[to.Table], right)
		}
		n.FieldMapping[w.name(w.Columns[table], left)] = right
	}
	if inside {
		n.Table = w.tableName(to.Table)
	}
	return &n
}

func (w *renamer) toRemoteSchema(table catalog.Name, to *metadata.ToRemoteSchema) *metadata.ToRemoteSchema {
	n := *to
	n.LHSFields = w.columns(table, to.LHSFields)
	n.RemoteField = mapList(w, to.RemoteField, func(c metadata.RemoteCall) metadata.RemoteCall {
		c.Arguments = w.references(table, c.Arguments)
		return c
	})
	return &n
}

// references renames the columns that the arguments of a remote field refer to.
func (w *renamer) references(table catalog.Name, raw json.RawMessage) json.RawMessage {
	switch metadata.JSONType(raw) {
	case "Object":
		return w.object(raw, func(m member) member {
			m.value = w.references(table, m.value)
			return m
		})
	case "Array":
		return w.array(raw, func(e json.RawMessage) json.RawMessage { return w.references(table, e) })
	case "String":
		reference, _ := text(raw)
		name, ok := strings.CutPrefix(reference, "$")
		if !ok || !w.once(func() { name = w.name(w.Columns[table], name) }) {
			return raw
		}
		return encode("$" + name)
	}
	return raw
}
