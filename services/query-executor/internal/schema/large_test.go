package schema_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/services/query-executor/internal/schema"
	"queryengine/services/query-executor/internal/schema/schematest"
)

// use looks at what queries on every table look at.
func use(r *schema.Role) int {
	n := 0
	for i := range r.Query().Fields() {
		f := &r.Query().Fields()[i]
		n += len(f.Type.Named.Fields())
		for _, a := range f.Args() {
			n += len(a.Type.Named.Inputs())
		}
	}
	return n
}

// TestMemoryOfARole holds the bound on what a role in use takes.
func TestMemoryOfARole(t *testing.T) {
	const tables, bound = 1000, 10 << 20
	resolved := schematest.Large(tables)
	require.Empty(t, resolved.Inconsistencies())
	before := heap()
	r := schema.New(resolved, "admin", schema.Options{})
	require.Len(t, r.Query().Fields(), 3*tables)
	require.Greater(t, use(r), 10*tables)
	taken := heap() - before
	t.Logf("%d tables in use take %.1f MB", tables, float64(taken)/(1<<20))
	require.Less(t, taken, int64(bound))
	runtime.KeepAlive(r)
	runtime.KeepAlive(resolved)
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func BenchmarkFirstQueryOf1000Tables(b *testing.B) {
	resolved := schematest.Large(1000)
	b.ReportAllocs()
	for b.Loop() {
		r := schema.New(resolved, "admin", schema.Options{})
		if r.Query().Field("table_0500_by_pk") == nil {
			b.Fatal("no such field")
		}
	}
}

func BenchmarkEnumerate1000Tables(b *testing.B) {
	resolved := schematest.Large(1000)
	b.ReportAllocs()
	for b.Loop() {
		schema.New(resolved, "admin", schema.Options{}).Enumerate()
	}
}
