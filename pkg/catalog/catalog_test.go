package catalog

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStored(t *testing.T) {
	t.Parallel()
	for kind, stored := range map[TableKind]bool{
		KindTable: true, KindPartitioned: true, KindMaterializedView: true, KindView: false, KindForeignTable: false, "": false,
	} {
		require.Equal(t, stored, (&Table{Kind: kind}).Stored(), kind)
		require.False(t, (&Table{Kind: kind, Policies: true}).Stored(), kind)
	}
}
