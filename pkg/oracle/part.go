package oracle

import (
	"maps"
	"strconv"
)

// part is the part of a JSON value at a path, read as a kind.
type part struct {
	path []any
	// kind is one of jsonKinds, "" for the value itself.
	kind string
}

// jsonKinds are what parts are read as, and the kinds of the values that they are compared with.
var jsonKinds = map[string]Kind{"bool": Bool, "float": Float, "int": Int, "text": Text}

// of is the part of a JSON value, nil where there is none of the kind.
func (p part) of(v any) any {
	for _, key := range p.path {
		o, _ := v.(map[string]any)
		v = o[key.(string)]
	}
	switch p.kind {
	case "bool":
		b, ok := v.(bool)
		return orNull(b, ok)
	case "float", "int":
		n, ok := v.(float64)
		return orNull(n, ok)
	case "text":
		if n, ok := v.(float64); ok {
			return strconv.FormatFloat(n, 'g', -1, 64)
		}
	}
	return v
}

func orNull(v any, ok bool) any {
	if ok {
		return v
	}
	return nil
}

// part makes a part of which there may be one.
func (m *maker) part() part {
	p := part{path: []any{pick(m.Rand, jsonKeys)}, kind: pick(m.Rand, []string{"bool", "float", "int", "int", "text", ""})}
	if m.chance(15) {
		p.path = append(p.path, pick(m.Rand, jsonKeys))
	}
	return p
}

// partComparison makes a condition on a part of a JSON column.
func (m *maker) partComparison(c *Column) expression {
	x := partComparison{column: c, part: m.part()}
	if x.part.kind == "" {
		x.op, x.value = "_is_null", m.chance(50)
		return x
	}
	x.op, x.value = m.operation(jsonKinds[x.part.kind])
	if x.part.kind == "text" && (x.op == "_gt" || x.op == "_lte") {
		x.op = "_eq" // texts in JSON are ordered as the database likes
	}
	return x
}

// spell spells the condition.
func (x partComparison) spell() any {
	switch {
	case x.part.kind == "" && x.value == true:
		return object{{"_not", object{{x.column.Field, object{{"_path_exists", typed{"[String!]", x.part.path}}}}}}}
	case x.part.kind == "":
		return object{{x.column.Field, object{{"_path_exists", typed{"[String!]", x.part.path}}}}}
	}
	at := object{{"path", typed{"[String!]!", x.part.path}}, {x.part.kind, object{{x.op, operand(x.op, jsonKinds[x.part.kind], x.value)}}}}
	return object{{x.column.Field, object{{"_at", at}}}}
}

// edit makes a change of a JSON value, and spells what its operator is given.
func (m *maker) edit() (operator string, given any, change func(old any) any) {
	key, value := pick(m.Rand, jsonKeys), m.value(pick(m.Rand, []Kind{Int, Text}))
	members := func(old any) map[string]any {
		o, _ := old.(map[string]any)
		o = maps.Clone(o)
		if o == nil {
			o = map[string]any{}
		}
		return o
	}
	switch m.IntN(3) {
	case 0:
		return "_set_at", object{{"path", typed{"[String!]!", []any{key}}}, {"value", typed{"jsonb", value}}}, func(old any) any {
			o := members(old)
			o[key] = value
			return o
		}
	case 1:
		return "_delete_at", object{{"path", []any{key}}}, func(old any) any {
			if old == nil {
				return nil
			}
			o := members(old)
			delete(o, key)
			return o
		}
	}
	patch := m.value(JSON).(map[string]any)
	if m.chance(50) {
		patch[key] = nil
	}
	return "_merge", typed{"jsonb", patch}, func(old any) any {
		o := members(old)
		for k, v := range patch {
			if o[k] = v; v == nil {
				delete(o, k)
			}
		}
		return o
	}
}
