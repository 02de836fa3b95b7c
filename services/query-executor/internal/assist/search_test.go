package assist_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/session"
	"queryengine/services/query-executor/internal/assist"
	"queryengine/services/query-executor/internal/schema"
	"queryengine/services/query-executor/internal/schema/schematest"
)

// TestSearch: words are those of people, who ask for the fields of a thing, in any number, among words that fit nothing.
func TestSearch(t *testing.T) {
	t.Parallel()
	role := schema.New(schematest.Large(3), session.Admin, schema.Options{})
	first := func(text string) assist.Hit {
		hits := assist.Search(role, text, 5)
		require.NotEmpty(t, hits, text)
		return hits[0]
	}
	price := first("table_0001 price")
	require.Equal(t, []string{"table_0001", "price", "field"}, []string{price.Of, price.Name, price.Kind})
	require.Equal(t, "price", first("what are the prices?").Name)
	require.Equal(t, "table_0002", first("table 0002").Name)
	require.Equal(t, "query", first("table 0002").Kind)
	all := assist.Search(role, "0002 price", 50)
	require.False(t, slices.ContainsFunc(all, func(h assist.Hit) bool { return h.Of == "table_0001" }), "what fits all words is alone")
	require.Empty(t, assist.Search(role, "zebra", 5))
	require.Empty(t, assist.Search(role, " ?_ ", 5))
	require.Empty(t, assist.Search(role, "How many zebras and lions do I have?", 5), "comments have such words, and names begin with them")
	require.Equal(t, "query", first("What is in the table 0002 of mine, and do I have it?").Kind)
	require.NotEmpty(t, assist.Search(role, "id", 5))
	require.Len(t, assist.Search(role, "table", 5), 5)
	require.Empty(t, assist.Search(role, strings.Repeat("zebra ", 20)+"price", 5), "the number of words is bounded")
}
