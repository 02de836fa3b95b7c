package config_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/config"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	known := []string{"serve", "dev", "seed", "metadata", "migrate", "version"}
	for word, want := range map[string]string{
		"srve": "serve", "sevre": "serve", "metdata": "metadata", "migrat": "migrate", "verison": "version",
		"dance": "", "x": "", "": "",
	} {
		require.Equal(t, want, config.Nearest(word, known), word)
	}
	require.Empty(t, config.DidYouMean("dance", known))
	require.Equal(t, `; did you mean "serve"?`, config.DidYouMean("srve", known))
}
