package config

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTable: each row has a name of its own, and a place in the help.
func TestTable(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	last := 0
	for _, s := range Table() {
		for _, name := range []string{"--" + s.Flag, "-" + s.Short, s.Env(), VariablePrefix + s.OldVariable} {
			if name == "-" || name == "" || name == VariablePrefix {
				continue
			}
			require.False(t, names[name], "%s is the name of two settings", name)
			names[name] = true
		}
		place := slices.Index(groups, s.Group)
		require.GreaterOrEqual(t, place, last, "%s stands in the help after groups that come later, or its group %q is not in the list", s.Flag, s.Group)
		last = place
	}
	for _, name := range []string{"--server-port", "ENGINE_GRAPHQL_SERVER_PORT", "--tx-iso", "-i", "--stripes", "--host"} {
		require.True(t, names[name], name)
	}
}
