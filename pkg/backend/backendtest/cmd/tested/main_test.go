package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend/backendtest"
)

func TestPagesAreReadAgain(t *testing.T) {
	t.Parallel()
	all := []proven{
		{backendtest.Tested{Server: "A 1.2", Tests: "kinds", Layout: "local", Cases: 7, Except: map[string]string{"queries/one": "no, it can't", "types/two": "nor this"}}, "abc", "2100-01-02"},
		{backendtest.Tested{Server: "B", Tests: "requests", Layout: "apart", Cases: 3, Except: map[string]string{}}, "def", "2100-01-03"},
	}
	text := page(all)
	got, err := known(text)
	require.NoError(t, err)
	require.Equal(t, all, got)
	require.Equal(t, text, page(got))
	_, err = known("## nothing\n")
	require.ErrorContains(t, err, `no row is of "nothing"`)
}
