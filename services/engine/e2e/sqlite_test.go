package e2e

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"queryengine/pkg/dbtest"
)

// newFile makes a file of SQLite with tables, and gives a connection of another process to it.
func newFile(t *testing.T, schema string) (path string, conn *sqlite.Conn) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "library.db")
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite, sqlite.OpenCreate, sqlite.OpenWAL)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, sqlitex.ExecuteScript(conn, schema, nil))
	return path, conn
}

// TestDevWithAFileOfSQLite opens a file instead of the sample, uses it through all doors, and joins it
// with a PostgreSQL database.
func TestDevWithAFileOfSQLite(t *testing.T) {
	t.Parallel()
	path, other := newFile(t, `
		CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
		CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT NOT NULL, author_id INT REFERENCES author, price DECIMAL(6,2) CHECK (price >= 0));
		INSERT INTO author VALUES (1, 'Le Guin'), (2, 'Lem');
		INSERT INTO book VALUES (1, 'The Dispossessed', 1, 9.5), (2, 'Solaris', 2, 8);`)
	url := dbtest.URL(t)
	execute(t, url, `CREATE TABLE loan (id int PRIMARY KEY, book_id int NOT NULL, reader text NOT NULL); INSERT INTO loan VALUES (1, 2, 'ann'), (2, 2, 'bob'), (3, 1, 'ann')`)
	dir := t.TempDir()
	options, env := []string{"--sqlite", path}, "ENGINE_GRAPHQL_DATABASE_URL="+url
	p := startDevIn(t, dir, options, env)
	answers := func(document, want string) {
		t.Helper()
		require.JSONEq(t, want, p.query(nil, document).text())
	}

	answers(`{ author(order_by: {name: asc}) { name book { title price author { id } } } }`, `{"data":{"author":[
		{"name":"Le Guin","book":[{"title":"The Dispossessed","price":9.5,"author":{"id":1}}]},
		{"name":"Lem","book":[{"title":"Solaris","price":8,"author":{"id":2}}]}]}}`)
	answers(`{ book_aggregate(where: {price: {_gt: 8.5}}) { aggregate { count max { price } } } }`,
		`{"data":{"book_aggregate":{"aggregate":{"count":1,"max":{"price":9.5}}}}}`)

	client := p.subscriber(nil)
	live := client.subscribe(`subscription { author(order_by: {id: asc}) { name book(order_by: {id: asc}) { title } } }`, nil)
	client.await(live, `{"author":[{"name":"Le Guin","book":[{"title":"The Dispossessed"}]},{"name":"Lem","book":[{"title":"Solaris"}]}]}`)
	answers(`mutation { insert_author_one(object: {name: "Wells", book: {data: [{title: "The Time Machine", price: 5}]}}) { id book { id title } } }`,
		`{"data":{"insert_author_one":{"id":3,"book":[{"id":3,"title":"The Time Machine"}]}}}`)
	client.await(live, `{"author":[{"name":"Le Guin","book":[{"title":"The Dispossessed"}]},{"name":"Lem","book":[{"title":"Solaris"}]},
		{"name":"Wells","book":[{"title":"The Time Machine"}]}]}`)
	require.NoError(t, sqlitex.ExecuteScript(other, `DELETE FROM book WHERE id = 3; DELETE FROM author WHERE id = 3`, nil))
	client.await(live, `{"author":[{"name":"Le Guin","book":[{"title":"The Dispossessed"}]},{"name":"Lem","book":[{"title":"Solaris"}]}]}`)

	answers(`mutation { insert_author(objects: [{name: "Lem"}], on_conflict: {constraint: author_name_key, update_columns: [name]}) { affected_rows returning { id } } }`,
		`{"data":{"insert_author":{"affected_rows":1,"returning":[{"id":2}]}}}`)
	require.Contains(t, p.query(nil, `mutation { insert_author_one(object: {name: "Lem"}) { id } }`).text(),
		`Uniqueness violation. UNIQUE constraint failed: author.name`)
	require.Contains(t, p.query(nil, `mutation { insert_book_one(object: {title: "x", price: -1}) { id } }`).text(), "Check constraint violation.")
	require.Contains(t, p.query(nil, `mutation { insert_book_one(object: {title: "x", author_id: 99}) { id } }`).text(), "Foreign key violation.")

	for kind, args := range map[string]any{
		"sqlite_create_select_permission": map[string]any{"source": "sqlite", "table": "book", "role": "reader", "permission": map[string]any{
			"columns": []string{"title"}, "filter": map[string]any{"author": map[string]any{"name": map[string]any{"_eq": "X-Engine-Author"}}},
		}},
		"sqlite_create_insert_permission": map[string]any{"source": "sqlite", "table": "book", "role": "reader", "permission": map[string]any{
			"columns": []string{"title", "price"}, "check": map[string]any{"price": map[string]any{"_lt": 100}},
		}},
		"pg_track_table": map[string]any{"table": "loan"},
	} {
		p.metadata(kind, args)
	}
	as := map[string]string{"X-Engine-Role": "reader", "X-Engine-Author": "Lem"}
	require.JSONEq(t, `{"data":{"book":[{"title":"Solaris"}]}}`, p.query(as, `{ book { title } }`).text())
	require.Contains(t, p.query(as, `mutation { insert_book_one(object: {title: "x", price: 100}) { title } }`).text(), "permission-error")

	join := func(kind, source, table, name string, to map[string]any) {
		t.Helper()
		p.metadata(kind+"_create_remote_relationship", map[string]any{
			"source": source, "table": table, "name": name, "definition": map[string]any{"to_source": to},
		})
	}
	join("sqlite", "sqlite", "book", "loans", map[string]any{
		"source": "default", "table": "loan", "relationship_type": "array", "field_mapping": map[string]string{"id": "book_id"},
	})
	join("pg", "default", "loan", "book", map[string]any{
		"source": "sqlite", "table": "book", "relationship_type": "object", "field_mapping": map[string]string{"book_id": "id"},
	})
	answers(`{ book(order_by: {id: asc}) { title loans(order_by: {id: asc}) { reader book { author { name } } } } }`, `{"data":{"book":[
		{"title":"The Dispossessed","loans":[{"reader":"ann","book":{"author":{"name":"Le Guin"}}}]},
		{"title":"Solaris","loans":[{"reader":"ann","book":{"author":{"name":"Lem"}}},{"reader":"bob","book":{"author":{"name":"Lem"}}}]}]}}`)

	runSQL := func(sql string) answer {
		t.Helper()
		return p.post("/v2/query", nil, map[string]any{"type": "sqlite_run_sql", "args": map[string]any{"source": "sqlite", "sql": sql}})
	}
	require.JSONEq(t, `{"result_type":"TuplesOk","result":[["n"],["2"]]}`, runSQL("SELECT count(*) AS n FROM author").text())
	refused := runSQL("ALTER TABLE author DROP COLUMN name")
	require.Equal(t, 400, refused.status, refused.text())
	answers(`{ author { name } }`, `{"data":{"author":[{"name":"Le Guin"},{"name":"Lem"}]}}`)
	a := runSQL("ALTER TABLE book ADD COLUMN pages INT; UPDATE book SET pages = 200 + id")
	require.Equal(t, 200, a.status, a.text())
	answers(`{ book(order_by: {id: asc}) { pages } }`, `{"data":{"book":[{"pages":201},{"pages":202}]}}`)

	// The next start has what was made, and tracks nothing by itself.
	p.metadata("sqlite_untrack_table", map[string]any{"source": "sqlite", "table": "author", "cascade": true})
	p.stop()
	p = startDevIn(t, dir, options, env)
	require.Contains(t, p.query(nil, `{ author { id } }`).text(), "field 'author' not found")
}
