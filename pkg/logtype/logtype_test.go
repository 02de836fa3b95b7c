package logtype_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/logtype"
)

func TestSelection(t *testing.T) {
	t.Parallel()
	require.Subset(t, logtype.Selectable(), logtype.Default())
	for _, name := range logtype.Selectable() {
		require.True(t, logtype.Of(logtype.Type(name)).Selectable, name)
		require.NotContains(t, logtype.Aliases(), name)
	}
	require.False(t, logtype.Of(logtype.Unhandled).Selectable)
	require.False(t, logtype.Of("of another version").Selectable, "a kind without a row is written always")
}
