package e2e

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/dbtest"
)

// TestAnswersFollowTheirTables: an answer with tags is cached until a table changes that it was read from, in every executor, by either
// feed, and also after the executor that stored it was killed; a purge by a tag has the same effect.
func TestAnswersFollowTheirTables(t *testing.T) {
	t.Parallel()
	for _, feed := range []string{"notify", "log"} {
		t.Run(feed, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t)
			if feed == "log" {
				c.databaseURL = dbtest.LogicalURL(t)
				c.settings["ENGINE_GRAPHQL_DATABASE_URL"] = c.databaseURL
			}
			execute(t, c.databaseURL, `CREATE TABLE author (id int PRIMARY KEY, name text); CREATE TABLE book (id int PRIMARY KEY, author_id int REFERENCES author, title text);
				CREATE TABLE other (id int); INSERT INTO author VALUES (1, 'Austen'); INSERT INTO book VALUES (1, 1, 'Emma')`)
			c.start(metadata)
			executors := []*process{c.start(executor), c.start(executor)}
			c.start(eventDelivery)
			g := c.start(gateway)
			g.metadata("pg_update_source", map[string]any{"name": "default", "configuration": map[string]any{
				"connection_info": map[string]any{"database_url": map[string]any{"from_env": "ENGINE_GRAPHQL_DATABASE_URL"}}, "change_feed": feed,
			}})
			for _, table := range []string{"author", "book", "other"} {
				g.metadata("pg_track_table", map[string]any{"table": table})
			}
			g.metadata("pg_create_object_relationship", map[string]any{"table": "book", "name": "author", "using": map[string]any{"foreign_key_constraint_on": "author_id"}})
			const text = `query Books @cached(ttl: 600, tags: ["books"]) { book(order_by: {id: asc}) { title author { name } } }`
			ask := func() answer { return g.query(asAdmin, text) }
			// A few answers in a row are of both executors.
			awaitCached := func(want string) {
				t.Helper()
				inARow := 0
				require.Eventually(t, func() bool {
					a := ask()
					require.Equal(t, http.StatusOK, a.status)
					if inARow++; a.text() != want || a.header.Get("Cache-Control") == "" {
						inARow = 0
					}
					return inARow == 20
				}, time.Minute, 50*time.Millisecond, "%s: %s", want, ask().text())
			}
			books := func(title, name string) string {
				return fmt.Sprintf(`{"data":{"book":[{"title":%q,"author":{"name":%q}}]}}`, title, name)
			}
			awaitCached(books("Emma", "Austen"))
			execute(t, c.databaseURL, `UPDATE book SET title = 'Persuasion'`)
			awaitCached(books("Persuasion", "Austen"))
			execute(t, c.databaseURL, `UPDATE author SET name = 'Jane Austen'`)
			awaitCached(books("Persuasion", "Jane Austen"))

			// Where nothing reports a change, a purge does.
			execute(t, c.databaseURL, `ALTER TABLE book DISABLE TRIGGER ALL`)
			if feed == "notify" {
				execute(t, c.databaseURL, `UPDATE book SET title = 'Unreported'`)
				require.Equal(t, books("Persuasion", "Jane Austen"), ask().text())
				purge, err := g.send(http.MethodPost, "/pro/cache/clear?tag=books", asAdmin, nil)
				require.NoError(t, err)
				require.Equal(t, http.StatusOK, purge.status)
				awaitCached(books("Unreported", "Jane Austen"))
			}
			execute(t, c.databaseURL, `ALTER TABLE book ENABLE TRIGGER ALL`)

			executors[0].kill()
			execute(t, c.databaseURL, `UPDATE book SET title = 'Emma'`)
			awaitCached(books("Emma", "Jane Austen"))
			g.query(asAdmin, `mutation { update_book(where: {}, _set: {title: "Sanditon"}) { affected_rows } }`)
			awaitCached(books("Sanditon", "Jane Austen"))
		})
	}
}
