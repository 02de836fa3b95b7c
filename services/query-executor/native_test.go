package queryexecutor

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// hostile are texts that would mean something if they became a part of a statement.
var hostile = []string{
	`' OR true --`, `'; DROP TABLE article; --`, `$1`, `$$; DROP TABLE article; $$`, `\'`, `"`, `{{start}}`, `}}`, "/*", "--", "x%'", `E'\'`,
	`') OR ('1'='1`, "x\ny",
}

func TestArgumentsOfNativeQueriesAreValuesOnly(t *testing.T) {
	t.Parallel()
	e := newFixture(t, "testdata/cases/native", Config{})
	ask := func(query string, variables any) string {
		encoded, err := json.Marshal(variables)
		require.NoError(t, err)
		return string(answer(t, e, &request{session: adminSession(), text: query, variables: encoded}))
	}
	for _, text := range hostile {
		spelt, err := json.Marshal(text)
		require.NoError(t, err)
		const none = `{"data":{"excerpts":[]}}`
		require.JSONEq(t, none, ask(`{ excerpts(args: {start: `+string(spelt)+`}) { id } }`, nil), text)
		require.JSONEq(t, none, ask(`query ($a: String) { excerpts(args: {start: $a}) { id } }`, map[string]any{"a": text}), text)
		require.JSONEq(t, none, ask(`query ($a: excerpts_arguments) { excerpts(args: $a) { id } }`, map[string]any{"a": map[string]any{"start": text}}), text)
		for _, query := range []string{
			`query ($a: Int!) { long_articles(args: {least: $a}) { id } }`, `query ($a: mood) { portraits(args: {mood: $a}) { name } }`,
			`query ($a: [Int!]!) { several(args: {ids: $a}) { id } }`,
		} {
			require.Contains(t, ask(query, map[string]any{"a": text}), `"code":"`, "%s %s", query, text)
		}
	}
	require.JSONEq(t, `{"data":{"article_aggregate":{"aggregate":{"count":4}}}}`, ask(`{ article_aggregate { aggregate { count } } }`, nil))
}

// An explanation shows values in the text: they are still only values.
func TestExplainedNativeQuery(t *testing.T) {
	t.Parallel()
	e := newFixture(t, "testdata/cases/native", Config{})
	s := e.borrow()
	defer e.giveBack(s)
	r, err := e.prepare(t.Context(), &request{session: adminSession(), text: `{ excerpts(args: {start: "it's"}) { id } }`}, s)
	require.NoError(t, err)
	body, err := r.plan.Explain(t.Context(), &s.run)
	require.NoError(t, err)
	require.Contains(t, string(body), `WHERE title LIKE ('it''s'::text) || '%'`)
}
