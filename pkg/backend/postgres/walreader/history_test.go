package walreader

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend/postgres/pgoutput"
)

func TestWhereLeft(t *testing.T) {
	t.Parallel()
	const history = "1\t0/5000098\tno recovery target specified\n\n# a comment\n2\t16/B374D848\tbefore 2000-01-01 00:00:00+00\n12\t17/0\tx\n"
	for timeline, want := range map[Timeline]pgoutput.LSN{1: 0x5000098, 2: 0x16_b374d848, 12: 0x17_00000000} {
		at, ok, err := whereLeft(history, timeline)
		require.NoError(t, err)
		require.True(t, ok)
		require.Equal(t, want, at)
	}
	_, ok, err := whereLeft(history, 3)
	require.NoError(t, err)
	require.False(t, ok)
	_, _, err = whereLeft("3\tnowhere\n", 3)
	require.ErrorContains(t, err, "is no place in the log")
}
