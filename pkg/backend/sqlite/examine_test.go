package sqlite

import (
	"context"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/doctor"
	"queryengine/pkg/metadata"
)

func TestExamine(t *testing.T) {
	t.Parallel()
	f := newFixture(t, `CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT);
		CREATE TABLE book (isbn TEXT PRIMARY KEY, author_id INT REFERENCES author, editor_id INT REFERENCES author, title TEXT);
		CREATE INDEX by_editor ON book (editor_id, title);
		CREATE INDEX by_half ON book (author_id) WHERE title IS NOT NULL;
		CREATE INDEX by_lower ON book (title, lower(isbn));
		CREATE TABLE loose (note TEXT);
		CREATE VIEW titles AS SELECT title FROM book;
		INSERT INTO book WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500) SELECT i, NULL, NULL, i FROM n`, nil)
	ask := func(ctx context.Context, query string) ([][]string, error) { // as sqlite_run_sql does
		result, err := f.source.RunSQL(ctx, backend.RawSQL{SQL: query, ReadOnly: true})
		if err != nil {
			return nil, err
		}
		return result.Rows[1:], nil
	}
	facts, err := Examiner{}.Examine(t.Context(), ask)
	require.NoError(t, err)
	require.NotEmpty(t, facts.Server.Version)
	var book *doctor.Table
	for _, table := range facts.Tables {
		if table.Name.Name == "book" {
			book = table
		}
	}
	require.Equal(t, "1500", strconv.FormatFloat(book.RowEstimate, 'g', -1, 64))
	got := map[string]doctor.Index{}
	for _, i := range book.Indexes {
		got[i.Name] = *i
	}
	require.Equal(t, map[string]doctor.Index{
		"book_pkey": {Name: "book_pkey", Columns: []string{"isbn"}, Unique: true, Valid: true, Identifier: `"book_pkey"`},
		"by_editor": {Name: "by_editor", Columns: []string{"editor_id", "title"}, Valid: true, Identifier: `"by_editor"`},
		"by_half":   {Name: "by_half", Columns: []string{"author_id"}, Valid: true, Partial: true, Identifier: `"by_half"`},
		"by_lower":  {Name: "by_lower", Columns: []string{"title"}, Valid: true, Expressions: true, Identifier: `"by_lower"`},
	}, got)

	related := func(name, column string) *metadata.Relationship {
		return &metadata.Relationship{Name: name, Using: metadata.RelationshipUsing{Remote: &metadata.RemoteForeignKey{Table: catalog.Name{Name: "book"}, Columns: []string{column}}}}
	}
	source := &metadata.Source{Name: "library", Kind: "sqlite", Tables: []*metadata.Table{
		{Table: catalog.Name{Name: "author"}, ArrayRelationships: []*metadata.Relationship{related("books", "author_id"), related("edited", "editor_id")}},
		{Table: catalog.Name{Name: "book"}},
		{Table: catalog.Name{Name: "loose"}},
		{Table: catalog.Name{Name: "gone"}},
		{Table: catalog.Name{Name: "titles"}},
	}}
	var found []string
	for _, finding := range doctor.Check([]*doctor.Patient{{Source: source, Types: New(), Facts: facts}}) {
		found = append(found, string(finding.Severity)+" "+finding.Code+" "+finding.Object+": "+finding.Remedy)
	}
	require.Equal(t, []string{
		"error table-missing gone: ", "warning no-primary-key loose: Make the table again with a primary key, and copy its rows",
		`warning relationship-index book.author_id: CREATE INDEX ... ON "book" ("author_id")`,
	}, found)
}
