package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/nodetest"
)

// finding is the result of one audit of the specification GraphQL over HTTP.
type finding struct{ ID, Name, Status, Reason string }

// established are the recommendations that the wire format of this API goes against, unless
// --strict-graphql-over-http is set. docs/differences.md names them.
var established = []string{
	"SHOULD accept application/graphql-response+json and match the content-type",
	"SHOULD respond with 4xx status code if content-type is not supplied on POST requests",
	"SHOULD use 400 status code on JSON parsing failure when accepting application/json",
	"SHOULD use 400 status code on JSON parsing failure when accepting application/graphql-response+json",
	"SHOULD use 4xx or 5xx status codes on document parsing failure when accepting application/graphql-response+json",
	"SHOULD use 400 status code on document parsing failure when accepting application/graphql-response+json",
	"SHOULD use 4xx or 5xx status codes on document validation failure when accepting application/graphql-response+json",
	"SHOULD use 400 status code on document validation failure when accepting application/graphql-response+json",
	"SHOULD use a status code of 400 on variable coercion failure when accepting application/graphql-response+json",
}

func TestGraphQLOverHTTP(t *testing.T) {
	t.Parallel()
	dir := nodetest.Install(t, "testdata/graphqlhttp")
	c := newCluster(t)
	relaxed := c.startAll()
	strict := c.start(gateway, "STRICT_GRAPHQL_OVER_HTTP=true")
	for _, test := range []struct {
		name     string
		gateway  *process
		accepted []string
	}{
		{"by default", relaxed, established},
		{"strictly", strict, nil},
	} {
		var found []finding
		require.NoError(t, json.Unmarshal(nodetest.Run(t, dir, nil, "audit.mjs", test.gateway.url+"/v1/graphql", secret), &found))
		require.Greater(t, len(found), 50)
		var against []string
		for _, f := range found {
			require.NotEqual(t, "error", f.Status, "%s: %s %s: %s", test.name, f.ID, f.Name, f.Reason)
			// The audits take what one may do or not for a notice.
			if f.Status != "ok" && !strings.HasPrefix(f.Name, "MAY ") {
				against = append(against, f.Name)
			}
		}
		require.ElementsMatch(t, test.accepted, against, test.name)
	}
}
