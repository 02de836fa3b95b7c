package apply

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/metadata"
)

func TestEveryOperationHasABody(t *testing.T) {
	t.Parallel()
	e := newGroupBench().engine
	used := map[reflect.Type]bool{}
	for api := metadata.APIMetadata; api <= metadata.APIQueryV2; api++ {
		for name, o := range e.registry.All(api) {
			switch o.Args.(type) {
			case metadata.Query, metadata.Batch, metadata.Command, *metadata.Bulk:
				require.Nil(t, bodies[reflect.TypeOf(o.Args)], name)
			default:
				require.NotNil(t, bodies[reflect.TypeOf(o.Args)], "%s (%T) has no body", name, o.Args)
				used[reflect.TypeOf(o.Args)] = true
			}
		}
	}
	require.Len(t, used, len(bodies), "a body belongs to no operation")
}
