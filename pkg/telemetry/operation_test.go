package telemetry_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/telemetry"
)

func TestOnlyTheFirstOperationsAreNamed(t *testing.T) {
	t.Parallel()
	o := telemetry.NewOperations()
	for i := range telemetry.MaxOperations {
		op := telemetry.Operation{Name: "a", Hash: strconv.Itoa(i)}
		require.Equal(t, op, o.Named(op))
	}
	require.Equal(t, telemetry.Operation{}, o.Named(telemetry.Operation{Name: "late"}))
	first := telemetry.Operation{Name: "a", Hash: "0"}
	require.Equal(t, first, o.Named(first), "who has a name keeps it")
}
