package queryexecutor

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/snapshot"
	"queryengine/services/query-executor/internal/parse"
)

const libraryFeature = "testdata/comments"

// tag gives the source of the fixture query tags, as a change of the metadata does.
func tag(t testing.TB, e *Executor, settings string) {
	t.Helper()
	current := e.state.Load().snapshot
	document, source := *current.Document, *current.Document.Sources[0]
	source.QueryTags = json.RawMessage(settings)
	document.Sources[0] = &source
	e.apply(&snapshot.Snapshot{Version: current.Version + 1, Document: &document, Catalogs: current.Catalogs})
}

// askAs runs an operation of an administrator and returns its answer.
func askAs(t testing.TB, e *Executor, id, text, variables string) string {
	t.Helper()
	return string(answer(t, e, &request{session: adminSession(), text: text, variables: []byte(variables), id: id}))
}

const whatRuns = `query Hello($n: Int) { now: activity(limit: $n) { query } }`

func TestStatementsSayWhatTheyAreFor(t *testing.T) {
	t.Parallel()
	e := newFixture(t, libraryFeature, Config{})
	op, err := parse.Parse(whatRuns, "", parse.Limits{})
	require.NoError(t, err)
	hash := op.Hash(nil)
	comment := "/* field_name=now, parameterized_query_hash=" + hash + ", operation_name=Hello */"
	for _, c := range []struct{ settings, before, after string }{
		{``, "", " " + comment}, // the default
		{`{"disabled": true}`, "", ""},
		{`{"format": "standard_prepended"}`, comment + " ", ""},
		{`{"format": "sqlcommenter"}`, "", " /* field_name='now',operation_name='Hello',parameterized_query_hash='" + hash + "' */"},
		{
			`{"omit_request_id": false}`, "",
			` /* request_id=a* /; DROP TABLE book; --  b, ` + strings.TrimPrefix(comment, "/* "),
		},
		{
			`{"omit_request_id": false, "format": "sqlcommenter"}`, "",
			" /* field_name='now',operation_name='Hello',parameterized_query_hash='" + hash +
				"',request_id='a%2A%2F%3B%20DROP%20TABLE%20book%3B%20--%20%00b' */",
		},
	} {
		if c.settings != "" {
			tag(t, e, c.settings)
		}
		want := regexp.QuoteMeta(`{"query":"`+c.before+`SELECT `) + `[^*]* LIMIT 1` + regexp.QuoteMeta(c.after+`"}`)
		for range 2 { // the second time, the plan is there already
			require.Regexp(t, want, askAs(t, e, "a*/; DROP TABLE book; -- \x00b", whatRuns, `{"n": 1}`))
		}
	}
	require.Contains(t, askAs(t, e, "", `{ book_aggregate { aggregate { count } } }`, ``), `"count" : 9`)
}

func TestMutationsAndSubscriptionsSayWhatTheyAreFor(t *testing.T) {
	t.Parallel()
	e := newFixture(t, libraryFeature, Config{})
	for _, text := range []string{
		`mutation Change { done: update_book(where: {id: {_eq: 1}}, _set: {id: 1}) { affected_rows } }`,
		`mutation Change { done: insert_book(objects: [{id: 101}]) { affected_rows } }`,
		`mutation Change { done: insert_book(objects: [{id: 102}], on_conflict: {constraint: book_pkey, update_columns: [id]}) { returning { id } } }`,
	} {
		require.Contains(t, askAs(t, e, "", text, ``), `{"data":{"done":`)
	}
	told := askAs(t, e, "", `{ book(where: {statement: {_is_null: false}}) { statement } }`, ``)
	require.Len(t, regexp.MustCompile(`/\* field_name=done, parameterized_query_hash=[0-9a-f]{40}, operation_name=Change \*/`).
		FindAllString(told, -1), 3, told)

	// A live query names neither requests nor operations, of which it may have many.
	tag(t, e, `{"omit_request_id": false}`)
	s, err := e.subscription(t.Context(), &request{
		session: adminSession(), text: `subscription Watch { all: activity { query } }`, id: "r1", live: true,
	})
	require.NoError(t, err)
	use, err := e.sources.Named("default")
	require.NoError(t, err)
	defer use.Release()
	live, ok := use.Source.(backend.LiveSource)
	require.True(t, ok)
	var result string
	require.NoError(t, live.QueryLive(t.Context(), s.Live.Statement, [][][]byte{s.Values}, func(_ int, roots [][]byte, _ []byte) {
		result = string(roots[0])
	}))
	require.Regexp(t, ` /\* field_name=all, parameterized_query_hash=[0-9a-f]{40} \*/"}]$`, result)
	require.NotContains(t, s.Live.Statement.SQL(), "/*", "subscribers are distinguished without it")
}

// TestCommentsKeepStatementsPrepared runs operations that differ in their values.
func TestCommentsKeepStatementsPrepared(t *testing.T) {
	t.Parallel()
	e := newFixture(t, libraryFeature, Config{})
	prepared := func() int {
		var answer struct {
			Data struct{ Prepared []struct{ Statement string } }
		}
		require.NoError(t, json.Unmarshal([]byte(askAs(t, e, "", `{ prepared { statement } }`, ``)), &answer))
		n := 0
		for _, p := range answer.Data.Prepared { // the engine also asks how statements are to be planned
			if strings.Contains(p.Statement, `"book"`) {
				n++
			}
		}
		return n
	}
	run := func() {
		for n := range 20 {
			ids := strings.Repeat(strconv.Itoa(n)+",", n+1)
			askAs(t, e, "request-"+strconv.Itoa(n), `query ($ids: [Int!]!) { book(where: {id: {_in: $ids}}) { id } }`, `{"ids": [`+ids+`1]}`)
		}
	}
	before := prepared()
	run()
	require.Equal(t, before+1, prepared(), "one statement, whatever the lengths of lists")
	tag(t, e, `{"omit_request_id": false}`)
	run()
	require.LessOrEqual(t, prepared(), before+2, "texts that don't come twice aren't kept")
}

// BenchmarkComments runs a row by its key with each kind of comment.
func BenchmarkComments(b *testing.B) {
	for name, settings := range map[string]string{
		"none": `{"disabled": true}`, "default": `{}`, "request id": `{"omit_request_id": false}`,
	} {
		b.Run(name, func(b *testing.B) {
			e := newFixture(b, libraryFeature, Config{})
			tag(b, e, settings)
			for b.Loop() {
				askAs(b, e, "5a0c6a54-5c1f-4b5c-9f0e-2f6f5a3b7a10", `query One { book_by_pk(id: 1) { id statement } }`, ``)
			}
		})
	}
}
