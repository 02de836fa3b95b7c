// Package querylog writes GraphQL requests as log lines show them: on one line, without the
// values of variables that are masked, and never larger than a bound.
package querylog

import (
	"bytes"
	"encoding/json"
	"slices"
	"unicode/utf8"

	"queryengine/pkg/jsontext"
)

// Masked takes the place of a value that is not shown.
const Masked = "[MASKED]"

// longest is how many bytes are shown of a text. What is longer is cut off.
const longest = 64 << 10

// cut ends a text of which only the beginning is shown.
const cut = "...[CUT OFF]"

// Mask is the names of the variables whose values are never shown. The zero value shows all.
type Mask struct{ names []string }

// NewMask returns a Mask of the variables with these names.
func NewMask(names []string) Mask { return Mask{names: slices.Clone(names)} }

// Hides reports whether the value of a variable is not shown.
func (m Mask) Hides(name string) bool { return slices.Contains(m.names, name) }

// Empty reports whether all values are shown.
func (m Mask) Empty() bool { return len(m.names) == 0 }

// AppendRequest appends {"operationName","query","variables"}. variables is a JSON object, or
// empty.
func (m Mask) AppendRequest(b []byte, operationName, query string, variables []byte) []byte {
	b = append(b, `{"operationName":`...)
	if operationName == "" {
		b = append(b, "null"...)
	} else {
		b = AppendText(b, operationName)
	}
	b = AppendText(append(b, `,"query":`...), query)
	b = append(b, `,"variables":`...)
	return append(m.appendVariables(b, variables), '}')
}

func (m Mask) appendVariables(b, variables []byte) []byte {
	switch {
	case len(variables) == 0:
		return append(b, "null"...)
	case len(variables) > longest:
		return jsontext.AppendString(b, cut)
	case m.Empty():
		return AppendOneLine(b, variables)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(variables, &members); err != nil {
		return jsontext.AppendString(b, Masked) // of what can't be read, nothing is shown
	}
	for name := range members {
		if m.Hides(name) {
			members[name] = json.RawMessage(`"` + Masked + `"`)
		}
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(members); err != nil {
		return jsontext.AppendString(b, Masked)
	}
	return append(b, bytes.TrimSuffix(text.Bytes(), []byte{'\n'})...)
}

// AppendText appends a text as a JSON string, or the beginning of a long one.
func AppendText(b []byte, text string) []byte {
	if len(text) <= longest {
		return jsontext.AppendString(b, text)
	}
	end := longest
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return jsontext.AppendString(b, text[:end]+cut)
}

// AppendOneLine appends a JSON text without line breaks, which it can only have between its
// tokens.
func AppendOneLine(b, text []byte) []byte {
	start := len(b)
	b = append(b, text...)
	for i := start; i < len(b); i++ {
		if b[i] == '\n' || b[i] == '\r' {
			b[i] = ' '
		}
	}
	return b
}
