package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/dbtest"
	"queryengine/pkg/oracle"
	"queryengine/pkg/testlong"
	"queryengine/services/engine"
)

// identifyModel takes a token for a role of a random model.
func identifyModel(_ context.Context, header http.Header) (engine.Identity, error) {
	role, ok := strings.CutPrefix(header.Get("Authorization"), "Bearer ")
	if !ok {
		return engine.Identity{}, engine.ErrUnauthorized
	}
	return engine.Identity{Role: role, Variables: map[string]string{"number": "2", "word": "b", "list": "{1,2,4}"}}, nil
}

// rights compares what a role of a random model gets from /mcp with what it gets from GraphQL.
type rights struct {
	*mounted
	seed  uint64
	model *oracle.Model
	// queries are operations of each role. All are tools, whose names are their places in the list.
	queries []question
	asked   int
}

// question is an operation with its right answer, nil when several are right.
type question struct {
	*oracle.Query
	answer any
}

// TestAssistantsSeeWhatGraphQLShows: in random databases, random roles get no cell, name or comment from /mcp that GraphQL
// doesn't show them, and what a role can't see changes nothing of what its assistant hears.
func TestAssistantsSeeWhatGraphQLShows(t *testing.T) {
	t.Parallel()
	places(t, func(t *testing.T, apart bool) {
		role := dbtest.Role(t)
		m := mountWith(t, apart, []string{"--enable-mcp", "--mcp-discovery", "search_schema,describe_type,run_query,explain,resources", "--mcp-answer-size", "10000"}, engine.Authenticate(identifyModel))
		first := testlong.Seed(t, 45)
		asked := 0
		for i := range uint64(testlong.Of(2, 20)) {
			r := &rights{mounted: m, seed: first + i, model: oracle.New(first+i, oracle.PostgreSQL)}
			if i%2 == 1 { // policies of the database hide the rows
				r.model.Police(role)
			}
			r.load("")
			heard := map[string]string{}
			for _, role := range r.model.Roles {
				if role != oracle.Admin {
					heard[role] = r.hear(role)
				}
			}
			r.load(r.hidden())
			for role, before := range heard {
				require.Equal(t, before, r.hear(role), "schema %d, role %s: what the role can't see changes answers", r.seed, role)
			}
			asked += r.asked
		}
		t.Logf("%d answers are those of GraphQL", asked)
		require.Greater(t, asked, 100)
	})
}

// hidden are statements that add what no role sees.
func (r *rights) hidden() string {
	var b strings.Builder
	b.WriteString(`CREATE TABLE vault (id int PRIMARY KEY, secret text); COMMENT ON TABLE vault IS 'hidden things'; INSERT INTO vault VALUES (1, 'hidden');`)
	for _, t := range r.model.Tables {
		fmt.Fprintf(&b, `DO $$ BEGIN IF (SELECT relkind FROM pg_class WHERE oid = '%q'::regclass) = 'r' THEN
			ALTER TABLE %q ADD hidden_column int REFERENCES vault DEFAULT 1; COMMENT ON COLUMN %q.hidden_column IS 'hidden number'; END IF; END $$;`, t.Name, t.Name, t.Name)
	}
	return b.String()
}

// load replaces the content and metadata of the engine by those of the model, with more that no role sees.
func (r *rights) load(hidden string) {
	r.t.Helper()
	sql := "DROP SCHEMA public CASCADE; CREATE SCHEMA public;\n" + r.model.SQL()
	for _, t := range r.model.Tables {
		for _, c := range t.Columns {
			sql += fmt.Sprintf("COMMENT ON COLUMN %q.%q IS 'about %s in %s';\n", t.Name, c.Name, c.Name, t.Name)
		}
	}
	r.sql(sql)
	r.sql(hidden)
	var document map[string]any
	raw := strings.ReplaceAll(string(r.model.Metadata()), `{"from_env":"DATABASE"}`, quoted(r.source))
	require.NoError(r.t, json.Unmarshal([]byte(raw), &document))
	source, _ := document["sources"].([]any)[0].(map[string]any) //nolint:forcetypeassert // made by the model
	tables, _ := source["tables"].([]any)
	for i, t := range r.model.Tables {
		columns := []string{}
		for _, c := range t.Columns {
			columns = append(columns, c.Name)
		}
		updates, _ := tables[i].(map[string]any)["update_permissions"].([]any) //nolint:forcetypeassert // see above
		for _, u := range updates {
			permission := u.(map[string]any)["permission"] //nolint:forcetypeassert // see above
			rules, several := permission.([]any)
			if !several {
				rules = []any{permission}
			}
			for _, rule := range rules {
				rule.(map[string]any)["columns"] = columns //nolint:forcetypeassert // instead of "*", which has hidden ones
			}
		}
	}
	r.queries = nil
	tools := []any{}
	add := func(name, query, description string) {
		tools = append(tools, map[string]any{"name": name, "query": query, "tool": map[string]any{"title": name, "description": description}})
	}
	for _, role := range r.model.Roles {
		for n := range uint64(3) {
			if q := r.model.Ask(role, n); q != nil {
				add(fmt.Sprintf("tool_%d", len(r.queries)), q.Text, "for "+role)
				answer, err := q.Answer() // while the model has the session of the role
				if err != nil {
					require.ErrorIs(r.t, err, oracle.ErrAmbiguous)
				}
				r.queries = append(r.queries, question{q, answer})
			}
		}
	}
	if hidden != "" {
		source, _ := document["sources"].([]any)[0].(map[string]any)                          //nolint:forcetypeassert // made by the model
		source["tables"] = append(source["tables"].([]any), map[string]any{"table": "vault"}) //nolint:forcetypeassert // see above
		add("hidden_tool", "{ vault { secret } }", "a hidden tool")
		add("tool_000", "{ vault { secret } }", "another one")
	}
	document["query_collections"] = []any{map[string]any{"name": "tools", "definition": map[string]any{"queries": tools}}}
	body, err := json.Marshal(map[string]any{"type": "replace_metadata", "args": map[string]any{"metadata": document}})
	require.NoError(r.t, err)
	status, answer := r.post("/v1/metadata", string(body), admin)
	require.Equal(r.t, http.StatusOK, status, "schema %d: %s", r.seed, answer)
	require.NotContains(r.t, answer, `"is_consistent":false`, "schema %d", r.seed)
}

func quoted(text string) string {
	b, _ := json.Marshal(text) // a string can always be encoded
	return string(b)
}

// names are names and comments of a schema.
var names = regexp.MustCompile(`"""(?s:.*?)"""|"(?:[^"\\]|\\.)*"|[A-Za-z_][A-Za-z0-9_]*`)

// inQuotes are names in errors.
var inQuotes = regexp.MustCompile(`'([A-Za-z_][A-Za-z0-9_]*)'`)

const introspection = `{ __schema { directives { name description args { name description } } types { kind name description
	fields(includeDeprecated: true) { name description type { name } args { name description } } inputFields { name description } enumValues(includeDeprecated: true) { name description } } } }`

// hear is all that an assistant of the role hears, each part compared with GraphQL.
func (r *rights) hear(role string) string {
	r.t.Helper()
	header := map[string]string{"Authorization": "Bearer " + role}
	about := fmt.Sprintf("schema %d, role %s", r.seed, role)
	s := r.assistant(role)
	var heard strings.Builder
	call := func(tool string, arguments any) (string, bool) {
		r.t.Helper()
		text, failed := callTool(r.t, s, tool, arguments)
		fmt.Fprintf(&heard, "%s %v: %v %s\n", tool, arguments, failed, text)
		return text, failed
	}
	shown := r.query(introspection, header)
	known := map[string]bool{}
	for _, text := range texts(r.t, shown) {
		known[text] = true
	}

	// Discovery.
	schema, err := s.ReadResource(r.t.Context(), &mcp.ReadResourceParams{URI: "engine://schema"})
	require.NoError(r.t, err, about)
	heard.WriteString(schema.Contents[0].Text)
	r.requireKnown(known, schema.Contents[0].Text, about)
	for resource, err := range s.Resources(r.t.Context(), nil) {
		require.NoError(r.t, err, about)
		fmt.Fprintln(&heard, resource.URI, resource.Name, resource.Description)
		require.True(r.t, resource.URI == "engine://schema" || known[resource.Name] && known[resource.Description], "%s: %+v", about, resource)
	}
	words := map[string]bool{"vault": true, "secret": true, "hidden": true, "hidden_column": true, "about": true}
	for _, t := range r.model.Tables {
		words[t.Name] = true
		for _, c := range t.Columns {
			words[c.Field] = true
		}
	}
	for _, word := range slices.Sorted(maps.Keys(words)) {
		found, failed := call("search_schema", map[string]any{"text": word, "limit": 50})
		require.False(r.t, failed, about)
		var hits []struct{ Of, Name, Type, Description string }
		require.NoError(r.t, json.Unmarshal([]byte(found), &hits), about)
		for _, h := range hits {
			require.True(r.t, known[h.Name] && (h.Of == "" || known[h.Of]) && (h.Description == "" || known[h.Description]), "%s: %+v", about, h)
			r.requireKnown(known, h.Type, about)
		}
		described, _ := call("describe_type", map[string]any{"name": word})
		if !strings.HasPrefix(described, "no type is called") {
			r.requireKnown(known, described, about)
		}
		resource, err := s.ReadResource(r.t.Context(), &mcp.ReadResourceParams{URI: "engine://types/" + word})
		if err == nil {
			require.Equal(r.t, described, resource.Contents[0].Text, about)
		}
	}

	// Tools: those whose documents GraphQL answers.
	listed := map[string]bool{}
	for tool, err := range s.Tools(r.t.Context(), nil) {
		require.NoError(r.t, err, about)
		line, err := json.Marshal(tool)
		require.NoError(r.t, err)
		heard.Write(line)
		listed[tool.Name] = true
	}
	require.False(r.t, listed["hidden_tool"], about)
	for i, q := range r.queries {
		name := fmt.Sprintf("tool_%d", i)
		body, err := json.Marshal(map[string]any{"query": q.Text, "variables": json.RawMessage(q.Variables)})
		require.NoError(r.t, err)
		ask := func() string {
			_, answer := r.post("/v1/graphql", string(body), header)
			return answer
		}
		refused := strings.Contains(ask(), "validation-failed")
		require.True(r.t, refused || listed[name], "%s, %s", about, q.Text)
		right := q.answer
		if q.Role != role {
			right = nil
		}
		fmt.Fprintf(&heard, "run_query %s: %s\n", q.Text, r.sameAs(ask, right, func() (string, bool) {
			return callTool(r.t, s, "run_query", map[string]any{"query": q.Text, "variables": json.RawMessage(q.Variables)})
		}, about+": "+q.Text))
		if listed[name] {
			text := r.sameAs(ask, right, func() (string, bool) { return callTool(r.t, s, name, json.RawMessage(q.Variables)) }, about+": "+q.Text)
			fmt.Fprintf(&heard, "%s: %s\n", name, text)
			for _, named := range inQuotes.FindAllStringSubmatch(text, -1) {
				require.True(r.t, !refused || known[named[1]] || strings.Contains(string(q.Variables), named[1]), "%s: %s names what the document has", about, text)
			}
		} else {
			r.requireUnknown(s, name)
		}
		r.asked++
	}
	r.requireUnknown(s, "hidden_tool")
	return heard.String()
}

// requireUnknown holds that a tool is refused as one that doesn't exist.
func (r *rights) requireUnknown(s *mcp.ClientSession, name string) {
	r.t.Helper()
	_, err := s.CallTool(r.t.Context(), &mcp.CallToolParams{Name: name})
	require.ErrorContains(r.t, err, "there is no tool "+name)
}

// requireKnown holds that a text has no name and no comment besides those of the introspection.
func (r *rights) requireKnown(known map[string]bool, text, about string) {
	r.t.Helper()
	for _, word := range names.FindAllString(text, -1) {
		switch {
		case strings.HasPrefix(word, `"""`):
			word = strings.TrimSpace(strings.ReplaceAll(strings.Trim(word, `"`), `\"""`, `"""`))
		case strings.HasPrefix(word, `"`):
			require.NoError(r.t, json.Unmarshal([]byte(word), &word))
		}
		require.True(r.t, known[word] || keywords[word], "%s: %q isn't in the introspection", about, word)
	}
}

var keywords = map[string]bool{
	"schema": true, "query": true, "mutation": true, "subscription": true, "type": true, "input": true, "enum": true, "scalar": true, "interface": true,
	"union": true, "implements": true, "directive": true, "on": true, "repeatable": true, "true": true, "false": true, "null": true,
}

// sameAs holds that a tool answers as GraphQL does, and right, and returns the errors. Where the order of rows is open, the database
// may have changed its mind between the two: they get three tries.
func (r *rights) sameAs(ask func() string, right any, call func() (string, bool), about string) string {
	r.t.Helper()
	for try := 1; ; try++ {
		answer := ask()
		text, failed := call()
		var graphql struct {
			Data   json.RawMessage
			Errors []struct{ Message string }
		}
		require.NoError(r.t, json.Unmarshal([]byte(answer), &graphql), about)
		require.Equal(r.t, len(graphql.Errors) > 0, failed, "%s\n%s\n%s", about, answer, text)
		switch {
		case failed:
			for _, e := range graphql.Errors {
				require.Contains(r.t, text, e.Message, about)
			}
			return text
		case right != nil:
			require.Empty(r.t, oracle.Differs(right, []byte(answer)), "%s\n%s", about, answer)
			require.Empty(r.t, oracle.Differs(right, []byte(`{"data":`+text+`}`)), "%s\n%s", about, text)
			return ""
		case string(graphql.Data) == text:
			return ""
		case try == 3:
			require.Equal(r.t, string(graphql.Data), text, about)
		}
	}
}

// texts are all strings of a JSON document.
func texts(t testing.TB, document string) []string {
	t.Helper()
	var list []string
	decoder := json.NewDecoder(bytes.NewReader([]byte(document)))
	for {
		token, err := decoder.Token()
		if err != nil {
			require.ErrorContains(t, errors.Join(err), "EOF")
			return list
		}
		if text, ok := token.(string); ok {
			list = append(list, strings.TrimSpace(text))
		}
	}
}
