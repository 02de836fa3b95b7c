package session_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/session"
)

// TestJSON holds that the variables come back as they are, by their names in order, and that equal sessions have equal
// texts.
func TestJSON(t *testing.T) {
	t.Parallel()
	for _, variables := range []map[string]string{
		nil,
		{"x-engine-user-id": "7", "x-engine-org": `quotes " and \ and <b>&`, "x-engine-a": "line\nbreak\x00é\u2028"},
	} {
		s := session.New("clerk", variables)
		var decoded map[string]string
		require.NoError(t, json.Unmarshal(s.JSON(), &decoded))
		for name, value := range s.Variables {
			require.Equal(t, strings.ReplaceAll(value, "\x00", "\uFFFD"), decoded[name])
		}
		require.Len(t, decoded, len(s.Variables))
		first := string(s.JSON())
		for range 20 {
			require.Equal(t, first, string(s.JSON()))
		}
	}
	require.Equal(t, `{"x-engine-role":"clerk","x-engine-user-id":"7"}`, //nolint:testifylint // byte for byte
		string(session.New("clerk", map[string]string{"x-engine-user-id": "7"}).JSON()))
	require.Equal(t, `{}`, string((&session.Session{}).JSON())) //nolint:testifylint // byte for byte
}
