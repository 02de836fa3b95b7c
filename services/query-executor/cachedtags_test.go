package queryexecutor

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/bus/bustest"
	"queryengine/services/query-executor/internal/cache"
)

// TestPurgedAnswers: a purge removes the answers with a tag, of each document and role that has it, and no others.
func TestPurgedAnswers(t *testing.T) {
	t.Parallel()
	e := newCaching(t, 1)[0]
	store := bustest.QueryCache(t, bustest.Connect(t, bustest.Server(t)), 1<<20)
	e.cache = cache.New(cacheConfig, store, e.logger)
	queries := map[string]string{
		"one": `query @cached(tags: ["artists"]) { artist_by_pk(id: 1) { name } }`,
		"two": `query @cached(tags: ["artists", "names of all"]) { artist(order_by: {id: asc}, limit: 1) { name } }`,
		"old": `query @cached(tags: ["albums"]) { artist_by_pk(id: 1) { name } }`,
		"all": `query @cached { artist_by_pk(id: 1) { name } }`,
	}
	stale := func() (list []string) {
		for _, name := range []string{"one", "two", "old", "all"} {
			if r := fetch(t, e, "admin", queries[name], ""); !strings.Contains(r.String(), "Kit") {
				list = append(list, name)
			}
		}
		return list
	}
	require.Len(t, stale(), 4)
	runSQL(t, e, "UPDATE artist SET name = 'Kit' WHERE id = 1")
	require.Equal(t, []string{"one", "two", "old", "all"}, stale(), "nothing reports changes of this source")
	require.NoError(t, store.Purge(t.Context(), "names of all"))
	require.Equal(t, []string{"one", "old", "all"}, stale())
	require.NoError(t, store.Purge(t.Context(), "artists"))
	require.Equal(t, []string{"old", "all"}, stale())
	require.NoError(t, store.Purge(t.Context(), "unknown"))
	require.Equal(t, []string{"old", "all"}, stale())
}

// TestPurgesOvertakeAnswers: an answer that was read before a purge isn't there after it.
func TestPurgesOvertakeAnswers(t *testing.T) {
	t.Parallel()
	e := newCaching(t, 1)[0]
	store := bustest.QueryCache(t, bustest.Connect(t, bustest.Server(t)), 1<<20)
	e.cache = cache.New(cacheConfig, store, e.logger)
	const query = `query @cached(tags: ["slow"]) { artist_by_pk(id: 1) { name } }`
	before, err := e.cache.Purges(t.Context(), []string{"slow"})
	require.NoError(t, err)
	require.NoError(t, store.Purge(t.Context(), "slow"))
	key := cache.Key{Family: "f", Key: "k"}
	warning := e.cache.PutTagged(t.Context(), key, []byte("outdated"), time.Minute, []string{"slow"}, before, func() bool { return false })
	require.Equal(t, cache.StoreFailed, warning)
	_, _, found := e.cache.Get(t.Context(), key)
	require.False(t, found)
	require.True(t, fetch(t, e, "admin", query, "").cached(), "the next one is")
}

func TestTagsAreLiterals(t *testing.T) {
	t.Parallel()
	e := newCaching(t, 1)[0]
	for query, want := range map[string]string{
		`query ($t: String! = "a") @cached(tags: [$t]) { artist_by_pk(id: 1) { name } }`:   "a tag is a text of 1 to 128 bytes",
		`query ($t: [String!] = ["a"]) @cached(tags: $t) { artist_by_pk(id: 1) { name } }`: "'tags' is a list of at most 16 texts",
		`query @cached(tags: [1]) { artist_by_pk(id: 1) { name } }`:                        "a tag is a text of 1 to 128 bytes",
		`query @cached(tags: [""]) { artist_by_pk(id: 1) { name } }`:                       "a tag is a text of 1 to 128 bytes",
		`query @cached(tags: "artists") { artist_by_pk(id: 1) { name } }`:                  "'tags' is a list of at most 16 texts",
	} {
		require.ErrorContains(t, send(t, e, query, ""), want, query)
	}
	require.NoError(t, send(t, e, `query @cached(tags: []) { artist_by_pk(id: 1) { name } }`, ""))
	require.NoError(t, send(t, e, `query @cached(tags: null) { artist_by_pk(id: 1) { name } }`, ""))
}
