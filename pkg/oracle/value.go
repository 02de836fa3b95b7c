package oracle

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// Kind is the type of a value.
type Kind string

// The kinds. Values are nil for NULL and otherwise: float64 for numbers, string, bool, []any of
// strings for Texts, and map[string]any of numbers and strings for JSON.
const (
	Int   Kind = "int4"
	Float Kind = "float8"
	Text  Kind = "text"
	Bool  Kind = "bool"
	Texts Kind = "text[]"
	JSON  Kind = "jsonb"
)

// graphQL is the name of the kind's type.
func (k Kind) graphQL() string {
	return map[Kind]string{Int: "Int", Float: "float8", Text: "String", Bool: "Boolean", Texts: "[String!]", JSON: "jsonb"}[k]
}

// truth is a truth value of three-valued logic: and is the minimum, or the maximum.
type truth int8

const (
	no truth = iota
	unknown
	yes
)

func (t truth) not() truth { return yes - t }

func truthOf(b bool) truth {
	if b {
		return yes
	}
	return no
}

// compare orders values that are not NULL.
func compare(a, b any) int {
	switch a := a.(type) {
	case float64:
		return cmp.Compare(a, b.(float64))
	case string:
		return cmp.Compare(a, b.(string))
	case bool:
		return int(truthOf(a) - truthOf(b.(bool)))
	case []any:
		return slices.CompareFunc(a, b.([]any), compare)
	case map[string]any:
		return cmp.Compare(contains(b, a)+contains(a, b), 2*yes) // 0 when each contains the other
	}
	panic("no order of such values")
}

// equal compares as DISTINCT does: NULL equals NULL.
func equal(a, b any) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return compare(a, b) == 0
}

// contains is a @> b.
func contains(a, b any) truth {
	switch a := a.(type) {
	case []any:
		for _, item := range b.([]any) {
			if !slices.Contains(a, item) {
				return no
			}
		}
		return yes
	case map[string]any:
		for key, v := range b.(map[string]any) {
			if own, ok := a[key]; !ok || own != v {
				return no
			}
		}
		return yes
	}
	panic("no containment of such values")
}

// operate applies a comparison operator.
func operate(op string, left, right any) truth {
	switch op {
	case "_is_null":
		return truthOf((left == nil) == right.(bool))
	case "_in", "_nin":
		return among(op, left, right.([]any))
	}
	if left == nil || right == nil {
		return unknown
	}
	switch op {
	case "_eq":
		return truthOf(compare(left, right) == 0)
	case "_neq":
		return truthOf(compare(left, right) != 0)
	case "_gt":
		return truthOf(compare(left, right) > 0)
	case "_lt":
		return truthOf(compare(left, right) < 0)
	case "_gte":
		return truthOf(compare(left, right) >= 0)
	case "_lte":
		return truthOf(compare(left, right) <= 0)
	case "_contains":
		return contains(left, right)
	case "_contained_in":
		return contains(right, left)
	case "_has_key", "_has_keys_any", "_has_keys_all":
		return hasKeys(op, left.(map[string]any), right)
	}
	return match(op, left.(string), right.(string))
}

// among is left = ANY(list), or its negation.
func among(op string, left any, list []any) truth {
	found := no
	for _, item := range list {
		found = max(found, operate("_eq", left, item))
	}
	if op == "_nin" {
		return found.not()
	}
	return found
}

func hasKeys(op string, object map[string]any, keys any) truth {
	has := func(key any) bool {
		_, ok := object[key.(string)]
		return ok
	}
	switch op {
	case "_has_key":
		return truthOf(has(keys))
	case "_has_keys_any":
		return truthOf(slices.ContainsFunc(keys.([]any), has))
	}
	return truthOf(!slices.ContainsFunc(keys.([]any), func(k any) bool { return !has(k) }))
}

// match applies an operator of texts. Patterns are made of letters and wildcards.
func match(op, text, pattern string) truth {
	negated := strings.HasPrefix(op, "_n")
	op = strings.Replace(op, "_n", "_", 1)
	if op == "_like" || op == "_ilike" || op == "_similar" {
		pattern = "^" + strings.NewReplacer("%", ".*", "_", ".").Replace(pattern) + "$"
	}
	flags := "(?s)"
	if op == "_ilike" || op == "_iregex" {
		flags = "(?si)"
	}
	found := truthOf(regexp.MustCompile(flags + pattern).MatchString(text))
	if negated {
		return found.not()
	}
	return found
}
