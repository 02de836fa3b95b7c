package oracle

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
)

// object is an object whose members have an order.
type object []member

type member struct {
	key   string
	value any
}

// MarshalJSON writes the members in their order.
func (o object) MarshalJSON() ([]byte, error) {
	var b strings.Builder
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		key, _ := json.Marshal(m.key)
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return []byte(b.String()), nil
}

// name is a value of an enum.
type name string

// typed is a value that may be given as a variable of that type.
type typed struct {
	of    string
	value any
}

// MarshalJSON writes the value.
func (t typed) MarshalJSON() ([]byte, error) { return json.Marshal(t.value) }

// Operation is an operation as a client sends it.
type Operation struct {
	Text      string
	Variables []byte
}

// writer writes an operation. Some values become variables.
type writer struct {
	random    *rand.Rand
	dialect   *Dialect
	declared  []string
	variables object
}

func (w *writer) variable(of string, v any) string {
	n := fmt.Sprintf("v%d", len(w.variables))
	w.declared = append(w.declared, "$"+n+": "+w.dialect.scalars.Replace(of))
	w.variables = append(w.variables, member{n, v})
	return "$" + n
}

// value spells a value as GraphQL.
func (w *writer) value(v any) string {
	switch v := v.(type) {
	case typed:
		if w.random.IntN(3) == 0 {
			return w.variable(v.of, v.value)
		}
		return w.value(v.value)
	case object:
		var items []string
		for _, m := range v {
			items = append(items, m.key+": "+w.value(m.value))
		}
		return "{" + strings.Join(items, ", ") + "}"
	case map[string]any:
		var o object
		for _, key := range jsonKeys {
			if value, ok := v[key]; ok {
				o = append(o, member{key, value})
			}
		}
		return w.value(o)
	case []any:
		var items []string
		for _, item := range v {
			items = append(items, w.value(item))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case name:
		return string(v)
	}
	text, _ := json.Marshal(v)
	return string(text)
}

func (w *writer) operation(kind, body string) Operation {
	text := kind + " Random"
	if len(w.declared) > 0 {
		text += "(" + strings.Join(w.declared, ", ") + ")"
	}
	variables, _ := json.Marshal(w.variables) // made of plain values
	return Operation{Text: text + " " + body, Variables: variables}
}

// spellAll spells a list of expressions.
func spellAll[T ~[]expression](of T, spell func(expression) any) []any {
	items := []any{}
	for _, x := range of {
		items = append(items, spell(x))
	}
	return items
}

// rule spells an expression as a rule of a permission.
func rule(x expression) any {
	switch x := x.(type) {
	case conjunction:
		return object{{"_and", spellAll(x, rule)}}
	case disjunction:
		return object{{"_or", spellAll(x, rule)}}
	case negation:
		return object{{"_not", rule(x.of)}}
	case comparison:
		return ruleComparison(x)
	case columnComparison:
		other := any(x.other.Name)
		if x.root {
			other = []any{"$", x.other.Name}
		}
		return object{{x.column.Name, object{{x.op, other}}}}
	case related:
		return object{{x.relation.Name, rule(x.where)}}
	case computedRows:
		return object{{x.computed.Name, rule(x.where)}}
	case exists:
		return object{{"_exists", object{{"_table", tableName(x.table.Name)}, {"_where", rule(x.where)}}}}
	}
	panic("no such rule")
}

func ruleComparison(x comparison) any {
	value := x.value
	if x.session != "" {
		value = "X-Engine-" + strings.TrimPrefix(x.session, "x-engine-")
	}
	key := ""
	if x.column != nil {
		key = x.column.Name
	} else {
		key = x.computed.Name
	}
	if x.literal {
		return object{{key, value}}
	}
	return object{{key, object{{x.op, value}}}}
}

func tableName(name string) any { return object{{"name", name}} }

// condition spells an expression as a condition of a client.
func condition(x expression) any {
	switch x := x.(type) {
	case conjunction:
		return object{{"_and", spellAll(x, condition)}}
	case disjunction:
		return object{{"_or", spellAll(x, condition)}}
	case negation:
		return object{{"_not", condition(x.of)}}
	case comparison:
		key, kind := "", Kind("")
		if x.column != nil {
			key, kind = x.column.Field, x.column.Kind
		} else {
			key, kind = x.computed.Name, x.computed.Kind
		}
		return object{{key, object{{x.op, operand(x.op, kind, x.value)}}}}
	case partComparison:
		return x.spell()
	case related:
		return object{{x.relation.Name, condition(x.where)}}
	case computedRows:
		return object{{x.computed.Name, condition(x.where)}}
	case aggregateComparison:
		return aggregateCondition(x)
	}
	panic("no such condition")
}

// operand is the value of an operator with its type.
func operand(op string, kind Kind, v any) any {
	switch op {
	case "_is_null":
		return typed{"Boolean", v}
	case "_in", "_nin":
		return typed{"[" + kind.graphQL() + "!]", v}
	case "_has_keys_any", "_has_keys_all":
		return typed{"[String!]", v}
	case "_has_key":
		return typed{"String", v}
	}
	return typed{kind.graphQL(), v}
}

func aggregateCondition(x aggregateComparison) any {
	kind := Float
	switch x.function {
	case "count":
		kind = Int
	case "bool_and", "bool_or":
		kind = Bool
	}
	o := object{{"predicate", object{{x.op, operand(x.op, kind, x.value)}}}}
	switch {
	case x.function == "count" && x.arguments != nil && !x.one:
		fields := []any{}
		for _, c := range x.arguments {
			fields = append(fields, name(c.Field))
		}
		o = append(o, member{"arguments", fields})
	case len(x.arguments) == 1:
		o = append(o, member{"arguments", name(x.arguments[0].Field)})
	case len(x.arguments) == 2:
		o = append(o, member{"arguments", object{{"X", name(x.arguments[0].Field)}, {"Y", name(x.arguments[1].Field)}}})
	}
	if x.where != nil {
		o = append(o, member{"filter", condition(x.where)})
	}
	if x.distinct {
		o = append(o, member{"distinct", true})
	}
	return object{{x.relation.Name + "_aggregate", object{{x.function, o}}}}
}
