package e2e

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/nodetest"
)

// TestToolsOfOthers uses an engine by tools that others wrote and that no other test uses.
func TestToolsOfOthers(t *testing.T) {
	t.Parallel()
	node, dir := nodetest.Program(t), nodetest.Install(t, "testdata/tools")
	g := newLibrary(t)[0]
	g.metadata("import_documents", map[string]any{"collection": "web", "rest": true, "documents": map[string]string{
		"1": `query Title($id: Int!) { book_by_pk(id: $id) { title } }`, "2": `mutation Add($title: String) { insert_book_one(object: {id: 9, title: $title}) { id } }`,
	}})
	w := &workshop{t, dir, g.url}
	run := func(code int, args ...string) string {
		t.Helper()
		c := exec.CommandContext(t.Context(), node, args...)
		c.Dir = dir
		out, err := c.CombinedOutput()
		if err != nil {
			require.NotNil(t, c.ProcessState, "%v: %v", args, err)
		}
		require.Equal(t, code, c.ProcessState.ExitCode(), "%v: %s", args, out)
		return string(out)
	}
	module := func(path ...string) string { return filepath.Join(append([]string{"node_modules"}, path...)...) }
	headers, err := json.Marshal(asAdmin)
	require.NoError(t, err)
	require.JSONEq(t, `["/api/rest/web/Add","/api/rest/web/Title"]`, run(0, "tools.mjs", "swagger-parser", g.url, string(headers)))
	require.JSONEq(t, `["Emma","Emma, again",2]`, run(0, "tools.mjs", "graphcache", g.url, string(headers)))

	inspector := module("@graphql-inspector", "cli", "cjs", "index.js")
	secretHeader, role := "X-Engine-Admin-Secret: "+secret, "X-Engine-Role: reader"
	for file, more := range map[string][]string{"admin.graphql": nil, "reader.graphql": {"--header", role}} {
		run(0, append([]string{inspector, "introspect", g.url + "/v1/graphql", "--write", file, "--header", secretHeader}, more...)...)
	}
	require.Contains(t, run(0, inspector, "diff", "admin.graphql", "admin.graphql"), "No changes detected")
	require.Contains(t, run(1, inspector, "diff", "admin.graphql", "reader.graphql"), "Type mutation_root was removed")
	w.write("documents/title.graphql", `query Title($id: Int!) { book_by_pk(id: $id) { title } }`)
	run(0, inspector, "validate", "documents/*.graphql", "reader.graphql")
	w.write("documents/wrong.graphql", `query Wrong { nothing }`)
	require.Contains(t, run(1, inspector, "validate", "documents/*.graphql", "reader.graphql"), "Cannot query field nothing")

	gq := module("graphqurl", "bin", "run")
	answer := run(0, gq, g.url+"/v1/graphql", "-H", secretHeader, "-q", "{ book { id title } }")
	require.Contains(t, strings.ReplaceAll(answer, " ", ""), `"title":"Emma,again"`)
}
