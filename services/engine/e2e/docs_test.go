package e2e

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/dbtest"
)

var update = flag.Bool("update", false, "write the answers into the documentation")

// TestDocumentation runs the examples of the documentation in their order, each page on a
// fresh engine with the sample:
//
//	```sh                            curl ... -d '{...}': a request; engine dev --option ...: the engine
//	                                 is started again with these options
//	```graphql role=R Header=value   a query, as admin without a role; at=/path for another endpoint;
//	                                 of a subscription the first result
//	```json variables                the variables of the query behind it
//	```json request /path            a request that has to succeed
//	```json                          the answer to the query before
//	```json token                    the payload of the token of the request behind it, signed by a provider
//	```json hook                     the answer of the authentication webhook to the requests behind it
//	```json asked                    the last request to that webhook
//	```json delivered                the next event that a webhook gets
//	```json unexpected               the answer, without the database's details
//	```sql owner                     statements in a database with the tables of the sample; their rows
//	                                 are the answer
func TestDocumentation(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..", "..")
	for _, page := range []string{
		"README.md", "docs/getting-started.md", "docs/queries.md", "docs/mutations.md", "docs/functions-and-names.md",
		"docs/permissions.md", "docs/authentication.md", "docs/databases.md", "docs/relay.md", "docs/remote-relationships.md", "docs/remote-schemas.md", "docs/native-queries.md", "docs/caching.md", "docs/subscriptions.md", "docs/actions.md",
		"docs/observability.md", "docs/moving.md",
	} {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(root, page)
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			e := &examples{t: t, dir: t.TempDir(), outside: newOutside(t), env: []string{
				"CHECKS=" + checks(t), "ACTIONS_URL=" + actions(t), "CRM_DATABASE_URL=" + dbtest.URL(t),
				"CHARTS_URL=" + charts(t), "ENGINE_GRAPHQL_ENABLE_REMOTE_SCHEMA_PERMISSIONS=true",
			}}
			e.env = append(e.env, "HOOKS="+e.outside.url)
			if strings.Contains(string(text), "```sql owner") {
				e.shop = newShop(t)
				e.env = append(e.env, "SHOP_DATABASE_URL="+e.shop.engineURL, "SHOP_REPLICA_URL="+e.shop.engineURL)
			}
			e.engine = startDevIn(t, e.dir, nil, e.env...)
			written := e.run(string(text))
			if *update {
				require.NoError(t, os.WriteFile(path, []byte(written), 0o600))
			}
		})
	}
}

var block = regexp.MustCompile("(?s)```([^\n]*)\n(.*?)```")

// checks is the address of a webhook for the examples: it refuses playlists with "secret" in
// what is to be written.
func checks(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if body, _ := io.ReadAll(r.Body); bytes.Contains(body, []byte("secret")) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"message": "that name is taken"}`)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// actions is the address of the handlers for the examples.
func actions(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("POST /recommend", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `[{"artist_id": 1, "reason": "loud"}, {"artist_id": 2}]`)
	})
	mux.HandleFunc("POST /review", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"artist_id": 2, "reason": "quiet"}`)
	})
	mux.HandleFunc("POST /rate", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnprocessableEntity)
		_, _ = io.WriteString(w, `{"message": "there are no more than five stars", "code": "too-many-stars"}`)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

// examples are those of a page.
type examples struct {
	t       *testing.T
	dir     string // of the engine's data
	env     []string
	engine  *process
	outside *outside
	shop    *shop // nil for pages without

	last      *answer         // nil when it has been looked at
	variables json.RawMessage // of the next query
	token     string          // of the next query, "" for none
}

// run returns the text with the answers that came.
func (e *examples) run(text string) string {
	t := e.t
	t.Helper()
	return block.ReplaceAllStringFunc(text, func(whole string) string {
		m := block.FindStringSubmatch(whole)
		info, content := strings.Fields(m[1]), m[2]
		switch {
		case len(info) == 0:
		case info[0] == "sh":
			e.command(content)
		case info[0] == "graphql":
			e.query(info[1:], content)
		case info[0] == "json" && len(info) == 2 && info[1] == "variables":
			e.variables = json.RawMessage(content)
		case info[0] == "json" && len(info) == 2 && info[1] == "token":
			e.token = e.outside.sign(content)
		case info[0] == "json" && len(info) == 2 && info[1] == "hook":
			e.outside.answer(content)
		case info[0] == "json" && len(info) == 2 && info[1] == "asked":
			return e.compare(whole, content, bytes.ReplaceAll(e.outside.lastAsked(), host(e.engine.url), host(atHome)))
		case info[0] == "json" && len(info) == 2 && info[1] == "delivered":
			return e.compare(whole, content, e.outside.nextEvent())
		case info[0] == "sql" && len(info) == 2 && info[1] == "owner":
			e.last = e.shop.execute(content)
		case info[0] == "json" && len(info) == 3:
			a, err := e.engine.send(http.MethodPost, info[2], nil, []byte(content))
			require.NoError(t, err)
			require.Equal(t, http.StatusOK, a.status, "%s\n%s", content, a.text())
		case info[0] == "json":
			require.NotNil(t, e.last, "an answer without a question:\n%s", content)
			answer := e.last.body
			e.last = nil
			if len(info) == 2 && info[1] == "unexpected" {
				answer = withoutInternal(t, answer)
			}
			return e.compare(whole, content, answer)
		}
		return whole
	})
}

func host(url string) []byte { return []byte(strings.TrimPrefix(url, "http://")) }

// compare returns the block for what came in place of what the page says.
func (e *examples) compare(whole, content string, came []byte) string {
	e.t.Helper()
	if *update {
		info, _, _ := strings.Cut(whole, "\n")
		return info + "\n" + readable(e.t, came) + "\n```"
	}
	require.JSONEq(e.t, content, string(came))
	return whole
}

func (e *examples) query(attributes []string, document string) {
	e.t.Helper()
	header, endpoint := map[string]string{}, "/v1/graphql"
	body := map[string]any{"query": document, "variables": e.variables}
	e.variables = nil
	if e.token != "" {
		header["Authorization"] = "Bearer " + e.token
		e.token = ""
	}
	for _, pair := range attributes {
		name, value, _ := strings.Cut(pair, "=")
		switch name {
		case "at":
			endpoint = value
		case "role":
			header["X-Engine-Role"] = value
		default:
			header[name] = value
		}
	}
	ask := e.engine.post
	if strings.HasPrefix(document, "subscription") {
		ask = e.engine.firstEvent
	}
	a := ask(endpoint, header, body)
	e.last = &a
}

// withoutInternal takes off what the database said of an error.
func withoutInternal(t *testing.T, answer []byte) []byte {
	t.Helper()
	var failed struct {
		Errors []struct {
			Message    string `json:"message"`
			Extensions struct {
				Path string `json:"path"`
				Code string `json:"code"`
			} `json:"extensions"`
		} `json:"errors"`
	}
	require.NoError(t, json.Unmarshal(answer, &failed))
	encoded, err := json.Marshal(failed)
	require.NoError(t, err)
	return encoded
}

// readable is a JSON text as it came when that fits on a line, else indented.
func readable(t *testing.T, body []byte) string {
	t.Helper()
	if len(body) <= 120 {
		return string(body)
	}
	var indented bytes.Buffer
	require.NoError(t, json.Indent(&indented, body, "", "  "))
	return indented.String()
}
