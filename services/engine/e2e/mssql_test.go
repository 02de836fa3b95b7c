package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend/mssql/mssqltest"
	"queryengine/pkg/dbtest"
)

// TestSQLServer adds a source of SQL Server, reads and writes it as admin and as a role, subscribes, and joins it with a
// PostgreSQL database in both directions. A server of the tests runs its statements on PostgreSQL.
func TestSQLServer(t *testing.T) {
	t.Parallel()
	database, url := dbtest.URL(t), dbtest.URL(t)
	server := mssqltest.New(t, database)
	execute(t, url, `CREATE TABLE loan (id int PRIMARY KEY, book_id int NOT NULL, reader text NOT NULL); INSERT INTO loan VALUES (1, 2, 'ann'), (2, 2, 'bob'), (3, 1, 'ann')`)
	p := startDevIn(t, t.TempDir(), nil, "ENGINE_GRAPHQL_DATABASE_URL="+url, "ENGINE_GRAPHQL_LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL=100")
	answers := func(headers map[string]string, document, want string) {
		t.Helper()
		require.JSONEq(t, want, p.query(headers, document).text())
	}
	p.metadata("mssql_add_source", map[string]any{"name": "ms", "configuration": map[string]any{
		"connection_info": map[string]any{"connection_string": server.ConnectionString()},
	}})
	made := p.post("/v2/query", nil, map[string]any{"type": "mssql_run_sql", "args": map[string]any{"source": "ms", "sql": `
		CREATE TABLE author (id INT IDENTITY PRIMARY KEY, name NVARCHAR(200) NOT NULL UNIQUE);
		CREATE TABLE book (id INT IDENTITY PRIMARY KEY, title NVARCHAR(200) NOT NULL, author_id INT REFERENCES author(id), price DECIMAL(6, 2), sold BIT NOT NULL DEFAULT 0);
		INSERT INTO author (name) VALUES ('Le Guin'), (N'Lem');
		INSERT INTO book (title, author_id, price) VALUES ('The Dispossessed', 1, 9.5), ('Solaris', 2, 8)`}})
	require.Equal(t, 200, made.status, made.text())
	for _, table := range []string{"author", "book"} {
		p.metadata("mssql_track_table", map[string]any{"source": "ms", "table": table})
	}
	p.metadata("mssql_create_object_relationship", map[string]any{"source": "ms", "table": "book", "name": "author", "using": map[string]any{"foreign_key_constraint_on": "author_id"}})
	p.metadata("mssql_create_array_relationship", map[string]any{
		"source": "ms", "table": "author", "name": "books",
		"using": map[string]any{"foreign_key_constraint_on": map[string]any{"table": "book", "column": "author_id"}},
	})

	answers(nil, `{ author(order_by: {name: asc}) { name books { title price sold author { id } } } }`, `{"data":{"author":[
		{"name":"Le Guin","books":[{"title":"The Dispossessed","price":9.50,"sold":false,"author":{"id":1}}]},
		{"name":"Lem","books":[{"title":"Solaris","price":8.00,"sold":false,"author":{"id":2}}]}]}}`)
	answers(nil, `{ book_aggregate(where: {price: {_gt: 8.5}}) { aggregate { count max { price } } } author_by_pk(id: 2) { name } }`,
		`{"data":{"book_aggregate":{"aggregate":{"count":1,"max":{"price":9.5}}},"author_by_pk":{"name":"Lem"}}}`)

	client := p.subscriber(nil)
	live := client.subscribe(`subscription { author(order_by: {id: asc}) { name books(order_by: {id: asc}) { title } } }`, nil)
	client.await(live, `{"author":[{"name":"Le Guin","books":[{"title":"The Dispossessed"}]},{"name":"Lem","books":[{"title":"Solaris"}]}]}`)
	answers(nil, `mutation { insert_author_one(object: {name: "Wells"}) { id name books { id } } insert_book(objects: [{title: "The Time Machine", author_id: 3, price: "5"}, {title: "x"}]) { affected_rows returning { id title author { name } } } }`,
		`{"data":{"insert_author_one":{"id":3,"name":"Wells","books":[]},"insert_book":{"affected_rows":2,"returning":[{"id":3,"title":"The Time Machine","author":{"name":"Wells"}},{"id":4,"title":"x","author":null}]}}}`)
	client.await(live, `{"author":[{"name":"Le Guin","books":[{"title":"The Dispossessed"}]},{"name":"Lem","books":[{"title":"Solaris"}]},{"name":"Wells","books":[{"title":"The Time Machine"}]}]}`)
	answers(nil, `mutation { update_book(where: {id: {_eq: 4}}, _set: {title: "y"}, _inc: {price: 1}) { affected_rows returning { title price } } delete_book_by_pk(id: 4) { title } }`,
		`{"data":{"update_book":{"affected_rows":1,"returning":[{"title":"y","price":null}]},"delete_book_by_pk":{"title":"y"}}}`)
	require.Contains(t, p.query(nil, `mutation { insert_author_one(object: {name: "Lem"}) { id } }`).text(), "Uniqueness violation.")
	require.Contains(t, p.query(nil, `mutation { insert_book_one(object: {title: "x", author_id: 99}) { id } }`).text(), "constraint-violation")

	for kind, args := range map[string]any{
		"mssql_create_select_permission": map[string]any{"source": "ms", "table": "book", "role": "reader", "permission": map[string]any{
			"columns": []string{"title"}, "filter": map[string]any{"author": map[string]any{"name": map[string]any{"_eq": "X-Engine-Author"}}},
		}},
		"mssql_create_insert_permission": map[string]any{"source": "ms", "table": "book", "role": "reader", "permission": map[string]any{
			"columns": []string{"title", "price"}, "check": map[string]any{"price": map[string]any{"_lt": 100}},
		}},
		"pg_track_table": map[string]any{"table": "loan"},
	} {
		p.metadata(kind, args)
	}
	as := map[string]string{"X-Engine-Role": "reader", "X-Engine-Author": "Lem"}
	answers(as, `{ book { title } }`, `{"data":{"book":[{"title":"Solaris"}]}}`)
	require.Contains(t, p.query(as, `mutation { insert_book_one(object: {title: "x", price: 100}) { title } }`).text(), "permission-error")
	answers(nil, `{ book(where: {title: {_eq: "x"}}) { title } }`, `{"data":{"book":[]}}`)

	matchBooks(t, p)
	streamBooks(t, p)
	callProcedures(t, p, database)

	join := func(kind, source, table, name string, to map[string]any) {
		t.Helper()
		p.metadata(kind+"_create_remote_relationship", map[string]any{"source": source, "table": table, "name": name, "definition": map[string]any{"to_source": to}})
	}
	join("mssql", "ms", "book", "loans", map[string]any{"source": "default", "table": "loan", "relationship_type": "array", "field_mapping": map[string]string{"id": "book_id"}})
	join("pg", "default", "loan", "book", map[string]any{"source": "ms", "table": "book", "relationship_type": "object", "field_mapping": map[string]string{"book_id": "id"}})
	answers(nil, `{ book(order_by: {id: asc}, limit: 2) { title loans(order_by: {id: asc}) { reader book { author { name } } } } }`, `{"data":{"book":[
		{"title":"The Dispossessed","loans":[{"reader":"ann","book":{"author":{"name":"Le Guin"}}}]},
		{"title":"Solaris","loans":[{"reader":"ann","book":{"author":{"name":"Lem"}}},{"reader":"bob","book":{"author":{"name":"Lem"}}}]}]}}`)
}

// matchBooks inserts books that update those that are there, as admin and as a role.
func matchBooks(t *testing.T, p *process) {
	t.Helper()
	for kind, permission := range map[string]any{
		"mssql_create_insert_permission": map[string]any{"columns": []string{"title", "price"}, "check": map[string]any{"price": map[string]any{"_lt": 100}}},
		"mssql_create_select_permission": map[string]any{"columns": []string{"id", "title", "price"}, "filter": map[string]any{}},
		"mssql_create_update_permission": map[string]any{
			"columns": []string{"price"}, "filter": map[string]any{"title": map[string]any{"_neq": "Solaris"}}, "check": map[string]any{"price": map[string]any{"_lt": 50}},
		},
	} {
		p.metadata(kind, map[string]any{"source": "ms", "table": "book", "role": "seller", "permission": permission})
	}
	seller := map[string]string{"X-Engine-Role": "seller"}
	const matched = `if_matched: {match_columns: [title], update_columns: [price]}`
	for _, c := range []struct {
		headers        map[string]string
		document, want string
	}{
		{
			nil, `mutation { insert_book(objects: [{title: "Solaris", price: "7"}, {title: "Fiasco", price: "6"}], ` + matched + `) { affected_rows returning { title price } } }`,
			`{"data":{"insert_book":{"affected_rows":2,"returning":[{"title":"Fiasco","price":6.00},{"title":"Solaris","price":7.00}]}}}`,
		},
		{
			nil, `mutation { insert_book(objects: [{title: "Solaris", price: "1"}], if_matched: {match_columns: [title], update_columns: [price], where: {price: {_gt: 8}}}) { affected_rows } }`,
			`{"data":{"insert_book":{"affected_rows":0}}}`,
		},
		{
			nil, `mutation { insert_book(objects: [{title: "Solaris", price: "1"}, {title: "Eden", price: "4"}], if_matched: {match_columns: [title], update_columns: []}) { affected_rows returning { title } } }`,
			`{"data":{"insert_book":{"affected_rows":1,"returning":[{"title":"Eden"}]}}}`,
		},
		{
			seller, `mutation { insert_book(objects: [{title: "Fiasco", price: "9"}, {title: "Solaris", price: "9"}], ` + matched + `) { returning { title price } } }`,
			`{"data":{"insert_book":{"returning":[{"title":"Fiasco","price":9.00}]}}}`,
		},
	} {
		require.JSONEq(t, c.want, p.query(c.headers, c.document).text(), c.document)
	}
	for _, price := range []string{"50", "100"} { // by the check of updates, and of inserts
		refused := p.query(seller, `mutation { insert_book(objects: [{title: "Fiasco", price: "`+price+`"}, {title: "new", price: "`+price+`"}], `+matched+`) { affected_rows } }`)
		require.Contains(t, refused.text(), "permission-error")
	}
	require.JSONEq(t, `{"data":{"book":[{"title":"Eden","price":4.00},{"title":"Fiasco","price":9.00},{"title":"Solaris","price":7.00}]}}`,
		p.query(nil, `{ book(where: {title: {_in: ["Eden", "Fiasco", "Solaris", "new"]}}, order_by: {title: asc}) { title price } }`).text())
}

// streamBooks streams books by their keys, as a role that sees some of them.
func streamBooks(t *testing.T, p *process) {
	t.Helper()
	reader := p.subscriber(map[string]string{"X-Engine-Role": "reader", "X-Engine-Author": "Wells"})
	stream := reader.subscribe(`subscription { book_stream(batch_size: 2, cursor: {initial_value: {title: "A"}, ordering: ASC}) { title } }`, nil)
	reader.await(stream, `{"book_stream":[{"title":"The Time Machine"}]}`)
	admin := p.subscriber(nil)
	all := admin.subscribe(`subscription { book_stream(batch_size: 10, cursor: {initial_value: {id: 2}}, where: {price: {_is_null: false}}) { title } }`, nil)
	admin.await(all, `{"book_stream":[{"title":"The Time Machine"},{"title":"Fiasco"},{"title":"Eden"}]}`)
	p.query(nil, `mutation { insert_book(objects: [{title: "The War of the Worlds", author_id: 3, price: "3"}, {title: "Tales of Pirx", author_id: 2, price: "2"}]) { affected_rows } }`)
	reader.await(stream, `{"book_stream":[{"title":"The War of the Worlds"}]}`)
	admin.await(all, `{"book_stream":[{"title":"The War of the Worlds"},{"title":"Tales of Pirx"}]}`)
	p.query(nil, `mutation { delete_book(where: {title: {_in: ["The War of the Worlds", "Tales of Pirx", "Fiasco", "Eden"]}}) { affected_rows } update_book(where: {title: {_eq: "Solaris"}}, _set: {price: "8"}) { affected_rows } }`)
}

// callProcedures has a stored procedure of the source as a root field. In the server of the test, functions that
// return rows are procedures.
func callProcedures(t *testing.T, p *process, database string) {
	t.Helper()
	procedure := map[string]any{
		"source": "ms", "stored_procedure": "books_below", "configuration": map[string]any{"exposed_as": "query"}, "returns": "offer",
		"arguments": map[string]any{"below": map[string]any{"type": "int"}, "pattern": map[string]any{"type": "nvarchar", "nullable": true}},
	}
	p.metadata("mssql_track_logical_model", map[string]any{"source": "ms", "name": "offer", "fields": []any{
		map[string]any{"name": "id", "type": "int"}, map[string]any{"name": "title", "type": "nvarchar", "nullable": true},
	}})
	refused := p.post("/v1/metadata", nil, map[string]any{"type": "mssql_track_stored_procedure", "args": procedure})
	require.Contains(t, refused.text(), `no such stored procedure exists in source: \"books_below\"`)

	execute(t, database, `CREATE FUNCTION dbo.books_below(below int, pattern text DEFAULT '%') RETURNS TABLE (id int, title text) LANGUAGE sql
		AS 'SELECT id, title FROM dbo.book WHERE price < below AND title LIKE pattern ORDER BY price DESC'`)
	p.metadata("mssql_track_stored_procedure", procedure)
	again := p.post("/v1/metadata", nil, map[string]any{"type": "mssql_track_stored_procedure", "args": procedure})
	require.Contains(t, again.text(), "Stored procedure 'books_below' is already tracked.")
	require.JSONEq(t, `[{"stored_procedure":{"name":"books_below","schema":"dbo"},"configuration":{"exposed_as":"query"},"returns":"offer",
		"arguments":{"below":{"type":"int","nullable":false},"pattern":{"type":"nvarchar","nullable":true}}}]`,
		p.metadata("mssql_get_stored_procedure", map[string]any{"source": "ms"}).text())
	p.metadata("mssql_create_logical_model_select_permission", map[string]any{"source": "ms", "name": "offer", "role": "reader", "permission": map[string]any{
		"columns": []string{"title"}, "filter": map[string]any{"title": map[string]any{"_neq": "X-Engine-Hidden"}},
	}})

	reader := map[string]string{"X-Engine-Role": "reader", "X-Engine-Hidden": "Solaris"}
	for _, c := range []struct {
		headers        map[string]string
		document, want string
	}{
		{nil, `{ books_below(args: {below: 100}) { id title } }`, `{"data":{"books_below":[
			{"id":1,"title":"The Dispossessed"},{"id":2,"title":"Solaris"},{"id":3,"title":"The Time Machine"}]}}`},
		{nil, `{ books_below(args: {below: 100, pattern: "The%"}, order_by: {title: desc}, limit: 1) { title } }`, `{"data":{"books_below":[{"title":"The Time Machine"}]}}`},
		{nil, `query ($n: Int! = 100) { books_below(args: {below: $n}, where: {id: {_gt: 1}}, offset: 1) { id } }`, `{"data":{"books_below":[{"id":3}]}}`},
		{reader, `{ books_below(args: {below: 9}) { title } }`, `{"data":{"books_below":[{"title":"The Time Machine"}]}}`},
	} {
		require.JSONEq(t, c.want, p.query(c.headers, c.document).text(), c.document)
	}
	require.Contains(t, p.query(nil, `{ books_below { id } }`).text(), "validation-failed", "an argument is missing")
	require.Contains(t, p.query(map[string]string{"X-Engine-Role": "nobody"}, `{ books_below(args: {below: 9}) { title } }`).text(), "validation-failed")
	require.NotContains(t, p.query(nil, `{ __type(name: "subscription_root") { fields { name } } }`).text(), "books_below")

	gone := p.post("/v1/metadata", nil, map[string]any{"type": "mssql_untrack_logical_model", "args": map[string]any{"source": "ms", "name": "offer"}})
	require.NotEqual(t, 200, gone.status, "the procedure needs its model")
	execute(t, database, `DROP FUNCTION dbo.books_below`)
	p.metadata("reload_metadata", map[string]any{"reload_sources": true})
	require.Contains(t, p.metadata("get_inconsistent_metadata", map[string]any{}).text(), `stored_procedure books_below in source ms`)
	p.metadata("mssql_untrack_stored_procedure", map[string]any{"source": "ms", "stored_procedure": "books_below"})
	require.Contains(t, p.metadata("get_inconsistent_metadata", map[string]any{}).text(), `"is_consistent":true`)
}
