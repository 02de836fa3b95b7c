package e2e

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/nodetest"
)

// tokenKey signs the tokens of tests.
const tokenKey = "0123456789abcdef0123456789abcdef"

// tokenOf is a token of a role and a user that doesn't expire.
func tokenOf(t *testing.T, role, user string) string {
	t.Helper()
	claims, err := json.Marshal(map[string]any{
		"https://engine.io/jwt/claims": map[string]any{"x-engine-default-role": role, "x-engine-allowed-roles": []string{role}, "x-engine-user-id": user},
	})
	require.NoError(t, err)
	encode := base64.RawURLEncoding.EncodeToString
	text := encode([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + encode(claims)
	mac := hmac.New(sha256.New, []byte(tokenKey))
	mac.Write([]byte(text))
	return text + "." + encode(mac.Sum(nil))
}

// TestOfficialAssistant: the official TypeScript client lists, pages, calls, cancels and is refused, over HTTP and over the standard
// input of engine mcp, with the rights of its token.
func TestOfficialAssistant(t *testing.T) {
	t.Parallel()
	node, dir := nodetest.Program(t), nodetest.Install(t, "testdata/mcp")
	c := newCluster(t)
	execute(t, c.databaseURL, `CREATE TABLE book (id int PRIMARY KEY, title text); INSERT INTO book VALUES (1, 'Emma'), (2, 'hidden');
		CREATE TABLE copy (id int PRIMARY KEY, book_id int NOT NULL REFERENCES book, weight real, tags text[]); INSERT INTO copy VALUES (1, 2, 'NaN', '{a,NULL}');
		CREATE FUNCTION slow() RETURNS SETOF book LANGUAGE sql STABLE AS 'SELECT book.* FROM book, pg_sleep(600)'`)
	c.start(metadata)
	c.start(executor)
	g := c.start(gateway, "ENABLE_MCP=true", `JWT_SECRET={"type":"HS256","key":"`+tokenKey+`"}`)
	queries := []any{}
	for i := range 120 {
		queries = append(queries, map[string]any{
			"name": fmt.Sprintf("title_%03d", i), "query": fmt.Sprintf(`query { book(where: {id: {_eq: %d}}) { title } }`, i), "tool": map[string]any{},
		})
	}
	queries = append(queries, map[string]any{"name": "volumes", "query": `{ copy { weight tags book { title } } }`, "tool": map[string]any{}})
	queries = append(queries, map[string]any{"name": "titles", "query": `query ($limit: Int = 5) { book(limit: $limit) { title } }`, "tool": map[string]any{"title": "Titles"}})
	g.metadata("bulk", []any{
		map[string]any{"type": "pg_track_table", "args": map[string]any{"table": "book"}},
		map[string]any{"type": "pg_track_function", "args": map[string]any{"function": "slow"}},
		map[string]any{"type": "pg_create_select_permission", "args": map[string]any{
			"table": "book", "role": "reader", "permission": map[string]any{"columns": "*", "filter": map[string]any{"id": 1}},
		}},
		map[string]any{"type": "pg_track_table", "args": map[string]any{"table": "copy"}},
		map[string]any{"type": "pg_create_object_relationship", "args": map[string]any{"table": "copy", "name": "book", "using": map[string]any{"foreign_key_constraint_on": "book_id"}}},
		map[string]any{"type": "pg_create_select_permission", "args": map[string]any{
			"table": "copy", "role": "reader", "permission": map[string]any{"columns": "*", "filter": map[string]any{}},
		}},
		map[string]any{"type": "create_query_collection", "args": map[string]any{"name": "tools", "definition": map[string]any{"queries": queries}}},
	})
	out, err := exec.CommandContext(t.Context(), node, filepath.Join(dir, "client.mjs"), g.url, tokenOf(t, "reader", ""), filepath.Join(programs, engine)).CombinedOutput()
	require.NoError(t, err, "%s", out)
	type side struct {
		Pages, Tools    int
		Titles, Copies  map[string]any
		Wrong, Write    bool
		Unknown         string
		Cancelled, Type string
	}
	var seen struct {
		HTTP, Stdio side
		Stranger    string
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	require.NoError(t, json.Unmarshal([]byte(lines[len(lines)-1]), &seen), "%s", out)
	for name, s := range map[string]side{"HTTP": seen.HTTP, "stdio": seen.Stdio} {
		require.Equal(t, 2, s.Pages, name)
		require.Equal(t, 125, s.Tools, name)
		require.Equal(t, map[string]any{"book": []any{map[string]any{"title": "Emma"}}}, s.Titles, name)
		require.Equal(t, map[string]any{"copy": []any{map[string]any{"weight": "NaN", "tags": []any{"a", nil}, "book": nil}}}, s.Copies)
		require.True(t, s.Wrong && s.Write, name)
		require.Contains(t, s.Unknown, "there is no tool nothing", name)
		require.Contains(t, s.Cancelled, "changed my mind", name)
		require.Contains(t, s.Type, "type book {", name)
	}
	require.Contains(t, seen.Stranger, "refused")
	db, err := pgx.Connect(t.Context(), c.databaseURL)
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close(context.Background()) })
	eventually(t, startLimit, func() bool {
		var running int
		require.NoError(t, db.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND query LIKE '%slow%' AND pid <> pg_backend_pid()`).Scan(&running))
		return running == 0
	}, func() string { return "a cancelled statement goes on" })
}
