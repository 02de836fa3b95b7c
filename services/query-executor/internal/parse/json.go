package parse

import "queryengine/pkg/jsontext"

// AppendJSON appends v as JSON: enum values become strings, and variable gives the text of
// each variable that is used in v.
func (v *Value) AppendJSON(dst []byte, variable func(dst []byte, d *Variable) []byte) []byte {
	switch v.Kind {
	case Null:
		return append(dst, "null"...)
	case Boolean, Int, Float:
		return append(dst, v.Text...)
	case String, Enum:
		return jsontext.AppendString(dst, v.Text)
	case List:
		dst = append(dst, '[')
		for i := range v.Items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = v.Items[i].AppendJSON(dst, variable)
		}
		return append(dst, ']')
	case Object:
		dst = append(dst, '{')
		for i := range v.Fields {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(jsontext.AppendString(dst, v.Fields[i].Name), ':')
			dst = v.Fields[i].Value.AppendJSON(dst, variable)
		}
		return append(dst, '}')
	}
	return variable(dst, v.Variable)
}
