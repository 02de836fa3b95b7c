package e2e

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// newLibrary has the table book, which the roles reader and member may read, and two gateways.
func newLibrary(t *testing.T, settings ...string) (gateways [2]*process) {
	t.Helper()
	c := newCluster(t)
	execute(t, c.databaseURL, `CREATE TABLE book (id int PRIMARY KEY, title text); INSERT INTO book VALUES (1, 'Emma')`)
	c.start(metadata)
	c.start(executor, settings...)
	for i := range gateways {
		gateways[i] = c.start(gateway, settings...)
	}
	list := []any{map[string]any{"type": "pg_track_table", "args": map[string]any{"table": "book"}}}
	for _, role := range []string{"reader", "member"} {
		list = append(list, map[string]any{"type": "pg_create_select_permission", "args": map[string]any{
			"table": "book", "role": role, "permission": map[string]any{"columns": "*", "filter": map[string]any{}},
		}})
	}
	gateways[0].metadata("bulk", list)
	return gateways
}

func hashOf(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

// TestDocumentRules: whatever way a document is named, a role runs those of its rule, in every gateway, as soon as a change is answered.
func TestDocumentRules(t *testing.T) {
	t.Parallel()
	gateways := newLibrary(t, "ENABLE_PERSISTED_QUERIES=true", "PERSISTED_QUERIES_TTL=600")
	const listed, known, unknown = `query Titles { book { title } }`, `query Ids { book { id } }`, `query Both { book { id title } }`
	gateways[0].metadata("import_documents", map[string]any{
		"collection": "listed", "documents": map[string]string{"l": listed}, "allow": map[string]any{"global": false, "roles": []string{"reader"}},
	})
	gateways[0].metadata("import_documents", map[string]any{"collection": "known", "documents": map[string]string{"k": known}})
	ids := map[string]string{listed: "l", known: "k"}
	ways := map[string]func(p *process, role, text string) string{
		"text": func(p *process, role, text string) string { return p.query(as(role), text).text() },
		"other text": func(p *process, role, text string) string {
			return p.query(as(role), strings.ReplaceAll(text, " ", "\n")).text()
		},
		"id": func(p *process, role, text string) string {
			return p.post("/v1/graphql", as(role), map[string]any{"documentId": ids[text]}).text()
		},
		"hash": func(p *process, role, text string) string {
			return p.post("/v1/graphql", as(role), json.RawMessage(byHash(text))).text()
		},
		"hash as an id": func(p *process, role, text string) string {
			return p.post("/v1/graphql", as(role), map[string]any{"documentId": "sha256:" + hashOf(text)}).text()
		},
		"GET": func(p *process, role, text string) string {
			a, err := p.send(http.MethodGet, "/v1/graphql?documentId="+hashOf(text), as(role), nil)
			require.NoError(t, err)
			return a.text()
		},
		"GET by hash": func(p *process, role, text string) string {
			a, err := p.send(http.MethodGet, "/v1/graphql?extensions="+url.QueryEscape(persisted(text)), as(role), nil)
			require.NoError(t, err)
			return a.text()
		},
		"socket": func(p *process, role, text string) string {
			return (&visitor{t, p, as(role)}).overSocket("/v1/graphql", "graphql-transport-ws", byHash(text))
		},
	}
	// Another role has sent it before: that opens nothing.
	sent := gateways[0].post("/v1/graphql", as("member"), json.RawMessage(`{"query":`+quoted(unknown)+`,"extensions":`+persisted(unknown)+`}`)).text()
	require.Contains(t, sent, "Emma")
	require.Contains(t, ways["hash"](gateways[0], "member", unknown), "Emma")
	for rule, may := range map[string]map[string]bool{
		"any": {listed: true, known: true}, "known": {listed: true, known: true}, "listed": {listed: true},
	} {
		gateways[0].metadata("set_document_rules", map[string]any{"roles": map[string]string{"reader": rule}})
		for name, ask := range ways {
			for _, text := range []string{listed, known, unknown} {
				for i, g := range gateways {
					answer := ask(g, "reader", text)
					if may[text] || rule == "any" && strings.Contains(name, "text") {
						require.Contains(t, answer, `"book"`, "%s by %s at gateway %d: %s", rule, name, i, text)
					} else {
						require.NotContains(t, answer, `"book"`, "%s by %s at gateway %d: %s", rule, name, i, text)
					}
				}
			}
		}
	}
}

// TestDocumentsArePublished by the command line, compared and pruned.
func TestDocumentsArePublished(t *testing.T) {
	t.Parallel()
	gateways := newLibrary(t)
	w := &workshop{t, t.TempDir(), gateways[0].url}
	w.write("documents.json", `{"1":"query Titles { book { title } }","2":"query Ids { book { id } }"}`)
	w.write("manifest.json", `{"format":"apollo-persisted-query-manifest","version":1,"operations":[
		{"id":"1","name":"Titles","type":"query","body":"query Titles { book { title } }"},{"id":"3","name":"Both","type":"query","body":"query Both { book { id title } }"}]}`)
	w.write("wrong.json", `{"4":"query Wrong { nothing }"}`)
	web := " --client-name web --client-version 1"
	require.Equal(t, "+ 2\tIds\n+ 1\tTitles\n", w.does(3, "documents diff documents.json"+web))
	require.Contains(t, w.does(0, "documents publish documents.json --dry-run"+web), "query_collection web@1")
	require.Contains(t, w.does(0, "documents publish documents.json --allow reader,member"+web), "web@1: 2 documents, 2 of them new, 0 removed")
	require.Contains(t, w.does(0, "documents publish documents.json"+web), "0 of them new", "it may be done again")
	require.Contains(t, w.does(0, "documents diff documents.json"+web), "no differences")
	require.Equal(t, "+ 3\tBoth\n- 2\tIds\n", w.does(3, "documents diff manifest.json"+web))
	require.Contains(t, w.does(0, "documents publish manifest.json"+web), "1 of them new, 0 removed", "what is out there stays")
	require.Contains(t, w.does(0, "documents publish manifest.json --replace"+web), "0 of them new, 1 removed")
	require.Contains(t, w.does(1, "documents publish wrong.json"+web), "field 'nothing' not found")
	w.write("documents.json", `{"1":"query Titles { book { id title } }"}`)
	require.Contains(t, w.does(1, "documents publish documents.json"+web), `id "1" has another document already`)
	require.Contains(t, w.does(1, "documents publish documents.json --client-name ios"), `id "1" names another document in another collection`)

	require.JSONEq(t, `{"data":{"book":[{"title":"Emma"}]}}`, gateways[1].post("/v1/graphql", as("reader"), map[string]any{"documentId": "1"}).text())
	w.does(0, "documents publish manifest.json --client-name web --client-version 2")
	require.Contains(t, w.does(0, "documents prune --client-name web --keep 2,3 --dry-run"), "- web@1\t2 documents")
	require.Contains(t, w.does(0, "documents prune --client-name web --keep 2,3"), "- web@1\t2 documents")
	require.Contains(t, w.does(0, "documents prune --client-name web --keep 2,3"), "nothing to remove")
	require.NotContains(t, gateways[0].metadata("export_metadata", map[string]any{}).text(), "web@1")
	require.Contains(t, w.does(2, "documents"), "documents needs a command: diff, prune, publish")
}

// TestManyDocuments: a client's ten thousand are one change.
func TestManyDocuments(t *testing.T) {
	t.Parallel()
	gateways := newLibrary(t)
	documents := map[string]string{}
	for i := range 10_000 {
		text := fmt.Sprintf("query Q%d($id: Int!) { book(where: {id: {_eq: $id}, title: {_neq: \"%d\"}}, order_by: {id: asc}) { id title __typename } }", i, i)
		documents[hashOf(text)] = text
	}
	started := time.Now()
	require.Contains(t, gateways[0].metadata("import_documents", map[string]any{"collection": "web", "documents": documents}).text(), `"imported":10000`)
	t.Logf("import of 10,000 documents: %v", time.Since(started))
	for id := range documents {
		a := gateways[1].post("/v1/graphql", as("reader"), map[string]any{"documentId": id, "variables": map[string]int{"id": 1}})
		require.Contains(t, a.text(), "Emma")
		break
	}
}

// TestCostOfDocuments prints what a document by its id over GET, and an answer that the client has, take next to the query over POST, by
// turns in one run.
func TestCostOfDocuments(t *testing.T) {
	t.Parallel()
	g := newLibrary(t, "UNAUTHORIZED_ROLE=reader")[0]
	g.post("/v1/graphql", asAdmin, map[string]any{"query": `mutation ($rows: [book_insert_input!]!) { insert_book(objects: $rows) { affected_rows } }`,
		"variables": map[string]any{"rows": manyBooks(2000)}})
	const text = `query Books($n: Int!) { book(order_by: {title: asc}, limit: $n) { id title } }`
	g.metadata("import_documents", map[string]any{"collection": "web", "documents": map[string]string{
		"books": text, "cached": strings.Replace(text, ") {", ") @cached {", 1),
	}})
	const variables = "&variables=%7B%22n%22%3A500%7D"
	tag := ""
	get := func(path string, header map[string]string, status int) func() {
		return func() {
			a, err := g.send(http.MethodGet, path, header, nil)
			require.NoError(t, err)
			require.Equal(t, status, a.status, a.text())
			tag = a.header.Get("Etag")
		}
	}
	get("/v1/graphql?documentId=cached"+variables, nil, http.StatusOK)()
	ways := []struct {
		name string
		ask  func()
		took time.Duration
	}{
		{name: "POST", ask: func() {
			require.Equal(t, http.StatusOK, g.post("/v1/graphql", nil, map[string]any{"query": text, "variables": map[string]int{"n": 500}}).status)
		}},
		{name: "GET by id", ask: get("/v1/graphql?documentId=books"+variables, nil, http.StatusOK)},
		{name: "GET, cached", ask: get("/v1/graphql?documentId=cached"+variables, nil, http.StatusOK)},
		{name: "GET, not modified", ask: get("/v1/graphql?documentId=cached"+variables, map[string]string{"If-None-Match": tag}, http.StatusNotModified)},
	}
	for range 200 {
		for i := range ways {
			started := time.Now()
			ways[i].ask()
			ways[i].took += time.Since(started)
		}
	}
	for _, w := range ways {
		t.Logf("%s: %v, %.2f of POST", w.name, w.took/200, float64(w.took)/float64(ways[0].took))
	}
}

func manyBooks(n int) (rows []map[string]any) {
	for i := range n {
		rows = append(rows, map[string]any{"id": i + 10, "title": fmt.Sprintf("Book %d", i)})
	}
	return rows
}

// TestDocumentsAsEndpoints: a collection offers its documents as REST endpoints, to the roles that may run them, and describes them.
func TestDocumentsAsEndpoints(t *testing.T) {
	t.Parallel()
	gateways := newLibrary(t, "ENABLE_ALLOWLIST=true")
	w := &workshop{t, t.TempDir(), gateways[0].url}
	w.write("documents.json", `{"1":"query Title($id: Int!) { book_by_pk(id: $id) { title } }","2":"mutation Add($title: String!) { insert_book_one(object: {id: 7, title: $title}) { id } }",
		"3":"subscription Live { book { id } }"}`)
	w.does(0, "documents publish documents.json --client-name web --client-version 1 --rest --allow reader")
	ask := func(method, path, body string, header map[string]string) (int, string) {
		a, err := gateways[1].send(method, path, header, []byte(body))
		require.NoError(t, err)
		return a.status, a.text()
	}
	status, text := ask(http.MethodGet, "/api/rest/web@1/Title?id=1", "", as("reader"))
	require.Equal(t, http.StatusOK, status)
	require.JSONEq(t, `{"book_by_pk":{"title":"Emma"}}`, text)
	_, text = ask(http.MethodPost, "/api/rest/web%401/Title", `{"id":1}`, as("reader"))
	require.JSONEq(t, `{"book_by_pk":{"title":"Emma"}}`, text)
	_, text = ask(http.MethodGet, "/api/rest/web@1/Title?id=1", "", as("member"))
	require.Contains(t, text, "query is not allowed", "the role's documents count")
	status, _ = ask(http.MethodGet, "/api/rest/web@1/Add?title=x", "", asAdmin)
	require.Equal(t, http.StatusMethodNotAllowed, status)
	_, text = ask(http.MethodPost, "/api/rest/web@1/Add", `{"title":"Persuasion"}`, asAdmin)
	require.JSONEq(t, `{"insert_book_one":{"id":7}}`, text)
	status, _ = ask(http.MethodPost, "/api/rest/web@1/Live", "", asAdmin)
	require.Equal(t, http.StatusNotFound, status)

	_, text = ask(http.MethodGet, "/api/swagger/json", "", asAdmin)
	var described struct {
		Paths map[string]map[string]struct {
			Parameters []struct {
				Name     string
				Required bool
				Schema   struct{ Type string }
			}
			Responses map[string]struct {
				Content map[string]struct {
					Schema struct{ Properties map[string]json.RawMessage }
				}
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(text), &described))
	require.Len(t, described.Paths, 2)
	title := described.Paths["/api/rest/web@1/Title"]
	require.Len(t, title, 2)
	i := slices.IndexFunc(title["get"].Parameters, func(p struct {
		Name     string
		Required bool
		Schema   struct{ Type string }
	}) bool {
		return p.Name == "id"
	})
	require.GreaterOrEqual(t, i, 0)
	require.Equal(t, "integer", title["get"].Parameters[i].Schema.Type)
	require.Contains(t, title["get"].Responses["200"].Content["application/json"].Schema.Properties, "book_by_pk")
	require.Contains(t, described.Paths["/api/rest/web@1/Add"], "post")

	w.does(0, "documents prune --client-name web --keep 2")
	status, _ = ask(http.MethodGet, "/api/rest/web@1/Title?id=1", "", as("reader"))
	require.Equal(t, http.StatusNotFound, status)
}
