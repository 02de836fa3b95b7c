package resolve_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/catalog"
	"queryengine/pkg/metadata"
	"queryengine/pkg/resolve"
)

// chain is a database of n tables, each with ten columns, relationships to its neighbours
// and permissions of three roles, one of which looks at the neighbour.
func chain(b testing.TB, n int) (*metadata.Document, *catalog.Source) {
	b.Helper()
	c := &catalog.Source{Tables: map[catalog.Name]*catalog.Table{}}
	tables := make([]string, n)
	for i := range n {
		name, next := fmt.Sprintf("t%04d", i), fmt.Sprintf("t%04d", (i+1)%n)
		t := catalogTable(name, "id int4!, owner int4!, next int4, a text, b text, c timestamptz, d numeric, e jsonb, f bool, g uuid")
		references(t, "next", next, "id")
		c.Tables[t.Name] = t
		before := fmt.Sprintf("t%04d", (i+n-1)%n)
		tables[i] = fmt.Sprintf(`{"table":%q,
			"object_relationships":[{"name":"following","using":{"foreign_key_constraint_on":"next"}}],
			"array_relationships":[{"name":"previous","using":{"foreign_key_constraint_on":{"table":%q,"column":"next"}}}],
			"select_permissions":[
				{"role":"clerk","permission":{"columns":"*","filter":{}}},
				{"role":"agent","permission":{"columns":["id","owner","a"],"filter":{"owner":"X-Engine-User-Id"}}},
				{"role":"guest","permission":{"columns":["id","a"],"filter":{"following":{"f":{"_eq":true}}}}}],
			"insert_permissions":[{"role":"clerk","permission":{"check":{"owner":"X-Engine-User-Id"},"set":{"a":"x"}}}]}`,
			name, before)
	}
	return document(b, tables...), c
}

// touch returns the document with one table changed.
func touch(doc *metadata.Document, i int) *metadata.Document {
	d, source := *doc, *doc.Sources[0]
	source.Tables = append([]*metadata.Table(nil), source.Tables...)
	changed := *source.Tables[i]
	source.Tables[i] = &changed
	d.Sources = []*metadata.Source{&source}
	return &d
}

func BenchmarkBuildFirst1000(b *testing.B) {
	doc, c := chain(b, 1000)
	b.ReportAllocs()
	for b.Loop() {
		build(doc, c)
	}
}

func BenchmarkBuildUnchanged1000(b *testing.B) {
	doc, c := chain(b, 1000)
	prev := build(doc, c)
	b.ReportAllocs()
	for b.Loop() {
		next := resolve.Build(doc, map[string]*catalog.Source{"default": c}, nil, prev, options())
		require.Same(b, prev.Sources[0], next.Sources[0])
	}
}

func BenchmarkBuildOneChanged1000(b *testing.B) {
	doc, c := chain(b, 1000)
	prev := build(doc, c)
	b.ReportAllocs()
	for b.Loop() {
		prev = resolve.Build(touch(doc, 500), map[string]*catalog.Source{"default": c}, nil, prev, options())
	}
	require.Len(b, prev.Sources[0].Tables, 1000)
}

func BenchmarkCheckFirst1000(b *testing.B) {
	doc, c := chain(b, 1000)
	b.ReportAllocs()
	for b.Loop() {
		require.Empty(b, build(doc, c).Inconsistencies())
	}
}

func BenchmarkCheckOneChanged1000(b *testing.B) {
	doc, c := chain(b, 1000)
	prev := build(doc, c)
	require.Empty(b, prev.Inconsistencies())
	b.ReportAllocs()
	for b.Loop() {
		prev = resolve.Build(touch(doc, 500), map[string]*catalog.Source{"default": c}, nil, prev, options())
		require.Empty(b, prev.Inconsistencies())
	}
}

func BenchmarkDependents1000(b *testing.B) {
	doc, c := chain(b, 1000)
	s := build(doc, c)
	b.ReportAllocs()
	for b.Loop() {
		require.NotEmpty(b, s.Dependents(metadata.ObjectID{Kind: metadata.ObjectTable, Source: "default", Table: public("t0500")}))
	}
}

func BenchmarkParseRule(b *testing.B) {
	album := table(schema(b), "album")
	rule := []byte(`{"_or":[{"artist":{"manager_id":{"_eq":"X-Engine-User-Id"}}},{"_and":[{"title":{"_like":"Live%"}},{"_not":{"id":{"_in":[1,2]}}}]}]}`)
	b.ReportAllocs()
	for b.Loop() {
		_, err := resolve.ParseRule(album, rule)
		require.NoError(b, err)
	}
}
