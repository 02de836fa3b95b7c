package metadata

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzSplit: valid JSON is split as encoding/json does; anything else does no harm.
func FuzzSplit(f *testing.F) {
	for _, s := range []string{
		`{}`, `[]`, ` { "a" : [ 1 , -2.5e3 ] , "b":{"c":"}\\\"]"},"a":null} `, `["\\","\"",[],{},true]`, `{"\u0061\"":"é\ud83d"}`,
		`{"a"`, `{"a":`, `{"a":}`, `{,}`, `[,]`, `[1`, `{"a":1,}`, `"\`, `{"\"`, `[1 2]`, `{"a" 1}`, `{1:2}`, `[`, `{`, ``, "{\"\xff\":1}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		fields, fieldsErr := object(raw)
		items, itemsErr := array(raw)
		if !json.Valid(raw) {
			return
		}
		var wantFields map[string]json.RawMessage
		var wantItems []json.RawMessage
		if JSONType(raw) == "Object" {
			require.NoError(t, json.Unmarshal(raw, &wantFields))
			require.NoError(t, fieldsErr)
			require.Equal(t, wantFields, fields)
		} else {
			require.Error(t, fieldsErr)
		}
		if JSONType(raw) == "Array" {
			require.NoError(t, json.Unmarshal(raw, &wantItems))
			require.NoError(t, itemsErr)
			require.Equal(t, wantItems, items)
		} else {
			require.Error(t, itemsErr)
		}
	})
}
