package schema_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/services/query-executor/internal/schema"
	"queryengine/services/query-executor/internal/schema/schematest"
)

// TestMemoryOfAWritingRole holds the bound on what a role takes that reads all tables and knows
// how to write to them.
func TestMemoryOfAWritingRole(t *testing.T) {
	const tables, bound = 1000, 10 << 20
	resolved := schematest.Large(tables)
	before := heap()
	r := schema.New(resolved, "admin", schema.Options{})
	use(r)
	require.Len(t, r.Mutation().Fields(), 7*tables)
	taken := heap() - before
	t.Logf("%d tables in use take %.1f MB", tables, float64(taken)/(1<<20))
	require.Less(t, taken, int64(bound))
	runtime.KeepAlive(r)
	runtime.KeepAlive(resolved)
}

func TestRolesWithoutMutations(t *testing.T) {
	t.Parallel()
	resolved := schematest.Large(3)
	require.Nil(t, schema.New(resolved, "nobody", schema.Options{}).Mutation())
	require.Len(t, schema.New(resolved, "admin", schema.Options{HideUpdateManyFields: true}).Mutation().Fields(), 6*3)
}
