package request

import (
	"encoding/json"
	"strconv"
	"strings"

	"queryengine/pkg/gqlname"
	"queryengine/pkg/jsontext"
	"queryengine/pkg/jsonwalk"
	"queryengine/pkg/metadata"
	"queryengine/pkg/remoteschema"
	"queryengine/pkg/session"
	"queryengine/services/query-executor/internal/remote"
)

// Call asks a remote for all keys of a join, in one request: the same field for each key,
// with arguments of its own.
type Call struct {
	Meta *metadata.RemoteSchema
	// Path leads from the field of a key to the value, and Shape is what that consists of.
	Path  []string
	Shape *remote.Shape

	variables values
	// texts are the field, cut at the references to parts of its key.
	texts      []string
	references []Reference
}

// Reference is where a part of a key stands in a field.
type Reference struct {
	Part int
	Type *remoteschema.Ref
}

// Cut cuts the text of a field at its references, which were made in another order.
func (c *Call) Cut(text string, variables []Variable, references []Reference) {
	c.variables = newValues(variables)
	for i, part := range strings.Split(text, ReferenceMark) {
		if i%2 == 0 {
			c.texts = append(c.texts, part)
			continue
		}
		n, _ := strconv.Atoi(part) // it was written by fixed
		c.references = append(c.references, references[n])
	}
}

// ReferenceMark stands around the number of a reference in a text. No text in GraphQL has it.
const ReferenceMark = "\x00"

// Body is the body of the request for keys. Parts of keys that GraphQL can't spell are sent as
// variables.
func (c *Call) Body(keys [][][]byte, values [][]byte, s *session.Session) ([]byte, error) {
	var fields, declared, extra []byte
	for i, key := range keys {
		fields = append(append(fields, ' '), remote.Alias(i)...)
		fields = append(append(fields, ": "...), c.texts[0]...)
		for n, r := range c.references {
			value := key[r.Part]
			if spelled, ok := r.spell(value); ok {
				fields = append(fields, spelled...)
			} else {
				name := joinPrefix + strconv.Itoa(i) + "_" + strconv.Itoa(n)
				fields = append(append(fields, '$'), name...)
				declared = append(declared, " $"+name+": "+r.Type.Remote()...)
				extra = append(append(extra, `,"`+name+`":`...), value...)
			}
			fields = append(fields, c.texts[n+1]...)
		}
	}
	document := make([]byte, 0, len(fields)+len(declared)+64)
	document = append(document, "query"...)
	if len(c.variables.list)+len(declared) > 0 {
		document = append(document, '(')
		for _, v := range c.variables.list {
			document = append(document, "$"+v.Name+": "+v.Type+" "...)
		}
		document = append(append(document, declared...), ')')
	}
	document = append(append(append(document, " {"...), fields...), '}')

	body := jsontext.AppendString([]byte(`{"query":`), string(document))
	if len(c.variables.list)+len(extra) == 0 {
		return append(body, '}'), nil
	}
	body = append(body, `,"variables":{`...)
	start := len(body)
	body, err := c.variables.append(body, values, s)
	if err != nil {
		return nil, err
	}
	if len(extra) > 0 && len(body) == start {
		extra = extra[1:] // the comma
	}
	return append(append(body, extra...), "}}"...), nil
}

// spell writes JSON in GraphQL, as far as both are spelt alike: an object isn't.
func (r *Reference) spell(raw []byte) ([]byte, bool) {
	switch jsonwalk.KindOf(raw) {
	case jsonwalk.Number, jsonwalk.Boolean:
		return raw, true
	case jsonwalk.String:
		of := r.Type.Named()
		if of.Kind == remoteschema.Enum {
			text, err := jsonwalk.Text(raw)
			return []byte(text), err == nil && gqlname.Valid(text)
		}
		if of.Remote == "Int" || of.Remote == "Float" {
			if number := raw[1 : len(raw)-1]; jsonwalk.KindOf(number) == jsonwalk.Number && json.Valid(number) {
				return number, true // which answers have as text when numbers are stringified
			}
		}
		return raw, true
	}
	return nil, false
}

// Texts tell the call from others.
func (c *Call) Texts() []string { return append([]string{c.Meta.Name}, c.texts...) }
