package metadata

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"queryengine/pkg/apierror"
)

// The lists of a document are sorted by name, so that equal documents export to equal
// bytes. They are never changed in place.

// find returns the element of that name, or the zero value.
func find[T any](list []T, name func(T) string, want string) T {
	for _, e := range list {
		if name(e) == want {
			return e
		}
	}
	var none T
	return none
}

// inserted returns the sorted list with e instead of the element of its name.
func inserted[T any](list []T, e T, name func(T) string) []T {
	i, found := slices.BinarySearchFunc(list, name(e), func(e T, n string) int { return strings.Compare(name(e), n) })
	list = slices.Clone(list)
	if found {
		list[i] = e
		return list
	}
	return slices.Insert(list, i, e)
}

// removed returns the list without the element of that name.
func removed[T any](list []T, name func(T) string, unwanted string) []T {
	i := slices.IndexFunc(list, func(e T) bool { return name(e) == unwanted })
	if i < 0 {
		return list
	}
	return slices.Delete(slices.Clone(list), i, i+1)
}

// duplicates names the elements that a list has more than once, joined by commas.
func duplicates[T any](list []T, name func(T) string) string {
	seen := make(map[string]int, len(list))
	var names []string
	for _, e := range list {
		n := name(e)
		if seen[n]++; seen[n] == 2 {
			names = append(names, n)
		}
	}
	return strings.Join(names, ", ")
}

func duplicateError(things, names string) error {
	return apierror.Newf(apierror.ParseFailed, "multiple declarations exist for the following %s: %s", things, names)
}

func compareText(a, b string) int { return strings.Compare(a, b) }

// Key reads the text under key in an object that is kept as given; an object there is
// returned as its JSON.
func Key(raw json.RawMessage, key string) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return ""
	}
	var text string
	if json.Unmarshal(fields[key], &text) != nil {
		return string(fields[key])
	}
	return text
}

// sortedBy sorts objects that are kept as given by the text under key.
func sortedBy(list []json.RawMessage, key string) []json.RawMessage {
	type entry struct {
		key string
		raw json.RawMessage
	}
	entries := make([]entry, len(list))
	for i, raw := range list {
		entries[i] = entry{Key(raw, key), raw}
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return strings.Compare(a.key, b.key) })
	for i, e := range entries {
		list[i] = e.raw
	}
	return list
}

// omitEmpty is nil for null, {} and what only holds such parts.
func omitEmpty(raw json.RawMessage) json.RawMessage {
	switch JSONType(raw) {
	case "Null":
		return nil
	case "Object":
		fields, err := object(raw)
		if err == nil && len(fields) == 0 {
			return nil
		}
	}
	return raw
}

// share returns list with every element that equals the one of its name in old replaced by
// that.
func share[T any](list, old []*T, name func(*T) string) []*T {
	byName := make(map[string]*T, len(old))
	for _, o := range old {
		byName[name(o)] = o
	}
	return mapped(list, func(e *T) *T {
		if o := byName[name(e)]; o != nil && reflect.DeepEqual(o, e) {
			return o
		}
		return e
	})
}
