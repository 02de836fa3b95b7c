package answer

import "encoding/json"

// JSONOf is a text as JSON, with memory of its own: null where there is none, itself where it is plain and JSON has such a value, else a string.
func JSONOf(text []byte, plain bool) json.RawMessage {
	switch {
	case text == nil:
		return json.RawMessage("null")
	case plain && json.Valid(text):
		return append(json.RawMessage{}, text...)
	}
	return AppendString(nil, text)
}
