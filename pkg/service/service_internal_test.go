package service

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBuildNamesTheCommit(t *testing.T) {
	t.Parallel()
	require.Equal(t, Version, describe(nil))
	require.Equal(t, Version+" (commit abc)", describe(map[string]string{"vcs.revision": "abc", "vcs.modified": "false"}))
	require.Equal(t, Version+" (commit abc, modified)", describe(map[string]string{"vcs.revision": "abc", "vcs.modified": "true"}))
	require.Equal(t, Version+" (commit abc, modified, 2100-11-28T22:14:51Z)", describe(map[string]string{
		"vcs.revision": "abc", "vcs.modified": "true", "vcs.time": "2100-11-28T22:14:51Z",
	}))
	require.Equal(t, "graphql-engine/"+Version, UserAgent())
}
