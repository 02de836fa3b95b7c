package resolve

import (
	"bytes"
	"encoding/json"

	"queryengine/pkg/catalog"
)

// trigger renames columns in an event trigger of the table, which the document keeps as it
// was given.
func (w *renamer) trigger(table catalog.Name, raw json.RawMessage) json.RawMessage {
	return w.member(raw, "definition", func(definition json.RawMessage) json.RawMessage {
		return w.object(definition, func(m member) member {
			switch m.key {
			case "insert", "update", "delete":
				m.value = w.object(m.value, func(m member) member {
					if m.key == "columns" || m.key == "payload" {
						m.value = w.columnTexts(table, m.value)
					}
					return m
				})
			}
			return m
		})
	})
}

// columnTexts renames the columns in a list of names.
func (w *renamer) columnTexts(table catalog.Name, raw json.RawMessage) json.RawMessage {
	return w.array(raw, func(e json.RawMessage) json.RawMessage {
		name, ok := text(e)
		if !ok || !w.once(func() { name = w.name(w.Columns[table], name) }) {
			return e
		}
		return encode(name)
	})
}

// member rewrites one member of an object.
func (w *renamer) member(raw json.RawMessage, key string, f func(json.RawMessage) json.RawMessage) json.RawMessage {
	return w.object(raw, func(m member) member {
		if m.key == key {
			m.value = f(m.value)
		}
		return m
	})
}

// object rewrites the members of an object in their order; raw itself is returned when
// nothing changed or when it is no object.
func (w *renamer) object(raw json.RawMessage, f func(member) member) json.RawMessage {
	if len(raw) == 0 {
		return raw
	}
	list, ok := members(raw)
	if !ok {
		return raw
	}
	if !w.once(func() { list = mapList(w, list, f) }) {
		return raw
	}
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(encode(m.key))
		b.WriteByte(':')
		b.Write(m.value)
	}
	b.WriteByte('}')
	return b.Bytes()
}

func (w *renamer) array(raw json.RawMessage, f func(json.RawMessage) json.RawMessage) json.RawMessage {
	list, ok := elements(raw)
	if !ok {
		return raw
	}
	if !w.once(func() { list = mapList(w, list, f) }) {
		return raw
	}
	var b bytes.Buffer
	b.WriteByte('[')
	for i, e := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(e)
	}
	b.WriteByte(']')
	return b.Bytes()
}
