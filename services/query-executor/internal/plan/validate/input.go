// Package validate is what the webhooks of permissions are shown of a mutation before it is run.
package validate

import (
	"bytes"
	"encoding/json"

	"queryengine/pkg/metadata"
	"queryengine/services/query-executor/internal/parse"
)

// Input is what the webhook of a permission checks: all that a root field wants to
// write to a table.
type Input struct {
	Webhook *metadata.ValidateInputWebhook
	// Data encode to JSON.
	Data []any
}

// ListOf is v as a list; a single value stands for a list of one.
func ListOf(v any) []any {
	if list, ok := v.([]any); ok {
		return list
	}
	return []any{v}
}

// Decoder makes Go values of what a request gives. A key that is given twice counts the
// last time, for the webhook as for the statement.
type Decoder struct {
	Values    [][]byte
	DropUnset bool
}

// Unset reports whether v is a variable without a value that counts as not given.
func (d Decoder) Unset(v *parse.Value) bool {
	return d.DropUnset && v.Kind == parse.VariableUse && d.Values[v.Variable.Index] == nil
}

// Decode makes a Go value that encodes to the JSON of v.
func (d Decoder) Decode(v *parse.Value) any {
	switch v.Kind {
	case parse.Boolean:
		return v.Text == "true"
	case parse.Int, parse.Float:
		return json.Number(v.Text)
	case parse.String, parse.Enum:
		return v.Text
	case parse.List:
		list := make([]any, len(v.Items))
		for i := range v.Items {
			list[i] = d.Decode(&v.Items[i])
		}
		return list
	case parse.Object:
		object := make(map[string]any, len(v.Fields))
		for i := range v.Fields {
			if f := &v.Fields[i]; !d.Unset(&f.Value) {
				object[f.Name] = d.Decode(&f.Value)
			}
		}
		return object
	case parse.VariableUse:
		return decodeJSON(d.Values[v.Variable.Index])
	}
	return nil
}

// decodeJSON keeps numbers as they are spelt. What is no JSON can't come from a request,
// whose body was parsed.
func decodeJSON(text []byte) any {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var v any
	if decoder.Decode(&v) != nil {
		return nil
	}
	return v
}
