package queryexecutor

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/open"
	"queryengine/pkg/bus/bustest"
	"queryengine/pkg/metadata"
	"queryengine/pkg/telemetry"
	"queryengine/services/query-executor/internal/cache"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/plan"
	planenv "queryengine/services/query-executor/internal/plan/env"
	"queryengine/services/query-executor/internal/schema"
)

const joins = "testdata/cases/joins"

// counter counts the statements that sources run.
type counter struct {
	mu  sync.Mutex
	ran map[string]int
}

type countedSource struct {
	open.Use
	name    string
	counter *counter
}

func (s *countedSource) Query(ctx context.Context, st backend.Statement, a backend.Args, out *backend.Answer) error {
	s.counter.mu.Lock()
	s.counter.ran[s.name]++
	s.counter.mu.Unlock()
	return s.Use.Query(ctx, st, a, out)
}

func (s *countedSource) Close() { s.Release() }

// count counts the statements of e from now on.
func count(t testing.TB, e *Executor) *counter {
	t.Helper()
	c := &counter{ran: map[string]int{}}
	before := e.sources
	e.sources = open.New(func(m *metadata.Source) (backend.Source, error) {
		use, err := before.Named(m.Name)
		return &countedSource{Use: use, name: m.Name, counter: c}, err
	})
	t.Cleanup(e.sources.Close)
	e.sources.Update(e.state.Load().snapshot.Document.Sources)
	return c
}

func TestOneStatementForEachJoin(t *testing.T) {
	t.Parallel()
	e := newFixture(t, joins, Config{})
	runSQL(t, e, `INSERT INTO sale SELECT g, 1 + g % 3, g % 9, 'north', g % 3, g % 9, g FROM generate_series(100, 1099) g`)
	c := count(t, e)
	body := answer(t, e, &request{session: adminSession(), text: `{ sale(order_by: {id: asc}) {
		id customer { name sales(limit: 5) { id product { owner { id } } } }
		neighbours { id } siblings_aggregate { aggregate { count } } } }`})
	var got struct {
		Data struct{ Sale []json.RawMessage }
	}
	require.NoError(t, json.Unmarshal(body, &got))
	require.Len(t, got.Data.Sale, 1006)
	require.Equal(t, map[string]int{"default": 3, "crm": 3}, c.ran)
}

func TestNoStatementWithoutKeys(t *testing.T) {
	t.Parallel()
	e := newFixture(t, joins, Config{})
	c := count(t, e)
	got := answer(t, e, &request{session: adminSession(), text: `{ sale(where: {id: {_eq: 3}}) { customer { name sales { id } } } }`})
	require.JSONEq(t, `{"data":{"sale":[{"customer":null}]}}`, string(got))
	require.Equal(t, map[string]int{"default": 1}, c.ran)
}

// TestOneStatementForEachTypeOfEntities: whatever the number of representations.
func TestOneStatementForEachTypeOfEntities(t *testing.T) {
	t.Parallel()
	e := newFixture(t, "testdata/cases/federation", Config{Federation: true})
	c := count(t, e)
	var list []map[string]any
	for i := range 100 {
		list = append(list, object{"__typename": "customer", "id": i % 4}, object{"__typename": "seat", "hall": "north", "no": i})
	}
	variables, err := json.Marshal(object{"all": list})
	require.NoError(t, err)
	body := answer(t, e, &request{
		session: adminSession(), variables: variables,
		text: `query ($all: [_Any!]!) { _entities(representations: $all) { ... on customer { id } ... on seat { no } } }`,
	})
	var got struct {
		Data struct {
			Entities []map[string]int `json:"_entities"`
		}
	}
	require.NoError(t, json.Unmarshal(body, &got), "%s", body)
	require.Len(t, got.Data.Entities, 200)
	require.Equal(t, []map[string]int{nil, nil, {"id": 1}, {"no": 1}, {"id": 2}, {"no": 2}}, got.Data.Entities[:6])
	require.Equal(t, map[string]int{"default": 2}, c.ran)
}

func TestJoinsAreNotExplained(t *testing.T) {
	t.Parallel()
	e := newFixture(t, joins, Config{})
	s := e.borrow()
	defer e.giveBack(s)
	r, err := e.prepare(t.Context(), &request{session: adminSession(), text: `{ product { id } sale { customer { id } } }`}, s)
	require.NoError(t, err)
	_, err = r.plan.Explain(t.Context(), &s.run)
	require.Equal(t, apierror.New(apierror.InvalidParams, "queries with remote relationships cannot be explained"), err)
}

func TestSubscriptionsHaveNoJoins(t *testing.T) {
	t.Parallel()
	e := newFixture(t, joins, Config{})
	op, err := parse.Parse(`subscription { sale { id product { owner { id } } } }`, "", parse.Limits{})
	require.NoError(t, err)
	_, err = plan.Build(op, e.state.Load().role("admin", schema.Options{}), nil, planenv.Options{Limits: planenv.DefaultLimits})
	var known *apierror.Error
	require.ErrorAs(t, err, &known)
	require.Equal(t, apierror.NotSupported, known.Code)
	require.Equal(t, "Remote relationships are not allowed in subscriptions", known.Message)
	require.Equal(t, "$.selectionSet.sale.selectionSet.product.selectionSet.owner", known.Path)
}

// TestPlansWithJoinsRestOnTheirTargets holds that a plan is made again when a target of its joins
// changes, in whatever source.
func TestPlansWithJoinsRestOnTheirTargets(t *testing.T) {
	t.Parallel()
	e := newFixture(t, joins, Config{})
	const text = `{ sale(where: {id: {_eq: 1}}) { customer { name } } }`
	require.JSONEq(t, `{"data":{"sale":[{"customer":{"name":"Ann"}}]}}`, string(answer(t, e, &request{session: adminSession(), text: text})))

	next := *e.state.Load().snapshot
	next.Version++
	next.Document = withoutTable(next.Document, "crm", "customer")
	e.apply(&next)
	require.JSONEq(t, `{"code":"validation-failed","error":"field 'customer' not found in type: 'sale'","path":"$.selectionSet.sale.selectionSet.customer"}`,
		string(answer(t, e, &request{session: adminSession(), text: text})))
}

// withoutTable is a document in which a source has lost a table.
func withoutTable(doc *metadata.Document, source, table string) *metadata.Document {
	next := *doc
	next.Sources = slices.Clone(doc.Sources)
	for i, s := range next.Sources {
		if s.Name == source {
			changed := *s
			changed.Tables = slices.DeleteFunc(slices.Clone(s.Tables), func(m *metadata.Table) bool { return m.Table.Name == table })
			next.Sources[i] = &changed
		}
	}
	return &next
}

// TestCachedJoinsKnowTheirSession holds that the session variables that other sources see are
// part of the key of an answer, and only those.
func TestCachedJoinsKnowTheirSession(t *testing.T) {
	t.Parallel()
	e := newFixture(t, joins, Config{})
	e.cache = cache.New(cacheConfig, bustest.QueryCache(t, bustest.Connect(t, bustest.Server(t)), 1<<20), telemetry.Discard())
	const query = `query @cached { sale(limit: 1, order_by: {id: asc}) { customer { name } } }`
	north := fetch(t, e, "clerk", query, "", "x-engine-region", "north")
	require.JSONEq(t, `{"data":{"sale":[{"customer":{"name":"Ann"}}]}}`, north.String())
	south := fetch(t, e, "clerk", query, "", "x-engine-region", "south")
	require.JSONEq(t, `{"data":{"sale":[{"customer":null}]}}`, south.String())
	other := fetch(t, e, "clerk", query, "", "x-engine-region", "north", "x-engine-user-id", "1")
	require.Equal(t, north.key(), other.key())
	require.True(t, other.cached())
	visits := fetch(t, e, "clerk", `query @cached { sale(limit: 1, order_by: {id: asc}) { visits { id } } }`, "")
	require.NotEqual(t, north.key(), visits.key())
}

func TestJoinsInConnections(t *testing.T) {
	t.Parallel()
	e := newFixture(t, joins, Config{})
	got := answer(t, e, &request{session: adminSession(), relay: true, text: `{
		sale_connection(first: 2, order_by: {amount: asc}) { pageInfo { hasNextPage } edges { node { amount neighbours { name } customer { name } } } } }`})
	require.JSONEq(t, `{"data":{"sale_connection":{"pageInfo":{"hasNextPage":true},"edges":[
		{"node":{"amount":1,"neighbours":null,"customer":{"name":"Ann"}}},
		{"node":{"amount":2,"neighbours":[{"name":"Ann"},{"name":"Cid"}],"customer":null}}]}}}`, string(got))
}

// TestKeysThatAreTexts holds that numbers which are texts in the answer are joined by.
func TestKeysThatAreTexts(t *testing.T) {
	t.Parallel()
	e := newFixture(t, joins, Config{StringifyNumericTypes: true})
	got := answer(t, e, &request{session: adminSession(), text: `{ sale(where: {id: {_lte: 2}}, order_by: {id: asc}) { customerId customer { name } } }`})
	require.JSONEq(t, `{"data":{"sale":[{"customerId":"1","customer":{"name":"Ann"}},{"customerId":"2","customer":{"name":"Bob"}}]}}`, string(got))
}
