// Package quote writes names, texts and arrays as PostgreSQL reads them in SQL.
package quote

import (
	"strings"

	"queryengine/pkg/catalog"
)

// Name writes an identifier as SQL.
func Name(name string) string {
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// Qualified quotes a name with its schema.
func Qualified(n catalog.Name) string {
	if n.Schema == "" {
		return Name(n.Name)
	}
	return Name(n.Schema) + "." + Name(n.Name)
}

// Literal quotes text as a constant of unknown type.
func Literal(text string) string {
	quoted := `'` + strings.ReplaceAll(text, `'`, `''`) + `'`
	if !strings.Contains(text, `\`) {
		return quoted
	}
	// The same value whatever standard_conforming_strings is.
	return `E` + strings.ReplaceAll(quoted, `\`, `\\`)
}

// Array is the text form of an array.
func Array(values [][]byte) []byte {
	size := 2
	for _, v := range values {
		size += len(v) + len(`"",`)
	}
	text := append(make([]byte, 0, size), '{')
	for i, v := range values {
		if i > 0 {
			text = append(text, ',')
		}
		text = AppendElement(text, v)
	}
	return append(text, '}')
}

// AppendElement appends an element of the text form of an array; nil is NULL.
func AppendElement[T ~string | ~[]byte](dst []byte, v T) []byte {
	if b, ok := any(v).([]byte); ok && b == nil {
		return append(dst, "NULL"...)
	}
	dst = append(dst, '"')
	for i := range len(v) {
		if v[i] == '"' || v[i] == '\\' {
			dst = append(dst, '\\')
		}
		dst = append(dst, v[i])
	}
	return append(dst, '"')
}
