package transform

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"queryengine/pkg/template"
)

// item is a key of a query string, with a value or alone.
type item struct {
	key, value string
	hasValue   bool
}

func readQuery(text string) []item {
	var items []item
	for part := range strings.FieldsFuncSeq(strings.TrimPrefix(text, "?"), func(r rune) bool { return r == '&' || r == ';' }) {
		key, value, hasValue := strings.Cut(part, "=")
		items = append(items, item{unescape(key), unescape(value), hasValue})
	}
	return items
}

// unescape leaves text that isn't escaped properly as it is.
func unescape(s string) string {
	if plain, err := url.QueryUnescape(s); err == nil {
		return plain
	}
	return s
}

func writeQuery(items []item) string {
	var b strings.Builder
	for i, it := range items {
		if i > 0 {
			b.WriteByte('&')
		}
		b.WriteString(template.EscapeURI(it.key))
		if it.hasValue {
			b.WriteByte('=')
			b.WriteString(template.EscapeURI(it.value))
		}
	}
	return b.String()
}

// isURI reports whether text is an absolute URI without characters that need escaping.
func isURI(text string) bool {
	for _, c := range []byte(text) {
		if c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}", c) >= 0 {
			return false
		}
	}
	u, err := url.Parse(text)
	return err == nil && u.IsAbs()
}

// withPath gives an address of HTTP without a path the path "/", which is what a client asks
// for there. Other addresses stay as they are.
func withPath(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Path != "" || u.Scheme != "http" && u.Scheme != "https" {
		return text
	}
	u.Path = "/"
	return u.String()
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
