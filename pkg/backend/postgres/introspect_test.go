package postgres

import (
	"cmp"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/catalog"
)

// TestIntrospect compares the catalog of testdata/introspection.sql with what is wanted.
func TestIntrospect(t *testing.T) {
	t.Parallel()
	schema, err := os.ReadFile(filepath.Join("testdata", "introspection.sql"))
	require.NoError(t, err)
	f := newFixture(t, string(schema), nil)
	enums := []catalog.Name{
		{Schema: "public", Name: "color"},
		{Schema: "public", Name: "size"},
		{Schema: "public", Name: "not_an_enum"},
		{Schema: "public", Name: "missing"},
	}
	found, err := f.source.Introspect(t.Context(), enums)
	require.NoError(t, err)
	require.GreaterOrEqual(t, found.Version, 150000)
	require.NotEmpty(t, found.Extensions["citext"])

	got := goldenCatalog(t, found)
	file := filepath.Join("testdata", "introspection.json")
	if *update {
		require.NoError(t, os.WriteFile(file, got, 0o600))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
}

func TestVersionNumber(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"15.18 (Debian 15.18-0+deb12u1)": 150018,
		"10.0":                           100000,
		"9.6.24":                         90600,
		"17beta1":                        170000,
		"16devel":                        160000,
		"":                               0,
	} {
		require.Equal(t, want, versionNumber(text), text)
	}
}

func TestQueriesForOldVersions(t *testing.T) {
	t.Parallel()
	for marker, since := range map[string]int{"attgenerated": 120000, "prokind": 110000, "indnkeyatts": 110000, "conparentid": 110000} {
		for _, sql := range []string{relationsSQL, columnsSQL, constraintsSQL, functionsSQL, typesSQL} {
			require.NotContains(t, forVersion(sql, since-1), marker)
			require.Equal(t, sql, forVersion(sql, 120000))
		}
	}
}

// BenchmarkIntrospect reads 2,000 tables of 30 columns.
func BenchmarkIntrospect(b *testing.B) {
	f := newFixture(b, `DO $$ BEGIN FOR i IN 1..2000 LOOP
		EXECUTE format('CREATE TABLE t%s (id int PRIMARY KEY, parent int REFERENCES t%s, %s)', i, greatest(i - 1, 1),
			(SELECT string_agg(format('c%s text', c), ', ') FROM generate_series(1, 28) c));
	END LOOP; END $$`, nil)
	for b.Loop() {
		found, err := f.source.Introspect(b.Context(), nil)
		require.NoError(b, err)
		require.Len(b, found.Tables, 2000)
	}
}

// goldenCatalog is a catalog as JSON, without what differs between databases and without
// the functions of extensions.
func goldenCatalog(t *testing.T, s *catalog.Source) []byte {
	t.Helper()
	type enum struct {
		Table  catalog.Name        `json:"table"`
		Values []catalog.EnumValue `json:"values"`
	}
	var c struct {
		Tables    []*catalog.Table    `json:"tables"`
		Functions []*catalog.Function `json:"functions"`
		Enums     []enum              `json:"enums"`
	}
	for _, n := range sorted(s.Tables) {
		c.Tables = append(c.Tables, s.Tables[n])
	}
	for _, n := range sorted(s.Functions) {
		if n.Schema != "extension" {
			c.Functions = append(c.Functions, s.Functions[n]...)
		}
	}
	for _, n := range sorted(s.Enums) {
		c.Enums = append(c.Enums, enum{n, s.Enums[n]})
	}
	b, err := json.Marshal(c)
	require.NoError(t, err)
	var plain any
	require.NoError(t, json.Unmarshal(b, &plain))
	forgetIDs(plain)
	b, err = json.MarshalIndent(plain, "", "\t")
	require.NoError(t, err)
	return append(b, '\n')
}

func sorted[V any](m map[catalog.Name]V) []catalog.Name {
	return slices.SortedFunc(maps.Keys(m), func(a, b catalog.Name) int {
		return cmp.Or(cmp.Compare(a.Schema, b.Schema), cmp.Compare(a.Name, b.Name))
	})
}

// forgetIDs hides the identifiers that the server gave away itself.
func forgetIDs(v any) {
	const firstOfUsers = 16384
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			forgetIDs(e)
		}
	case map[string]any:
		for key, e := range v {
			if id, ok := e.(string); ok && key == "id" {
				if n, err := strconv.Atoi(id); err == nil && n >= firstOfUsers {
					v[key] = "user"
				}
			}
			forgetIDs(e)
		}
	}
}
