package queryexecutor

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/session"
)

// TestIntrospectionAllocatesWhatItWrites holds that a short document that has the same types
// written again and again makes memory be allocated for what is written, and not for each type
// anew: a few times the bytes of the answer.
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
