package project

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWithoutTransaction(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"-- engine:no-transaction\nCREATE INDEX CONCURRENTLY i ON t (a)": true,
		"--hasura:no-transaction\r\nSELECT 1":                            true,
		"\ufeff-- hasura: no-transaction":                                true,
		"SELECT 1 -- engine:no-transaction":                              false,
		"\n-- engine:no-transaction":                                     false,
		"-- no-transaction":                                              false,
		"-- engine:no-transactions":                                      false,
		"engine:no-transaction":                                          false,
		"":                                                               false,
	} {
		require.Equal(t, want, WithoutTransaction(text), text)
	}
}
