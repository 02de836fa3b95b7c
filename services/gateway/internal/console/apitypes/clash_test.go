package apitypes

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

type setting struct {
	Name string `json:"name"`
}

// TestTypesOfOneNameAreToldApart: an interface stands for one type.
func TestTypesOfOneNameAreToldApart(t *testing.T) {
	t.Parallel()
	own := reflect.TypeFor[setting]()
	type setting struct {
		Size int `json:"size"`
	}
	g := generator{types: map[string]string{}, made: map[string]reflect.Type{}, optional: omitted}
	g.structure(own, "")
	g.structure(own, "")
	require.Empty(t, g.clashes)
	g.structure(reflect.TypeFor[setting](), "")
	require.Equal(t, []string{"apitypes.setting and apitypes.setting are both called Setting"}, g.clashes)
}
