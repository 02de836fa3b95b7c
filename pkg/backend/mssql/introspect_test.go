package mssql

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/mssql/tdstest"
	"queryengine/pkg/catalog"
)

// table is a result of texts, with NULL for a dash.
func table(lines string) tdstest.Result {
	var rows [][]*string
	width := 0
	for line := range strings.Lines(lines) {
		var row []*string
		for cell := range strings.SplitSeq(strings.TrimSpace(line), "|") {
			cell = strings.TrimSpace(cell)
			row = append(row, tdstest.Text(cell))
			if cell == "-" {
				row[len(row)-1] = nil
			}
		}
		rows, width = append(rows, row), len(row)
	}
	columns := make([]tdstest.Column, width)
	for i := range columns {
		columns[i].Type = "nvarchar"
	}
	return tdstest.Result{Columns: columns, Rows: tdstest.Rows(rows...)}
}

func TestIntrospection(t *testing.T) {
	t.Parallel()
	answers := map[string]string{
		serverSQL: `16.0.4095.4|-101|-102|-103`,
		relationsSQL: `1|dbo|author|U|0
			2|dbo|article|U|1
			3|hub|sold|V|-`,
		columnsSQL: `1|1|id|int|0|1|0|0|-1|-
			1|2|name|nvarchar|1|0|0|1|100|Cyrillic_General_CI_AS
			1|3|stamp|timestamp|0|0|0|0|-1|-
			1|4|twice|int|1|0|1|0|-1|-
			1|5|place|hierarchyid|1|0|0|0|-1|-
			2|1|id|uniqueidentifier|0|0|0|1|-1|-
			2|3|a|int|0|0|0|0|-1|-
			2|4|b|int|0|0|0|0|-1|-
			3|1|n|bigint|1|0|0|0|-1|-
			9|1|x|int|1|0|0|0|-1|-
			2|5|code|varchar|1|0|0|0|20|-`,
		keysSQL: `1|1|author_pk|1|0|id
			1|2|author_name_key|0|1|name
			2|1|article_pk|1|0|a
			2|1|article_pk|1|0|b
			2|5|by_id|0|0|id
			2|5|by_id|0|0|a`,
		foreignKeysSQL: `2|77|article_fk|1|a|id
			2|77|article_fk|1|b|twice
			2|78|gone_fk|55|a|id`,
		commentsSQL: `1|0|People who write
			1|2|As printed`,
		synonymsSQL: `20|dbo|writer|1
			21|dbo|far|55`,
		proceduresSQL: `30|dbo|best
			31|hub|all`,
		parametersSQL: `30|@Least|decimal
			30|@like|nvarchar`,
	}
	server := newScript(t, func(_ context.Context, r tdstest.Request, yield func(tdstest.Result) bool) {
		yield(table(answers[r.SQL]))
	})
	source := server.source(t, nil)
	found, err := source.Introspect(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, 16_004_095, found.Version)
	require.Len(t, found.Tables, 4)
	author, article := found.Tables[catalog.Name{Schema: "dbo", Name: "author"}], found.Tables[catalog.Name{Schema: "dbo", Name: "article"}]
	text := func(s string) *string { return &s }
	require.Equal(t, &catalog.Table{
		ID: "1", Name: catalog.Name{Schema: "dbo", Name: "author"}, Kind: catalog.KindTable, Comment: text("People who write"),
		Insertable: true, Updatable: true, Deletable: true, RowEstimate: -1,
		Columns: []*catalog.Column{
			{ID: "1", Name: "id", Type: columnType("int"), Identity: "by_default", Default: true},
			{ID: "2", Name: "name", Type: catalog.Type{Name: "text", Collation: "Cyrillic_General_CI_AS"}, Nullable: true, Default: true, Comment: text("As printed")},
			{ID: "3", Name: "stamp", Type: columnType("timestamp"), Generated: true},
			{ID: "4", Name: "twice", Type: columnType("int"), Nullable: true, Generated: true},
			{ID: "5", Name: "place", Type: columnType("hierarchyid"), Nullable: true},
		},
		PrimaryKey: &catalog.Constraint{Name: "author_pk", Columns: []string{"id"}},
		Uniques:    []catalog.Constraint{{Name: "author_name_key", Columns: []string{"name"}}},
	}, author)
	require.Equal(t, []string{"a", "b"}, article.PrimaryKey.Columns)
	require.Equal(t, catalog.Type{Name: "varchar", Length: 20}, article.Column("code").Type)
	require.False(t, article.Insertable || article.Updatable || article.Deletable, "the history of a temporal table")
	require.Equal(t, []catalog.Constraint{{Name: "by_id", Columns: []string{"id", "a"}, Index: true}}, article.Uniques)
	require.Equal(t, []catalog.ForeignKey{{
		ID: "77", Name: "article_fk", Target: author.Name, Columns: []string{"a", "b"}, TargetColumns: []string{"id", "twice"},
	}}, article.ForeignKeys)
	best := found.Functions[catalog.Name{Schema: "dbo", Name: "best"}]
	require.Equal(t, []*catalog.Function{{
		ID: "30", Name: catalog.Name{Schema: "dbo", Name: "best"}, Volatility: catalog.Volatile, ReturnsSet: true,
		Args: []catalog.Argument{{Name: "Least", Type: columnType("decimal")}, {Name: "like", Type: columnType("nvarchar")}},
	}}, best)
	require.Len(t, found.Functions, 2)
	require.Equal(t, catalog.KindView, found.Tables[catalog.Name{Schema: "hub", Name: "sold"}].Kind)
	writer := found.Tables[catalog.Name{Schema: "dbo", Name: "writer"}]
	require.Equal(t, "20", writer.ID)
	require.Equal(t, "always", writer.Column("id").Identity)
	require.Equal(t, "by_default", author.Column("id").Identity)
	require.Equal(t, author.PrimaryKey, writer.PrimaryKey)

	part, err := source.IntrospectPart(t.Context(), backend.Part{Tables: []catalog.Name{author.Name, {Schema: "dbo", Name: "none"}}}, nil)
	require.NoError(t, err)
	require.Equal(t, map[catalog.Name]*catalog.Table{author.Name: author}, part.Tables)

	// A server of the same protocol that has neither properties nor synonyms isn't asked for them.
	answers[serverSQL], answers[commentsSQL], answers[synonymsSQL] = `12.0.2000.8|-|-|-`, "", ""
	found, err = source.Introspect(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, found.Tables, 3)
	last := server.texts()
	require.NotContains(t, last[len(last)-5:], commentsSQL)
}
