package metadata

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/catalog"
)

// three has a source whose names have the default schema public, one whose default is dbo, and one
// whose names have no schema.
func three() *Document {
	return &Document{Version: 3, Sources: []*Source{{Name: "pg", Kind: "postgres"}, {Name: "ms", Kind: "mssql"}, {Name: "file", Kind: "sqlite"}}}
}

func TestNamesAreCompletedByTheKindOfTheirSource(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ kind, in, want string }{
		{"postgres", `{"source":"pg","table":"t"}`, `{"name":"t","schema":"public"}`},
		{"mssql", `{"source":"ms","table":{"name":"t"}}`, `{"name":"t","schema":"dbo"}`},
		{"mssql", `{"source":"ms","table":{"name":"t","schema":"public"}}`, `{"name":"t","schema":"public"}`},
		{"sqlite", `{"source":"file","table":"t"}`, `{"name":"t"}`},
		{"mssql", `{"source":"none","table":"t"}`, `{"name":"t","schema":"dbo"}`}, // as far as one can know
	} {
		a := &TrackTable{}
		require.NoError(t, decode(json.RawMessage(c.in), a))
		View{Document: three(), Kind: c.kind}.Qualify(a)
		got, err := Encode(a.Table)
		require.NoError(t, err)
		require.Equal(t, c.want, string(got), c.in)
	}
}

func TestNamesAreShownAsTheirSourceDoes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ source, schema, want string }{
		{"pg", "public", "t"},
		{"pg", "dbo", "dbo.t"},
		{"ms", "dbo", "t"},
		{"ms", "public", "public.t"},
		{"file", "", "t"},
		{"file", "public", "public.t"},
		{"none", "public", "t"},
	} {
		n := catalog.Name{Schema: c.schema, Name: "t"}
		require.Equal(t, c.want, three().Display(c.source, n), c)
		if s := three().Source(c.source); s != nil {
			require.Equal(t, c.want, s.Display(n), c)
		}
	}
	mssql := View{Document: three(), Kind: "mssql"}
	require.Equal(t, "t", mssql.display("none", catalog.Name{Schema: "dbo", Name: "t"}), "the command's kind")
	_, err := Apply(&UntrackTable{Source: "ms", Table: catalog.Name{Name: "t"}}, View{
		Document: three(), Kind: "mssql",
		Catalogs: map[string]*catalog.Source{"ms": {}},
	})
	require.ErrorContains(t, err, `untracked: "t"`)
}

func TestNamesOfOtherSourcesAreCompletedByThose(t *testing.T) {
	t.Parallel()
	a := &CreateRemoteRelationship{}
	require.NoError(t, decode(json.RawMessage(`{"source":"pg","table":"t","name":"r","definition":{"to_source":`+
		`{"source":"ms","table":"u","relationship_type":"object","field_mapping":{"id":"id"}}}}`), a))
	View{Document: three(), Kind: "postgres"}.Qualify(a)
	require.Equal(t, "public", a.Table.Schema)
	require.Equal(t, "dbo", a.Relationship.Definition.ToSource.Table.Schema)

	types := &CustomTypes{}
	require.NoError(t, decode(json.RawMessage(`{"objects":[{"name":"O","fields":[{"name":"f","type":"Int"}],"relationships":[`+
		`{"name":"r","type":"object","source":"ms","remote_table":"u","field_mapping":{"f":"id"}}]}]}`), types))
	three().qualify(types)
	require.Equal(t, "dbo", types.Objects[0].Relationships[0].RemoteTable.Schema)
}

func TestDocumentsCompleteNamesBeforeTheyCompareThem(t *testing.T) {
	t.Parallel()
	parse := func(tables string) (*Document, error) {
		return Parse(json.RawMessage(`{"version":3,"sources":[{"name":"pg","configuration":{"connection_info":{"database_url":"x"}},`+
			`"tables":[`+tables+`]}]}`), Empty(), nil)
	}
	const tables = `{"table":"b"},{"table":{"schema":"a","name":"a"}},{"table":{"schema":"public","name":"a"}}`
	d, err := parse(tables)
	require.NoError(t, err)
	var order []string
	for _, table := range d.Sources[0].Tables {
		order = append(order, table.Table.Schema+"."+table.Table.Name)
	}
	require.Equal(t, []string{"a.a", "public.a", "public.b"}, order)
	_, err = parse(tables + `,{"table":"a"}`)
	require.ErrorContains(t, err, "multiple declarations exist for the following tables: a")
}
