package queryexecutor

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/session"
)

// TestIntrospectionAllocatesWhatItWrites holds that a short document that selects the same types
// repeatedly allocates memory for the written answer, and not for each type again: a few times the
// bytes of the answer.
func TestIntrospectionAllocatesWhatItWrites(t *testing.T) { //nolint:paralleltest // it measures the whole process
	e := newFixture(t, "testdata/cases/mutations", Config{MaxTokens: maxTokens})
	w := newCostWorld(t, e, session.Admin)
	for _, fields := range []string{
		"types{kind}", "types{fields{isDeprecated}}", "types{fields{args{isDeprecated}}}", "types{fields{args{type{kind}}}}",
		"types{fields{type{ofType{fields{isDeprecated}}}}}", "types{inputFields{type{inputFields{isDeprecated}}}}", "types{enumValues{name}}",
	} {
		accepted := false
		for n := 100; !accepted; n /= 2 {
			require.Positive(t, n, fields)
			var got work
			got, accepted = w.ask(t.Context(), "{__schema{"+numbered(n, "a%d:"+fields+" ")+"}}", "")
			require.True(t, !accepted || got.introspected > 700_000, "%s: %d bytes", fields, got.introspected)
			require.LessOrEqual(t, got.allocated, 12*max(got.introspected, 2<<20), fields)
		}
	}
}

// TestIntrospectionIsKeptByVersion holds that the second answer to a document costs a copy, and that a
// change of the metadata is seen.
func TestIntrospectionIsKeptByVersion(t *testing.T) { //nolint:paralleltest // it measures the whole process
	e := newFixture(t, "testdata/cases/mutations", Config{MaxTokens: maxTokens})
	w := newCostWorld(t, e, session.Admin) // which sends what is sent here
	anew := testing.AllocsPerRun(3, func() {
		e.introspections.Clear()
		w.ask(t.Context(), introspectionQuery, "")
	})
	again := testing.AllocsPerRun(3, func() { w.ask(t.Context(), introspectionQuery, "") })
	require.Less(t, again, anew/10)

	names := &request{session: adminSession(), text: `query ($n: String!) { __schema { types { name } } __type(name: $n) { name } }`, variables: []byte(`{"n": "artist"}`)}
	before := string(answer(t, e, names))
	require.Contains(t, before, `"__type":{"name":"artist"}`)
	require.Equal(t, before, string(answer(t, e, names)))
	other := *names
	other.variables = []byte(`{"n": "nothing"}`)
	require.Contains(t, string(answer(t, e, &other)), `"__type":null`, "the variable is part of the key")
	clerk := *names
	clerk.session = &session.Session{Role: "nobody", Variables: map[string]string{session.RoleHeader: "nobody"}}
	require.NotEqual(t, before, string(answer(t, e, &clerk)))

	next := *e.state.Load().snapshot
	document := *next.Document
	document.Sources = nil
	next.Document, next.Version = &document, next.Version+1
	e.apply(&next)
	require.NotContains(t, string(answer(t, e, names)), `"artist"`)
}
