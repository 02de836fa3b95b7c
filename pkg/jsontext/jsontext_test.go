package jsontext_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/jsontext"
)

func FuzzAppendString(f *testing.F) {
	for _, s := range []string{"", "plain", "\"\\/\n\r\t\x00\x1f", "é€😀", "\xff\xfeab\xc3", "<&>\u2028"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		text := jsontext.AppendString([]byte("x"), s)
		require.Equal(t, byte('x'), text[0])
		encoded, err := json.Marshal(s)
		require.NoError(t, err)
		var want, got string
		require.NoError(t, json.Unmarshal(encoded, &want))
		require.NoError(t, json.Unmarshal(text[1:], &got))
		require.Equal(t, want, got)
	})
}

func TestCut(t *testing.T) {
	t.Parallel()
	require.Equal(t, "a€", jsontext.Cut("a€", 4))
	require.Equal(t, "a", jsontext.Cut("a€", 3))
	require.Equal(t, "a", jsontext.Cut("abc", 1))
	require.Empty(t, jsontext.Cut("€", 2))
}
