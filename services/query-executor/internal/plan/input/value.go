package input

import (
	"slices"

	"queryengine/pkg/jsonwalk"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/schema"
)

// Value is an input on its way into the plan: spelt in the document, or a part of the JSON
// of a variable.
type Value struct {
	// Literal is nil for JSON.
	Literal *parse.Value
	// JSON is nil for a variable without a value.
	JSON []byte
	// Variable is where JSON comes from, nil for what is no part of a request's; place is where in
	// it, nil for all of it.
	Variable *parse.Variable
	place    *jsonPlace
	// whole is all of it, nil when it is small.
	whole *longText
}

// JSON is a value that is no part of a request's variables.
func JSON(text []byte) Value { return Value{JSON: text} }

// Rows is the value of a variable of which nothing has to be known but what it holds.
func Rows(text []byte) Value { return Value{JSON: text, whole: newLongText(text)} }

// EachItem calls f for the items of a list in JSON, with values like that of Rows.
func (v Value) EachItem(f func(i int, v Value) error) error {
	return v.whole.walk().Items(v.JSON, func(i int, json []byte) error { return f(i, Value{JSON: json, whole: v.whole}) })
}

// EachMember calls f for the members of an object in JSON, with values like that of Rows.
func (v Value) EachMember(f func(name []byte, v Value) error) error {
	return v.whole.walk().Fields(v.JSON, func(key, json []byte) error { return f(key, Value{JSON: json, whole: v.whole}) })
}

// Literal is a value as it is spelt in the document.
func Literal(v *parse.Value) Value { return Value{Literal: v} }

// Kind is what a value is, whichever way it is spelt.
type Kind uint8

// The kinds.
const (
	Null Kind = iota
	Boolean
	Int
	Float
	Number // of a variable
	String
	Enum
	List
	Object
)

// kinds are the words for a value of the wrong kind.
var kinds = [...]string{"null", "a boolean", "an integer", "a float", "a number", "a string", "an enum value", "a list", "an object"}

// String is the kind in words.
func (k Kind) String() string { return kinds[k] }

// Kind is the kind of the value.
func (v Value) Kind() Kind {
	if v.Literal == nil {
		switch jsonwalk.KindOf(v.JSON) {
		case jsonwalk.Boolean:
			return Boolean
		case jsonwalk.Number:
			return Number
		case jsonwalk.String:
			return String
		case jsonwalk.Array:
			return List
		case jsonwalk.Object:
			return Object
		}
		return Null
	}
	switch v.Literal.Kind {
	case parse.Boolean:
		return Boolean
	case parse.Int:
		return Int
	case parse.Float:
		return Float
	case parse.String:
		return String
	case parse.Enum:
		return Enum
	case parse.List:
		return List
	case parse.Object:
		return Object
	}
	return Null
}

// Text is the text of a scalar, unescaped.
func (v Value) Text() string {
	if v.Literal != nil {
		return v.Literal.Text
	}
	if jsonwalk.KindOf(v.JSON) == jsonwalk.String {
		s, _ := jsonwalk.Text(v.JSON)
		return s
	}
	return string(v.JSON)
}

// child is the value one step below.
func (v Value) child(key string, index int, json []byte) Value {
	return Value{JSON: json, Variable: v.Variable, place: &jsonPlace{v.place, key, index}, whole: v.whole}
}

// ManyKeys is from how many keys on they are looked up in a map.
const ManyKeys = 32

// Member is one member of an object.
type Member struct {
	Name  string
	Value Value
}

// Members are the members of an object; one that is given twice counts the last time.
func (v Value) Members() []Member {
	if v.Literal != nil {
		list := make([]Member, 0, len(v.Literal.Fields))
		for i := range v.Literal.Fields {
			f := &v.Literal.Fields[i]
			list = append(list, Member{f.Name, Literal(&f.Value)})
		}
		return list
	}
	var list []Member
	var byName map[string]int // once there are many
	// Malformed JSON ends the list: it can't come from a request, whose body was parsed.
	index := -1
	_ = v.whole.walk().Fields(v.JSON, func(key, json []byte) error {
		index++
		name := string(key)
		m := Member{name, v.child(name, index, json)}
		if len(list) == ManyKeys {
			byName = make(map[string]int, 2*ManyKeys)
			for i := range list {
				byName[list[i].Name] = i
			}
		}
		i, there := byName[m.Name]
		if byName == nil {
			i = slices.IndexFunc(list, func(o Member) bool { return o.Name == m.Name })
			there = i >= 0
		}
		if there {
			list[i] = m
			return nil
		}
		if byName != nil {
			byName[m.Name] = len(list)
		}
		list = append(list, m)
		return nil
	})
	return list
}

// Items are the items of a list.
func (v Value) Items() []Value {
	var list []Value
	if v.Literal != nil {
		for i := range v.Literal.Items {
			list = append(list, Literal(&v.Literal.Items[i]))
		}
		return list
	}
	_ = v.whole.walk().Items(v.JSON, func(i int, json []byte) error {
		list = append(list, v.child("", i, json))
		return nil
	})
	return list
}

// Usable reports whether a variable may stand at a place of type at.
func Usable(d *parse.Variable, at schema.Ref) bool {
	if at.NonNull() && !d.Type.NonNull && (d.Default == nil || jsonwalk.KindOf(d.Default) == jsonwalk.Null) {
		return false
	}
	return sameShape(at, &d.Type)
}

// sameShape compares names and lists, and leaves nullability alone. Lists of elements fit the
// scalar of an array.
func sameShape(at schema.Ref, t *parse.Type) bool {
	for {
		item, isList := at.Item()
		if !isList && t.Elem != nil && at.Named.Element() != nil {
			for t.Elem != nil {
				t = t.Elem
			}
			return t.Name == at.Named.Element().Name
		}
		if !isList {
			return t.Elem == nil && at.Named.Name == t.Name
		}
		if t.Elem == nil {
			return false
		}
		at, t = item, t.Elem
	}
}
