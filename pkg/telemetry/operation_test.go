package telemetry_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/telemetry"
)

func operation(i int) telemetry.Operation {
	return telemetry.Operation{Name: "a", Hash: strconv.Itoa(i)}
}

// Names that are made up for one request each leave places for operations that come again.
func TestMadeUpOperationsLeavePlaces(t *testing.T) {
	t.Parallel()
	o := telemetry.NewOperations()
	for i := range 50 * telemetry.MaxOperations {
		o.Named(operation(i))
	}
	late := telemetry.Operation{Name: "late"}
	require.Equal(t, telemetry.Operation{}, o.Named(late))
	for range 20 {
		o.Named(late)
	}
	require.Equal(t, late, o.Named(late))
	require.Equal(t, operation(0), o.Named(operation(0)), "who has a name keeps it")
}

func TestOperationsAreBounded(t *testing.T) {
	t.Parallel()
	o := telemetry.NewOperations()
	named := 0
	for i := range 2 * telemetry.MaxOperations {
		for range 20 {
			o.Named(operation(i))
		}
		if o.Named(operation(i)) == operation(i) {
			named++
		}
	}
	require.Equal(t, telemetry.MaxOperations, named)
	require.Equal(t, telemetry.Operation{}, o.Named(telemetry.Operation{Name: "late"}))
}
