package mssql

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend/mssql/tdstest"
	"queryengine/pkg/catalog"
)

func TestDescription(t *testing.T) {
	t.Parallel()
	answers := map[string]string{
		serverSQL: `16.0.4095.4|-101|-102|-103`,
		relationsSQL: `1|dbo|author|U|0
			2|dbo|art]icle|U|0`,
		keysSQL: `1|1|author_pk|1|0|id
			2|1|article_pk|1|0|a
			2|2|article_key|0|1|b
			2|2|article_key|0|1|c`,
		foreignKeysSQL: `2|77|article_fk|1|a|id
			2|77|article_fk|1|b|twice
			2|79|other_fk|1|b|id`,
		synonymsSQL: `20|dbo|piece|2`,
		describeColumnsSQL: `a|int|4|10|0|0|1|-|-
			b|nvarchar|40|0|0|1|0|(N'x')|-
			c|varchar|-1|0|0|1|0|-|-
			d|decimal|9|10|2|1|0|-|-
			e|datetime2|8|27|7|1|0|(getdate())|-
			f|char|3|0|0|1|0|-|([b]+'.')`,
		describeChecksSQL: `positive|([a]>(0))|0|a
			same|([b]=[c])|1|-`,
		describeReferencesSQL: `article_fk|0|NO_ACTION|CASCADE
			other_fk|1|SET_NULL|NO_ACTION`,
		describeIndexesSQL: `article_key|NONCLUSTERED|1|0|0|1|-|b|0|1
			article_key|NONCLUSTERED|1|0|0|1|-|c|0|0
			article_pk|CLUSTERED|1|0|1|0|-|a|0|0
			by_b|NONCLUSTERED|0|1|0|0|([c] IS NOT NULL)|b|0|1
			by_b|NONCLUSTERED|0|1|0|0|([c] IS NOT NULL)|d|1|0
			columns|NONCLUSTERED COLUMNSTORE|0|0|0|0|-|d|1|0`,
		describeTriggersSQL: `told|0|CREATE TRIGGER told ON [art]]icle] AFTER INSERT AS RETURN
			secret|1|-`,
		describeRowsSQL: `1234567`,
	}
	server := newScript(t, func(_ context.Context, r tdstest.Request, yield func(tdstest.Result) bool) {
		if len(r.Params) > 0 {
			require.Equal(t, []*string{tdstest.Text("2")}, r.Params, r.SQL)
		}
		yield(table(answers[r.SQL]))
	})
	source := server.source(t, nil)
	article := catalog.Name{Schema: "dbo", Name: "art]icle"}
	found, err := source.DescribeTable(t.Context(), article)
	require.NoError(t, err)
	rows := int64(1234567)
	require.Equal(t, &catalog.Details{
		Rows: &rows,
		Columns: []catalog.ColumnDefinition{
			{Name: "a", Type: "int", Identity: "by_default"},
			{Name: "b", Type: "nvarchar(20)", Nullable: true, Default: "(N'x')"},
			{Name: "c", Type: "varchar(max)", Nullable: true},
			{Name: "d", Type: "decimal(10, 2)", Nullable: true},
			{Name: "e", Type: "datetime2(7)", Nullable: true, Default: "(getdate())"},
			{Name: "f", Type: "char(3)", Nullable: true, Generated: "([b]+'.')"},
		},
		Constraints: []catalog.Definition{
			{Name: "positive", Type: catalog.Check, Columns: []string{"a"}, Text: "CHECK ([a]>(0))"},
			{Name: "same", Type: catalog.Check, Text: "CHECK ([b]=[c]) (disabled)"},
			{Name: "article_fk", Type: catalog.ForeignKeyOf, Text: "FOREIGN KEY ([a], [b]) REFERENCES [dbo].[author] ([id], [twice]) ON DELETE CASCADE"},
			{Name: "other_fk", Type: catalog.ForeignKeyOf, Text: "FOREIGN KEY ([b]) REFERENCES [dbo].[author] ([id]) ON UPDATE SET NULL (disabled)"},
			{Name: "article_key", Type: catalog.UniqueConstraint, Text: "UNIQUE NONCLUSTERED ([b] DESC, [c])"},
			{Name: "article_pk", Type: catalog.PrimaryKey, Text: "PRIMARY KEY CLUSTERED ([a])"},
		},
		Indexes: []catalog.Index{
			{Name: "article_key", Method: "nonclustered", Columns: []string{"b", "c"}, Unique: true},
			{Name: "article_pk", Method: "clustered", Columns: []string{"a"}, Unique: true},
			{
				Name: "by_b", Method: "nonclustered", Columns: []string{"b"}, Include: []string{"d"}, Where: "([c] IS NOT NULL)", Invalid: true,
				Text: "CREATE NONCLUSTERED INDEX [by_b] ON [dbo].[art]]icle] ([b] DESC) INCLUDE ([d]) WHERE ([c] IS NOT NULL)",
			},
			{Name: "columns", Method: "nonclustered columnstore", Columns: []string{}, Include: []string{"d"}},
		},
		Triggers: []catalog.Trigger{{Name: "told", Text: "CREATE TRIGGER told ON [art]]icle] AFTER INSERT AS RETURN"}, {Name: "secret", Disabled: true}},
	}, found)

	synonym, err := source.DescribeTable(t.Context(), catalog.Name{Schema: "dbo", Name: "piece"})
	require.NoError(t, err)
	require.Equal(t, found, synonym)
	none, err := source.DescribeTable(t.Context(), catalog.Name{Schema: "dbo", Name: "none"})
	require.NoError(t, err)
	require.Equal(t, &catalog.Details{}, none)
}
