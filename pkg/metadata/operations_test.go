package metadata

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Each row of the table is complete, and none takes the name of another.
func TestRowsOfOperations(t *testing.T) {
	t.Parallel()
	seen := map[requestName]bool{}
	for _, o := range operations() {
		require.NotEmpty(t, o.name)
		require.NotNil(t, o.args, o.name)
		require.NotZero(t, o.at, o.name)
		require.Zero(t, o.open&^o.at, o.name)
		require.True(t, o.ofSources || o.needs == 0 && !o.prefixed, o.name)
		args := o.args()
		_, isCommand := args.(Command)
		_, isBatch := args.(Batch)
		_, mayModify := args.(Modifier)
		if isCommand || isBatch || mayModify {
			require.NotZero(t, o.effect&modifies, o.name)
		}
		if o.atomic {
			require.True(t, isCommand, o.name)
		}
		for api := APIMetadata; api <= APIQueryV2; api++ {
			if o.at&versionsOf(api) == 0 {
				continue
			}
			names := []string{o.name}
			if o.ofSources {
				names = nil
				for _, k := range KnownKinds() {
					for _, name := range o.names(api, k) {
						if name != k.Name+"_"+o.name { // a kind's name may be one of its prefixes, too
							names = append(names, name)
						}
					}
				}
			}
			for _, name := range names {
				require.False(t, seen[requestName{api, name}], "two operations are called %s", name)
				seen[requestName{api, name}] = true
			}
		}
	}
}
