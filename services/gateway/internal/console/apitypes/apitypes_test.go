package apitypes_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/services/gateway/internal/console/apitypes"
)

func TestTypesAreCurrent(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile("../../../console/src/lib/http/types.ts")
	require.NoError(t, err)
	var got bytes.Buffer
	require.NoError(t, apitypes.Write(&got))
	require.Equal(t, string(want), got.String(), "run make console")
}
