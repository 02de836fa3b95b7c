package metadata

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// manyTables makes n tables that refer to each other, and tracks them with a relationship
// and a permission each.
func (i *instance) manyTables(t testing.TB, n int) {
	t.Helper()
	var sql, tables, rest strings.Builder
	for k := range n {
		fmt.Fprintf(&sql, "CREATE TABLE t%d (id int PRIMARY KEY, name text, amount numeric, at timestamptz, parent int REFERENCES t%d);\n", k, max(0, k-1))
		fmt.Fprintf(&tables, `,{"table":"t%d"}`, k)
		fmt.Fprintf(&rest, `,{"type":"pg_create_select_permission","args":{"table":"t%d","role":"clerk","permission":{"columns":"*","filter":{"id":{"_gt":1}}}}}`, k)
	}
	i.run(t, sql.String())
	i.ok(t, `{"type":"pg_track_tables","args":{"tables":[`+tables.String()[1:]+`]}}`)
	i.ok(t, `{"type":"bulk","args":[`+rest.String()[1:]+`]}`)
}

func BenchmarkChangeOn1000Tables(b *testing.B) {
	w := newWorld(b)
	i := w.start(b)
	i.manyTables(b, 1000)
	i.run(b, "CREATE TABLE fresh (id int PRIMARY KEY, parent int REFERENCES t1)")
	f := w.follow(b, true)
	waitFor(b, f, i.version())
	b.Run("track and untrack", func(b *testing.B) {
		for b.Loop() {
			i.ok(b, `{"type":"pg_track_table","args":{"table":"fresh"}}`)
			i.ok(b, `{"type":"pg_untrack_table","args":{"table":"fresh"}}`)
		}
	})
	b.Run("permission", func(b *testing.B) {
		for b.Loop() {
			i.ok(b, `{"type":"pg_create_select_permission","args":{"table":"t5","role":"x","permission":{"columns":["id"],"filter":{}}}}`)
			i.ok(b, `{"type":"pg_drop_select_permission","args":{"table":"t5","role":"x"}}`)
		}
	})
	b.Run("checked run_sql", func(b *testing.B) {
		for n := 0; b.Loop(); n++ {
			i.run(b, fmt.Sprintf("ALTER TABLE t7 ADD COLUMN c%d int", n))
		}
	})
	b.Run("reload", func(b *testing.B) {
		for b.Loop() {
			i.ok(b, `{"type":"reload_metadata","args":{}}`)
		}
	})
	require.Equal(b, i.version(), f.Current().Version)
}
