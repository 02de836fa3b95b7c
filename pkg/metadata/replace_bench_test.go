package metadata

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// largeRequest replaces the metadata by 250 tables with 19 permissions each, of 94 roles.
func largeRequest() []byte {
	var tables []string
	for n := range 250 {
		var permissions []string
		for r := n % 5; r < 94; r += 5 {
			permissions = append(permissions, fmt.Sprintf(`{"role":"role%02d","permission":{"columns":["id","parent","c0","c1","c2","c3","c4","c5","c6","c7"],`+
				`"filter":{"_and":[{"parent":{"_eq":"X-Engine-User-Id"}},{"_or":[{"c0":{"_neq":"a value of some length"}},{"c1":{"_is_null":true}}]},`+
				`{"above":{"c2":{"_in":["a","b","c"]}}}]}}}`, r))
		}
		tables = append(tables, fmt.Sprintf(`{"table":{"schema":"public","name":"t%d"},`+
			`"object_relationships":[{"name":"above","using":{"foreign_key_constraint_on":"parent"}}],`+
			`"array_relationships":[{"name":"below","using":{"manual_configuration":{"remote_table":"t%d","column_mapping":{"id":"parent"}}}}],`+
			`"select_permissions":[%s]}`, n, n+1, strings.Join(permissions, ",")))
	}
	return []byte(`{"type":"replace_metadata","version":2,"args":{"metadata":{"version":3,"sources":[{"name":"default","kind":"postgres","tables":[` +
		strings.Join(tables, ",") + `],"configuration":{"connection_info":{"database_url":"x"}}}]}}}`)
}

func replaceAll(t testing.TB, body []byte, current *Document) *Document {
	t.Helper()
	e, err := ParseEnvelope(body)
	require.NoError(t, err)
	o, err := NewRegistry(nil).Operation(APIMetadata, e)
	require.NoError(t, err)
	r, err := Apply(o.Args.(Command), View{Document: current})
	require.NoError(t, err)
	return r.Document
}

func BenchmarkReplace(b *testing.B) {
	body := largeRequest()
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		replaceAll(b, body, Empty())
	}
}

func BenchmarkReplaceByItself(b *testing.B) {
	body := largeRequest()
	doc := replaceAll(b, body, Empty())
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		require.Same(b, doc.Sources[0], replaceAll(b, body, doc).Sources[0])
	}
}

// TestReplaceMakesLittleGarbage holds how often memory is allocated to read a large document (1.8
// million times when each level copied its content), and that an equal one changes nothing.
func TestReplaceMakesLittleGarbage(t *testing.T) {
	body := largeRequest()
	doc := replaceAll(t, body, Empty())
	require.Same(t, doc.Sources[0], replaceAll(t, body, doc).Sources[0], "the source is the one that was there")
	require.Less(t, testing.AllocsPerRun(1, func() { replaceAll(t, body, doc) }), 400_000.0)
}
