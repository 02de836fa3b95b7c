package template

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// call applies a function to its one argument.
type call struct {
	name     string
	library  Function // nil when the environment has to know it
	argument node
	at       Span
}

func newCall(name string, argument node, at Span) *call {
	return &call{name: name, library: library[name], argument: argument, at: at}
}

func (n *call) span() Span { return n.at }

func (n *call) evaluate(m *machine) (any, *Error) {
	function := n.library
	if function == nil {
		function = m.environment.Functions[n.name]
	}
	if function == nil {
		return nil, failure(NameError, n.at, "Variable '%s' not in scope", n.name)
	}
	argument, fault := n.argument.evaluate(m)
	if fault != nil {
		return nil, fault
	}
	if fault := m.spend(cost(argument), n.at); fault != nil {
		return nil, fault
	}
	v, err := function(argument)
	if err != nil {
		return nil, failure(FunctionError, n.argument.span(), "%s", err)
	}
	if fault := m.spend(cost(v), n.at); fault != nil {
		return nil, fault
	}
	return v, nil
}

// cost is what it takes to look at a value and at the elements of a list once, which is the
// most that a function of the library does.
func cost(v any) int {
	list, ok := v.([]any)
	if !ok {
		return ownCost(v)
	}
	steps := 1
	for _, element := range list {
		steps += ownCost(element)
	}
	return steps
}

func ownCost(v any) int {
	switch v := v.(type) {
	case string:
		return 1 + len(v)/64
	case []any:
		return 1 + len(v)
	case map[string]any:
		return 1 + len(v)
	}
	return 1
}

var library = map[string]Function{
	"empty":       empty,
	"size":        size,
	"inverse":     inverse,
	"head":        head,
	"tail":        tail,
	"toCaseFold":  onText(func(s string) string { return cases.Fold().String(s) }),
	"toLower":     onText(func(s string) string { return cases.Lower(language.Und).String(s) }),
	"toUpper":     onText(func(s string) string { return cases.Upper(language.Und).String(s) }),
	"toTitle":     onText(func(s string) string { return cases.Title(language.Und).String(s) }),
	"escapeUri":   onText(EscapeURI),
	"fromPairs":   fromPairs,
	"toPairs":     toPairs,
	"removeNulls": removeNulls,
	"concat":      concat,
	"not":         not,
}

func unexpectedType(what, expected string, v any) error {
	return RefusedError("parsing " + what + " failed, expected " + expected + ", but encountered " + TypeName(v))
}

func empty(v any) (any, error) {
	switch v := v.(type) {
	case bool:
		return nil, RefusedError("Cannot define emptiness for a boolean")
	case json.Number:
		return compareNumbers(string(v), "0") == 0, nil
	case string:
		return strings.TrimSpace(v) == "", nil
	case []any:
		return len(v) == 0, nil
	case map[string]any:
		return len(v) == 0, nil
	}
	return true, nil
}

func size(v any) (any, error) {
	switch v := v.(type) {
	case bool:
		if v {
			return integer(1), nil
		}
	case json.Number:
		return v, nil
	case string:
		return integer(utf8.RuneCountInString(v)), nil
	case []any:
		return integer(len(v)), nil
	case map[string]any:
		return integer(len(v)), nil
	}
	return integer(0), nil
}

func inverse(v any) (any, error) {
	switch v := v.(type) {
	case bool:
		return !v, nil
	case json.Number:
		if n, ok := reciprocal(v); ok {
			return n, nil
		}
		return nil, RefusedError("Cannot divide by zero")
	case string:
		runes := []rune(v)
		slices.Reverse(runes)
		return string(runes), nil
	case []any:
		list := slices.Clone(v)
		slices.Reverse(list)
		return list, nil
	}
	return v, nil
}

func head(v any) (any, error) {
	switch v := v.(type) {
	case string:
		if v == "" {
			return nil, RefusedError("Empty string")
		}
		_, n := utf8.DecodeRuneInString(v)
		return v[:n], nil
	case []any:
		if len(v) == 0 {
			return nil, RefusedError("Empty array")
		}
		return v[0], nil
	}
	return nil, errNotSequence
}

// tail leaves what is empty as it is: there is nothing to drop.
func tail(v any) (any, error) {
	switch v := v.(type) {
	case string:
		_, n := utf8.DecodeRuneInString(v) // 0 of an empty text
		return v[n:], nil
	case []any:
		return v[min(1, len(v)):], nil
	}
	return nil, errNotSequence
}

const errNotSequence = RefusedError("Expected an array or string")

func onText(change func(string) string) Function {
	return func(v any) (any, error) {
		s, ok := v.(string)
		if !ok {
			return nil, unexpectedType("String", "String", v)
		}
		return change(s), nil
	}
}

// EscapeURI percent-encodes all but the unreserved characters of a URI.
func EscapeURI(s string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for _, c := range []byte(s) {
		if c < utf8.RuneSelf && (unicode.IsLetter(rune(c)) || unicode.IsDigit(rune(c)) || strings.IndexByte("-_.~", c) >= 0) {
			b.WriteByte(c)
		} else {
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
	return b.String()
}

func fromPairs(v any) (any, error) {
	pairs, ok := v.([]any)
	if !ok {
		return nil, unexpectedType("Nested Arrays", "Array", v)
	}
	object := make(map[string]any, len(pairs))
	for _, p := range pairs {
		pair, ok := p.([]any)
		if !ok {
			return nil, unexpectedType("Array of Pair", "Array", p)
		}
		if len(pair) == 2 {
			if key, ok := pair[0].(string); ok {
				object[key] = pair[1]
				continue
			}
		}
		return nil, RefusedError("Expected an array of shape [ [k1,v1], [k2,v2] ... ] - With String keys.")
	}
	return object, nil
}

func toPairs(v any) (any, error) {
	object, ok := v.(map[string]any)
	if !ok {
		return nil, unexpectedType("Object", "Object", v)
	}
	pairs := make([]any, 0, len(object))
	for _, key := range slices.Sorted(maps.Keys(object)) {
		pairs = append(pairs, []any{key, object[key]})
	}
	return pairs, nil
}

func removeNulls(v any) (any, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, unexpectedType("Array", "Array", v)
	}
	kept := make([]any, 0, len(list))
	for _, element := range list {
		if element != nil {
			kept = append(kept, element)
		}
	}
	return kept, nil
}

// concat joins lists, texts or objects, whichever all the elements are.
func concat(v any) (any, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, unexpectedType("Array", "Array", v)
	}
	if lists, ok := all[[]any](list); ok {
		return slices.Concat(append(lists, []any{})...), nil
	}
	if texts, ok := all[string](list); ok {
		return strings.Join(texts, ""), nil
	}
	merged := map[string]any{}
	for _, element := range list {
		object, ok := element.(map[string]any)
		if !ok {
			return nil, unexpectedType("Nested Object", "Object", element)
		}
		maps.Copy(merged, object)
	}
	return merged, nil
}

// all is the list with the type that each of its elements has.
func all[T any](list []any) (typed []T, ok bool) {
	typed = make([]T, len(list))
	for i, element := range list {
		if typed[i], ok = element.(T); !ok {
			return nil, false
		}
	}
	return typed, true
}

func not(v any) (any, error) {
	b, ok := v.(bool)
	if !ok {
		return nil, unexpectedType("Bool", "Boolean", v)
	}
	return !b, nil
}
