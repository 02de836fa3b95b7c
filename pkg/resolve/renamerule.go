package resolve

import (
	"encoding/json"
	"strings"

	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
)

// rule rewrites the names in a permission rule of t. What it doesn't understand it leaves
// alone: such a permission is inconsistent before and after.
func (w *renamer) rule(t *Table, raw json.RawMessage) json.RawMessage {
	if !json.Valid(raw) {
		return raw
	}
	return w.scoped(t, t, raw)
}

// scoped rewrites a rule on rows of t inside a rule on rows of root.
func (w *renamer) scoped(root, t *Table, raw json.RawMessage) json.RawMessage {
	return w.object(raw, func(m member) member {
		switch m.key {
		case "_and", "$and", "_or", "$or":
			m.value = w.array(m.value, func(e json.RawMessage) json.RawMessage { return w.scoped(root, t, e) })
		case "_not", "$not":
			m.value = w.scoped(root, t, m.value)
		case "_exists", "$exists":
			m.value = w.existsRule(root, m.value)
		default:
			return w.fieldRule(root, t, m)
		}
		return m
	})
}

func (w *renamer) fieldRule(root, t *Table, m member) member {
	table := t.Meta.Table
	if t.Column(m.key) != nil {
		return member{w.name(w.Columns[table], m.key), w.comparisonRule(root, t, m.value)}
	}
	if r := t.Relationship(m.key); r != nil {
		return member{w.name(w.Relationships[table], m.key), w.scoped(root, r.Target, m.value)}
	}
	if f := t.ComputedField(m.key); f != nil && f.Returns != nil {
		m.value = w.scoped(root, f.Returns, m.value)
	}
	return m
}

func (w *renamer) existsRule(root *Table, raw json.RawMessage) json.RawMessage {
	list, _ := members(raw)
	var name catalog.Name
	if json.Unmarshal(find(list, "_table"), &name) != nil {
		return raw
	}
	name = w.source.Meta.Qualified(name)
	target := w.source.Table(name)
	return w.object(raw, func(m member) member {
		switch {
		case m.key == "_table" && w.once(func() { name = w.tableName(name) }):
			m.value = encode(name)
		case m.key == "_where" && target != nil:
			m.value = w.scoped(root, target, m.value)
		}
		return m
	})
}

// comparisonRule rewrites the columns that a column is compared with.
func (w *renamer) comparisonRule(root, t *Table, raw json.RawMessage) json.RawMessage {
	return w.object(raw, func(m member) member {
		op := m.key
		if strings.HasPrefix(op, "$") {
			op = "_" + op[1:]
		}
		if _, ok := columnOps[op]; ok {
			m.value = w.columnPath(root, t, m.value)
		}
		if op == "_cast" {
			m.value = w.object(m.value, func(m member) member {
				m.value = w.comparisonRule(root, t, m.value)
				return m
			})
		}
		return m
	})
}

func (w *renamer) columnPath(root, t *Table, raw json.RawMessage) json.RawMessage {
	path, err := columnPath(raw)
	if err != nil {
		return raw
	}
	scope := t
	if len(path) == 2 {
		scope = root
	}
	last := &path[len(path)-1]
	if !w.once(func() { *last = w.name(w.Columns[scope.Meta.Table], *last) }) {
		return raw
	}
	if metadata.JSONType(raw) == "String" {
		return encode(*last)
	}
	return encode(path)
}

// encode spells a name, or a list of names.
func encode(v any) json.RawMessage {
	raw, _ := metadata.Encode(v) // texts always encode
	return raw
}
