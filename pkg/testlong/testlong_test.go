package testlong_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/testlong"
)

func TestSizeAndSeed(t *testing.T) {
	t.Setenv(testlong.Variable, "")
	t.Setenv(testlong.SeedVariable, "")
	require.Equal(t, 2, testlong.Of(2, 20))
	require.Equal(t, uint64(7), testlong.Seed(t, 7))
	t.Setenv(testlong.Variable, "1")
	require.Equal(t, 20, testlong.Of(2, 20))
	require.NotEqual(t, testlong.Seed(t, 7), testlong.Seed(t, 7), "any")
	t.Setenv(testlong.SeedVariable, "9")
	require.Equal(t, uint64(9), testlong.Seed(t, 7))
}
