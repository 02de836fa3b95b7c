package config

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseReaders(t *testing.T) {
	t.Parallel()
	list, err := parseReaders("search=default/items,index-2=a/b=c/d")
	require.NoError(t, err)
	require.Equal(t, []ChangesReader{{"search", "default", "items"}, {"index-2", "a/b=c", "d"}}, list)
	for _, text := range []string{"search", "=a/b", "search=a", "search=/a", "search=a/", "../x=a/b", "a.b=a/b", "A=a/b"} {
		_, err := parseReaders(text)
		require.Error(t, err, text)
	}
}
