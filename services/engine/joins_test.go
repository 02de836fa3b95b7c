package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/graphql-go/graphql"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/dbtest"
	"queryengine/pkg/testlong"
	"queryengine/services/engine"
	"queryengine/services/query-executor/jointest"
)

// made is an object that the action of a world answers with.
type made struct {
	ID     int     `json:"id"`
	Number *int    `json:"number"`
	Word   *string `json:"word"`
}

// asked are the arguments of an action that runs an operation.
type asked struct {
	Query     string          `json:"query"`
	Variables json.RawMessage `json:"variables"`
}

// TestRandomJoinsInGo joins tables with schemas and an action in Go in all directions, under random permissions. Random
// operations of each role get the answers of an oracle that sees what the role may see, by every way in.
func TestRandomJoinsInGo(t *testing.T) {
	t.Parallel()
	places(t, func(t *testing.T, apart bool) {
		for seed := range uint64(testlong.Of(3, 10)) { //nolint:gosec // G115: not negative
			t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
				t.Parallel()
				requireWorld(t, apart, seed)
			})
		}
	})
}

func requireWorld(t *testing.T, apart bool, seed uint64) {
	t.Helper()
	w := jointest.New(seed)
	alpha, err := w.AlphaSchema()
	require.NoError(t, err)
	beta, err := w.BetaSchema()
	require.NoError(t, err)
	m := mountWith(t, apart, []string{"--enable-remote-schema-permissions", "--enable-mcp", "--mcp-allow-admin"},
		engine.Authenticate(func(_ context.Context, header http.Header) (engine.Identity, error) {
			role := strings.TrimPrefix(header.Get("Authorization"), "Bearer ")
			return engine.Identity{Role: role, Variables: map[string]string{"most": strconv.Itoa(w.Most)}}, nil
		}),
		engine.RemoteSchema(jointest.Alpha, alpha), engine.RemoteSchema(jointest.Beta, beta),
		engine.Action(jointest.Maker, func(_ context.Context, in struct {
			IDs []int `json:"ids"`
		},
		) ([]made, error) {
			list := make([]made, len(in.IDs))
			for i, id := range in.IDs {
				list[i] = made(*w.Rows[jointest.Maker][id-1])
			}
			return list, nil
		}, engine.Query()),
		engine.Action("ask", func(ctx context.Context, in asked) (string, error) {
			var data json.RawMessage
			err := engine.ClientOf(ctx).Run(ctx, in.Query, in.Variables, &data)
			return string(data), err
		}, engine.Query()))
	at := map[string]string{
		jointest.Left: m.source, jointest.Right: dbtest.URL(t),
		jointest.Alpha: "go://" + jointest.Alpha, jointest.Beta: "go://" + jointest.Beta, jointest.Maker: "go://" + jointest.Maker,
	}
	for _, place := range []string{jointest.Left, jointest.Right} {
		create, err := w.SQL(place, "postgres")
		require.NoError(t, err)
		m.source = at[place]
		m.sql(create)
	}
	document, err := w.Metadata("postgres", at)
	require.NoError(t, err)
	m.metadata(`{"type":"replace_metadata","args":` + string(document) + `}`)
	m.metadata(`{"type":"create_action","args":{"name":"ask","definition":{"type":"query","handler":"go://ask","output_type":"String!","arguments":[{"name":"query","type":"String!"},{"name":"variables","type":"jsonb"}]}}}`)
	m.metadata(`{"type":"create_action_permission","args":{"action":"ask","role":"` + jointest.User + `"}}`)
	as := func(role string) map[string]string {
		return map[string]string{"X-Engine-Admin-Secret": secret, "X-Engine-Role": role, "X-Engine-Most": strconv.Itoa(w.Most)}
	}
	for _, hidden := range []string{`{ alpha_nodes { word } }`, `{ left_node { alpha_words { id } } }`, `{ right_node { alpha_path { id } } }`, `{ beta { items { beta_grid { id } } } }`} {
		require.Contains(t, m.query(hidden, as(jointest.User)), "validation-failed", hidden)
	}
	assistants := map[string]*mcp.ClientSession{jointest.Admin: m.assistant(jointest.Admin), jointest.User: m.assistant(jointest.User)}
	for n := range uint64(testlong.Of(25, 100)) { //nolint:gosec // G115: not negative
		for _, role := range []string{jointest.Admin, jointest.User} {
			q := w.Ask(role, n)
			for door, answer := range m.ask(q.Text, q.Variables, as(role), assistants[role]) {
				require.JSONEq(t, string(q.Answer), answer, "world %d, role %s, question %d, by %s: %s", seed, role, n, door, q)
			}
		}
	}
}

// ask returns the answers to an operation by the ways in.
func (m *mounted) ask(query string, variables []byte, header map[string]string, assistant *mcp.ClientSession) map[string]string {
	m.t.Helper()
	body := func(query string, variables any) string {
		text, err := json.Marshal(map[string]any{"query": query, "variables": variables})
		require.NoError(m.t, err)
		return string(text)
	}
	var batch []json.RawMessage
	var nested struct{ Data struct{ Ask string } }
	one := body(query, json.RawMessage(variables))
	_, plain := m.post("/v1/graphql", one, header)
	_, several := m.post("/v1/graphql", "["+one+"]", header)
	require.NoError(m.t, json.Unmarshal([]byte(several), &batch), several)
	_, inner := m.post("/v1/graphql", body(`query ($q: String!, $v: jsonb) { ask(query: $q, variables: $v) }`,
		map[string]any{"q": query, "v": json.RawMessage(variables)}), header)
	require.NoError(m.t, json.Unmarshal([]byte(inner), &nested), inner)
	require.NotEmpty(m.t, nested.Data.Ask, inner)
	tool, _ := callTool(m.t, assistant, "run_query", map[string]any{"query": query, "variables": json.RawMessage(variables)})
	return map[string]string{
		"POST": plain, "a batch": string(batch[0]),
		"the client of a handler": `{"data":` + nested.Data.Ask + `}`, "an assistant": `{"data":` + tool + `}`,
	}
}

// TestLargeKeysInGo joins by keys of the type bigint, which are numbers or text, in both directions.
func TestLargeKeysInGo(t *testing.T) {
	t.Parallel()
	type none struct{}
	type found struct {
		Key int64 `json:"key"`
	}
	for _, settings := range [][]string{nil, {"--stringify-numeric-types"}} {
		schema, err := graphql.NewSchema(graphql.SchemaConfig{Query: graphql.NewObject(graphql.ObjectConfig{Name: "Query", Fields: graphql.Fields{
			"plain": &graphql.Field{Type: graphql.String, Args: graphql.FieldConfigArgument{"key": {Type: graphql.NewNonNull(graphql.ID)}}, Resolve: func(p graphql.ResolveParams) (any, error) {
				return fmt.Sprint(p.Args["key"]), nil
			}},
			"small": &graphql.Field{Type: graphql.String, Args: graphql.FieldConfigArgument{"key": {Type: graphql.NewNonNull(graphql.Int)}}, Resolve: func(p graphql.ResolveParams) (any, error) {
				return fmt.Sprint(p.Args["key"]), nil
			}},
		}})})
		require.NoError(t, err)
		m := mountWith(t, false, settings, engine.RemoteSchema("keys", schema),
			engine.Action("find", func(context.Context, none) (found, error) { return found{9007199254740993}, nil }, engine.Query()))
		m.sql(`CREATE TABLE keys (key bigint PRIMARY KEY, small bigint NOT NULL DEFAULT 7); INSERT INTO keys VALUES (9007199254740993)`)
		m.metadata(`{"type":"pg_track_table","args":{"table":"keys"}}`)
		m.metadata(`{"type":"add_remote_schema","args":{"name":"keys","definition":{"url":"go://keys"}}}`)
		for _, c := range [][2]string{{"plain", "key"}, {"small", "small"}} {
			m.metadata(fmt.Sprintf(`{"type":"pg_create_remote_relationship","args":{"source":"default","table":"keys","name":"remote_%s","definition":{"to_remote_schema":{"remote_schema":"keys","lhs_fields":[%q],"remote_field":{%q:{"arguments":{"key":"$%s"}}}}}}}`, c[0], c[1], c[0], c[1]))
		}
		m.metadata(`{"type":"set_custom_types","args":{"scalars":[{"name":"bigint"}],"objects":[{"name":"Found","fields":[{"name":"key","type":"bigint!"}],"relationships":[{"name":"row","type":"object","remote_table":"keys","field_mapping":{"key":"key"}}]}]}}`)
		m.metadata(`{"type":"create_action","args":{"name":"find","definition":{"type":"query","handler":"go://find","output_type":"Found!"}}}`)
		require.JSONEq(t, `{"data":{"keys":[{"remote_plain":"9007199254740993","remote_small":"7"}]}}`, m.query(`{ keys { remote_plain remote_small } }`, admin), settings)
		require.JSONEq(t, `{"data":{"find":{"row":{"small":7}}}}`, strings.ReplaceAll(m.query(`{ find { row { small } } }`, admin), `"7"`, `7`), settings)
	}
}
