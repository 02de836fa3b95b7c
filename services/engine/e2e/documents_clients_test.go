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

// TestClientsNameDocuments: clients as they are set up for persisted queries, with documents that they register, and with documents that
// their tools wrote and the command line published.
func TestClientsNameDocuments(t *testing.T) {
	t.Parallel()
	node, dir := nodetest.Program(t), nodetest.Install(t, "testdata/persisted")
	run := func(args ...string) string {
		t.Helper()
		c := exec.CommandContext(t.Context(), node, args...)
		c.Dir = dir
		var faults strings.Builder
		c.Stderr = &faults
		out, err := c.Output()
		require.NoError(t, err, "%v: %s%s", args, out, faults.String())
		return string(out)
	}
	gateways := newLibrary(t, "ENABLE_PERSISTED_QUERIES=true", "PERSISTED_QUERIES_TTL=600")
	gateways[0].post("/v1/graphql", asAdmin, map[string]any{"query": `mutation { insert_book_one(object: {id: 2, title: "Persuasion"}) { id } }`})
	headers, err := json.Marshal(as("reader"))
	require.NoError(t, err)
	// uses has a client make two queries, and gives how the requests were made.
	uses := func(client string, gateway *process) (requests []string) {
		t.Helper()
		var answers []string
		for line := range strings.Lines(run("clients.mjs", client, gateway.url, string(headers))) {
			var said struct {
				What  string
				Value any
			}
			require.NoError(t, json.Unmarshal([]byte(line), &said))
			if said.What == "answer" {
				text, _ := said.Value.(string)
				answers = append(answers, text)
				continue
			}
			words, err := json.Marshal(said.Value)
			require.NoError(t, err)
			requests = append(requests, strings.NewReplacer(`"`, "", "[", "", "]", "", ",", " ").Replace(string(words)))
		}
		require.Equal(t, []string{"Emma", "Persuasion"}, answers, client)
		return requests
	}
	const hash, whole = "POST extensions", "POST query extensions"
	require.Equal(t, []string{hash, whole, hash}, uses("Apollo", gateways[0]), "it sends the text once")
	require.Equal(t, []string{hash, hash}, uses("Apollo", gateways[0]), "the next one sends none")
	require.Equal(t, []string{"GET extensions", "GET extensions"}, uses("Apollo by GET", gateways[0]))
	require.Equal(t, "GET extensions", uses("Apollo by GET", gateways[1])[0], "another gateway has to be sent the text")
	require.Equal(t, []string{hash, whole, hash}, uses("urql", gateways[0]), "it spells the text in another way")
	require.Equal(t, []string{"GET extensions", "GET extensions"}, uses("urql by GET", gateways[0]))
	require.Equal(t, "GET extensions", uses("urql by GET", gateways[1])[0], "another gateway has to be sent the text")

	gateways[0].metadata("set_document_rules", map[string]any{"roles": map[string]string{"reader": "listed"}})
	w := &workshop{t, dir, gateways[0].url}
	run("schema.mjs", gateways[0].url+"/v1/graphql", secret, "schema.graphql")
	run("schema.mjs", gateways[0].url+"/v1/relay", secret, "relay.graphql")
	run(filepath.Join("node_modules", "@graphql-codegen", "cli", "cjs", "bin.js"), "--config", "codegen.json")
	w.does(0, "documents publish gql/persisted-documents.json --client-name web --allow reader")
	require.Equal(t, []string{"POST documentId", "POST documentId"}, uses("GraphQL Code Generator", gateways[1]))
	require.Equal(t, []string{"GET extensions", "GET extensions"}, uses("urql, trusted", gateways[1]))

	w.write("persisted_queries.json", "{}") // the compiler adds to it
	run(filepath.Join("node_modules", "relay-compiler", "cli.js"), "relay.config.json")
	w.does(0, "documents publish persisted_queries.json --client-name mobile --allow reader")
	require.Equal(t, []string{"POST documentId", "POST documentId"}, uses("Relay", gateways[1]))
}
