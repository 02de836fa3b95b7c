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
//	```sh                            curl ... -d '{...}': a request
//	```graphql role=R Header=value   a query, as admin without a role; at=/path for another endpoint;
//	                                 of a subscription the first result
//	```json variables                the variables of the query behind it
//	```json request /path            a request that has to succeed
//	```json                          the answer to the query before
func TestDocumentation(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..", "..")
	for _, page := range []string{
		"README.md", "docs/getting-started.md", "docs/queries.md", "docs/mutations.md", "docs/functions-and-names.md",
		"docs/permissions.md", "docs/relay.md", "docs/remote-relationships.md", "docs/remote-schemas.md", "docs/native-queries.md", "docs/caching.md", "docs/subscriptions.md", "docs/actions.md",
		"docs/observability.md",
	} {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(root, page)
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			d := startDevIn(t, t.TempDir(), "CHECKS="+checks(t), "ACTIONS_URL="+actions(t), "CRM_DATABASE_URL="+dbtest.URL(t),
				"CHARTS_URL="+charts(t), "ENGINE_GRAPHQL_ENABLE_REMOTE_SCHEMA_PERMISSIONS=true")
			written := runExamples(t, d, string(text))
			if *update {
				require.NoError(t, os.WriteFile(path, []byte(written), 0o600))
			}
		})
	}
}

var (
	block       = regexp.MustCompile("(?s)```([^\n]*)\n(.*?)```")
	curlPayload = regexp.MustCompile(`(?s)curl http://127\.0\.0\.1:8080(/\S+) -d '(.*?)'`)
)

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

// runExamples returns the text with the answers that came.
func runExamples(t *testing.T, p *process, text string) string {
	t.Helper()
	var last *answer
	var variables json.RawMessage
	return block.ReplaceAllStringFunc(text, func(whole string) string {
		m := block.FindStringSubmatch(whole)
		info, content := strings.Fields(m[1]), m[2]
		switch {
		case len(info) == 0:
		case info[0] == "sh":
			if curl := curlPayload.FindStringSubmatch(content); curl != nil {
				// As curl -d sends it.
				a, err := p.send(http.MethodPost, curl[1], map[string]string{"Content-Type": "application/x-www-form-urlencoded"}, []byte(curl[2]))
				require.NoError(t, err)
				last = &a
			}
		case info[0] == "graphql":
			header, endpoint := map[string]string{}, "/v1/graphql"
			body := map[string]any{"query": content, "variables": variables}
			variables = nil
			for _, pair := range info[1:] {
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
			ask := p.post
			if strings.HasPrefix(content, "subscription") {
				ask = p.firstEvent
			}
			a := ask(endpoint, header, body)
			last = &a
		case info[0] == "json" && len(info) == 2 && info[1] == "variables":
			variables = json.RawMessage(content)
		case info[0] == "json" && len(info) == 3:
			a, err := p.send(http.MethodPost, info[2], nil, []byte(content))
			require.NoError(t, err)
			require.Equal(t, http.StatusOK, a.status, "%s\n%s", content, a.text())
		case info[0] == "json":
			require.NotNil(t, last, "an answer without a question:\n%s", content)
			if *update {
				return "```json\n" + readable(t, last.body) + "\n```"
			}
			require.JSONEq(t, content, last.text())
			last = nil
		}
		return whole
	})
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
