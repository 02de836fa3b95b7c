package queryexecutor

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/bus/bustest"
	"queryengine/pkg/metadata"
	"queryengine/pkg/session"
	"queryengine/pkg/telemetry"
	queryv1 "queryengine/proto/query/v1"
	"queryengine/services/query-executor/internal/cache"
	"queryengine/services/query-executor/internal/plan"
	plananswer "queryengine/services/query-executor/internal/plan/answer"
	"queryengine/services/query-executor/internal/plan/write"
)

var cacheConfig = cache.Config{MaxTTL: time.Hour, MaxEntry: 1000, Budget: 1 << 20}

// newCaching are executors that share nothing but the cache: each has a database of its own.
func newCaching(t *testing.T, n int) []*Executor {
	t.Helper()
	server := bustest.Server(t)
	list := make([]*Executor, n)
	for i := range list {
		list[i] = newFixture(t, "testdata/cases/shop", Config{})
		list[i].cache = cache.New(cacheConfig, bustest.QueryCache(t, bustest.Connect(t, server), 1<<20), telemetry.Discard())
	}
	return list
}

// reply is an answer as a gateway gets it.
type reply struct {
	headers map[string]string
	bytes.Buffer
}

func (r *reply) SetHead(m proto.Message) {
	head, _ := m.(*queryv1.ExecuteHead)
	r.headers = map[string]string{}
	for _, h := range head.GetHeaders() {
		r.headers[h.GetName()] = h.GetValue()
	}
}

func (r *reply) cached() bool { return r.headers["Cache-Control"] != "" }

func (r *reply) key() string { return r.headers["X-Engine-Query-Cache-Key"] }

// fetch is one request; variables is JSON, session are pairs.
func fetch(t *testing.T, e *Executor, role, query, variables string, pairs ...string) *reply {
	t.Helper()
	s := &session.Session{Role: role, Variables: map[string]string{session.RoleHeader: role}}
	for i := 0; i+1 < len(pairs); i += 2 {
		s.Variables[pairs[i]] = pairs[i+1]
	}
	r := &reply{}
	require.NoError(t, e.execute(t.Context(), &queryv1.ExecuteRequest{Session: s.Proto(), Query: query, Variables: []byte(variables)}, r))
	return r
}

func TestAnswersAreShared(t *testing.T) {
	t.Parallel()
	const query = `query @cached { artist(order_by: {id: asc}, limit: 1) { name } }`
	e := newCaching(t, 2)
	first := fetch(t, e[0], "admin", query, "")
	require.JSONEq(t, `{"data":{"artist":[{"name":"Kim"}]}}`, first.String())
	require.Equal(t, "max-age=60", first.headers["Cache-Control"])
	runSQL(t, e[1], "UPDATE artist SET name = 'Kit' WHERE id = 1")
	second := fetch(t, e[1], "admin", "\n"+query+" ", "")
	require.Equal(t, first.String(), second.String(), "the other executor's answer")
	require.Equal(t, first.key(), second.key())
	require.True(t, second.cached())

	fresh := fetch(t, e[1], "admin", `query { artist(order_by: {id: asc}, limit: 1) { name } }`, "")
	require.JSONEq(t, `{"data":{"artist":[{"name":"Kit"}]}}`, fresh.String(), "without the directive")
	require.Empty(t, fresh.headers)
	other := fetch(t, e[1], "admin", `query @cached { artist(limit: 1, order_by: {id: asc}) { name } }`, "")
	require.JSONEq(t, `{"data":{"artist":[{"name":"Kit"}]}}`, other.String(), "the order of arguments counts")
}

func TestRefreshAndTTL(t *testing.T) {
	t.Parallel()
	e := newCaching(t, 1)[0]
	const plain = `query @cached { artist_by_pk(id: 1) { name } }`
	const refresh = `query @cached(refresh: true, ttl: 10) { artist_by_pk(id: 1) { name } }`
	const byVariable = `query ($ttl: Int! = 100000) @cached(ttl: $ttl) { artist_by_pk(id: 1) { name } }`
	require.Equal(t, "max-age=60", fetch(t, e, "admin", plain, "").headers["Cache-Control"])
	require.Equal(t, "max-age=10", fetch(t, e, "admin", refresh, "").headers["Cache-Control"])
	require.Equal(t, "max-age=3600", fetch(t, e, "admin", byVariable, "").headers["Cache-Control"], "the limit of the server")
	runSQL(t, e, "UPDATE artist SET name = 'Kit' WHERE id = 1")
	require.JSONEq(t, `{"data":{"artist_by_pk":{"name":"Kim"}}}`, fetch(t, e, "admin", plain, "").String())
	require.JSONEq(t, `{"data":{"artist_by_pk":{"name":"Kit"}}}`, fetch(t, e, "admin", refresh, "").String())
	require.JSONEq(t, `{"data":{"artist_by_pk":{"name":"Kit"}}}`, fetch(t, e, "admin", plain, "").String(), "it took the place")
	require.JSONEq(t, `{"data":{"artist_by_pk":{"name":"Kim"}}}`, fetch(t, e, "admin", byVariable, "").String())
	none := fetch(t, e, "admin", byVariable, `{"ttl":0}`)
	require.JSONEq(t, `{"data":{"artist_by_pk":{"name":"Kit"}}}`, none.String())
	require.False(t, none.cached())
	require.NotEmpty(t, none.key())
	require.False(t, fetch(t, e, "admin", byVariable, `{"ttl":0}`).cached())
}

func TestAnswersBelongToWhoMaySeeThem(t *testing.T) {
	t.Parallel()
	e := newCaching(t, 1)[0]
	const query = `query @cached { artist { name } }`
	seven := fetch(t, e, "manager", query, "", "x-engine-user-id", "7", "x-engine-other", "a")
	require.JSONEq(t, `{"data":{"artist":[{"name":"Kim"}]}}`, seven.String())
	eight := fetch(t, e, "manager", query, "", "x-engine-user-id", "8", "x-engine-other", "a")
	require.JSONEq(t, `{"data":{"artist":[{"name":"Lou"}]}}`, eight.String())
	require.Equal(t, seven.headers["X-Engine-Query-Family-Cache-Key"], eight.headers["X-Engine-Query-Family-Cache-Key"])
	require.Equal(t, seven.key(), fetch(t, e, "manager", query, "", "x-engine-user-id", "7", "x-engine-other", "b").key(),
		"a variable that the plan doesn't use")
	require.NotEqual(t, seven.key(), fetch(t, e, "clerk", query, "").key())
	// A function that takes the whole session may use any of it.
	const whole = `query @cached { artist(limit: 1) { whoami } }`
	require.NotEqual(t, fetch(t, e, "clerk", whole, "", "x-engine-other", "a").key(), fetch(t, e, "clerk", whole, "", "x-engine-other", "b").key())
	// Variables of the query count, however they are spelt.
	const one = `query ($id: Int!, $unused: Int) @cached { artist_by_pk(id: $id) { name } }`
	require.NotEqual(t, fetch(t, e, "admin", one, `{"id":1}`).key(), fetch(t, e, "admin", one, `{"id":2}`).key())
	require.Equal(t, fetch(t, e, "admin", one, `{"id":1}`).key(), fetch(t, e, "admin", one, `{ "id" : 1 }`).key())
}

func TestAChangedPermissionCountsAtOnce(t *testing.T) {
	t.Parallel()
	e := newCaching(t, 1)[0]
	const query = `query @cached(ttl: 3600) { artist(order_by: {id: asc}) { id } }`
	require.JSONEq(t, `{"data":{"artist":[{"id":1},{"id":2}]}}`, fetch(t, e, "clerk", query, "").String())
	changed := *e.state.Load().snapshot
	doc := *changed.Document
	source := *doc.Sources[0]
	source.Tables = slices.Clone(source.Tables)
	i := slices.IndexFunc(source.Tables, func(m *metadata.Table) bool { return m.Table.Name == "artist" })
	table := *source.Tables[i]
	table.SelectPermissions = slices.Clone(table.SelectPermissions)
	permission := *table.SelectPermissions[0]
	rule := permission.Permission.Rules[0]
	rule.Filter = []byte(`{"id":{"_lt":2,"_gt":0}}`)
	permission.Permission = metadata.Definition[metadata.SelectPermission]{Rules: []metadata.SelectPermission{rule}}
	table.SelectPermissions[0] = &permission
	source.Tables[i] = &table
	doc.Sources = []*metadata.Source{&source}
	changed.Document, changed.Version = &doc, changed.Version+1
	e.apply(&changed)
	require.JSONEq(t, `{"data":{"artist":[{"id":1}]}}`, fetch(t, e, "clerk", query, "").String())
}

// TestChangedSessionSettingsCountAtOnce: what a source sets for each session decides what policies of the database let through, also where it is
// the same for all sessions.
func TestChangedSessionSettingsCountAtOnce(t *testing.T) {
	t.Parallel()
	e := newCaching(t, 1)[0]
	const query = `query @cached(ttl: 3600) { artist_by_pk(id: 1) { name } }`
	keys := map[string]bool{fetch(t, e, "clerk", query, "").key(): true}
	for _, settings := range []string{`{"set":{"app.x":"a"}}`, `{"set":{"app.x":"b"}}`, `{"role":"none"}`, `{"role":{"*":"none"}}`} {
		setSession(t, e, settings)
		keys[fetch(t, e, "clerk", query, "").key()] = true
	}
	require.Len(t, keys, 5)
}

func TestLargeAnswersAreNotStored(t *testing.T) {
	t.Parallel()
	e := newCaching(t, 1)[0]
	runSQL(t, e, "UPDATE artist SET name = repeat('x', 2000) WHERE id = 1")
	const query = `query @cached { artist_by_pk(id: 1) { name } }`
	for range 2 {
		large := fetch(t, e, "admin", query, "")
		require.Greater(t, large.Len(), 2000)
		require.False(t, large.cached())
		require.Equal(t, "199 - cache-store-size-limit-exceeded", large.headers["Warning"])
	}
}

func TestWithoutACacheTheDirectiveHasNoEffect(t *testing.T) {
	t.Parallel()
	e := newFixture(t, "testdata/cases/shop", Config{})
	require.Nil(t, fetch(t, e, "admin", `query @cached { artist { id } }`, "").headers)
}

func TestErrorsAreNotCached(t *testing.T) {
	t.Parallel()
	e := newCaching(t, 1)[0]
	for query, message := range map[string]string{
		`mutation @cached { delete_artist(where: {}) { affected_rows } }`: "directive 'cached' is not allowed on a mutation",
		`query @cached(ttl: "x") { artist { id } }`:                       "expected a 32-bit integer for type 'Int', but found a string",
		`query @cached { artist(limit: -1) { id } }`:                      "expected a non-negative 32-bit integer for type 'Int', but found an integer",
	} {
		r := &reply{}
		err := e.execute(t.Context(), &queryv1.ExecuteRequest{Session: adminSession().Proto(), Query: query}, r)
		require.ErrorContains(t, err, message)
		require.Zero(t, r.Len())
	}
	require.True(t, hasErrors([]byte(`{"data":null,"errors":[]}`)))
	require.False(t, hasErrors([]byte(`{"data":{"errors":[]}}`)))
}

func TestSessionVariablesOfAPlan(t *testing.T) {
	t.Parallel()
	require.Equal(t, plan.SessionDeps{}, (&plan.Plan{Parts: []plananswer.Part{&plananswer.Text{Text: "x"}}}).SessionDeps())
	require.True(t, (&plan.Plan{Parts: []plananswer.Part{&write.Write{}}}).SessionDeps().All, "what isn't known may use all")
}
