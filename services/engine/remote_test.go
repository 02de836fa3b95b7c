package engine_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/graphql-go/graphql"
	"github.com/graphql-go/graphql/language/ast"
	"github.com/stretchr/testify/require"

	"queryengine/services/engine"
)

// shop is a graphql-go schema whose lookups of prices are counted.
func shop(t *testing.T, lookups *atomic.Int64, stop <-chan struct{}) graphql.Schema {
	t.Helper()
	prices := engine.NewLoader(func(ctx context.Context, ids []int) (map[int]string, error) {
		lookups.Add(1)
		found := map[int]string{}
		for _, id := range ids {
			if id != 5 {
				found[id] = fmt.Sprintf("%d EUR for %s", id, engine.SessionOf(ctx).Get("user-id"))
			}
		}
		return found, nil
	})
	integer := func(p graphql.ResolveParams, name string) int {
		n, _ := p.Args[name].(int)
		return n
	}
	schema, err := graphql.NewSchema(graphql.SchemaConfig{
		Query: graphql.NewObject(graphql.ObjectConfig{Name: "Query", Fields: graphql.Fields{
			"price": &graphql.Field{
				Type: graphql.String, Args: graphql.FieldConfigArgument{"id": &graphql.ArgumentConfig{Type: graphql.NewNonNull(graphql.Int)}, "in": &graphql.ArgumentConfig{Type: graphql.String}},
				Resolve: func(p graphql.ResolveParams) (any, error) { return prices.Load(p.Context, integer(p, "id")) },
			},
			"wait": &graphql.Field{Type: graphql.String, Resolve: func(p graphql.ResolveParams) (any, error) {
				select {
				case <-p.Context.Done():
				case <-stop:
				}
				return "waited", nil
			}},
			"fail": &graphql.Field{Type: graphql.String, Resolve: func(graphql.ResolveParams) (any, error) { return nil, errors.New("sold out") }},
		}}),
		Subscription: graphql.NewObject(graphql.ObjectConfig{Name: "Subscription", Fields: graphql.Fields{
			"count": &graphql.Field{
				Type: graphql.Int, Args: graphql.FieldConfigArgument{"to": &graphql.ArgumentConfig{Type: graphql.NewNonNull(graphql.Int)}},
				Resolve: func(p graphql.ResolveParams) (any, error) { return p.Source, nil },
				Subscribe: func(p graphql.ResolveParams) (any, error) {
					c := make(chan any)
					go func() {
						defer close(c)
						for i := range integer(p, "to") {
							select {
							case c <- i + 1:
							case <-p.Context.Done():
								return
							}
						}
					}()
					return c, nil
				},
			},
		}}),
	})
	require.NoError(t, err)
	return schema
}

// TestRemoteSchemaInGo joins rows with resolvers, which get all keys at once and the caller's session, and follows a
// subscription.
func TestRemoteSchemaInGo(t *testing.T) {
	t.Parallel()
	places(t, func(t *testing.T, apart bool) {
		var lookups atomic.Int64
		stop := make(chan struct{})
		m := mount(t, apart, engine.RemoteSchema("shop", shop(t, &lookups, stop)))
		m.metadata(`{"type":"add_remote_schema","args":{"name":"shop","definition":{"url":"go://shop","timeout_seconds":2}}}`)
		m.metadata(`{"type":"pg_create_remote_relationship","args":{"source":"default","table":"people","name":"price","definition":{"to_remote_schema":{"remote_schema":"shop","lhs_fields":["id"],"remote_field":{"price":{"arguments":{"id":"$id"}}}}}}}`)
		require.JSONEq(t, `{"data":{"price":"7 EUR for "}}`, m.query(`{ price(id: 7) }`, admin))
		require.JSONEq(t, `{"data":{"price":"7 EUR for "}}`, m.query(`{ price(id: 7, in: null) }`, admin))
		lookups.Store(0)
		require.JSONEq(t, `{"data":{"people":[{"id":1,"price":"1 EUR for odd"},{"id":3,"price":"3 EUR for odd"},{"id":5,"price":null},{"id":7,"price":"7 EUR for odd"},{"id":9,"price":"9 EUR for odd"}]}}`,
			m.query(`{ people(order_by: {id: asc}) { id price } }`, user("odd")))
		require.EqualValues(t, 1, lookups.Load(), "all keys are looked up at once")
		require.Contains(t, m.query(`{ fail }`, admin), "sold out")
		require.Contains(t, m.query(`{ wait }`, admin), "timeout", "the timeout of the definition holds")
		close(stop)
		require.JSONEq(t, `{"data":{"wait":"waited"}}`, m.query(`{ wait }`, admin))
		require.Equal(t, []string{`{"data":{"count":1}}`, `{"data":{"count":2}}`, `{"data":{"count":3}}`}, m.subscribe(`subscription { count(to: 3) }`))
	})
}

// TestFaultsOfResolvers: a panic is an error of its field and logged with its stack, wherever it comes from; an error
// keeps its code and its extensions.
func TestFaultsOfResolvers(t *testing.T) {
	t.Parallel()
	field := func(resolve, subscribe graphql.FieldResolveFn) *graphql.Field {
		return &graphql.Field{Type: graphql.String, Resolve: resolve, Subscribe: subscribe}
	}
	coded := func(graphql.ResolveParams) (any, error) {
		return nil, fmt.Errorf("wrapped: %w", &engine.Error{Message: "sold out", Code: "sold", Extensions: map[string]any{"until": "Monday"}})
	}
	panics := func(where string) graphql.FieldResolveFn {
		return func(graphql.ResolveParams) (any, error) { panic("panic in " + where) }
	}
	later := func(p graphql.ResolveParams) (any, error) {
		return func() (any, error) { return panics("a load")(p) }, nil
	}
	one := func(graphql.ResolveParams) (any, error) {
		c := make(chan any, 1)
		c <- "one"
		close(c)
		return c, nil
	}
	schema, err := graphql.NewSchema(graphql.SchemaConfig{
		Query: graphql.NewObject(graphql.ObjectConfig{Name: "Query", Fields: graphql.Fields{
			"coded": field(coded, nil), "now": field(panics("a resolver"), nil), "later": field(later, nil),
		}}),
		Subscription: graphql.NewObject(graphql.ObjectConfig{Name: "Subscription", Fields: graphql.Fields{
			"never": field(nil, panics("a subscription")), "each": field(panics("an event"), one), "refused": field(nil, coded),
		}}),
	})
	require.NoError(t, err)
	m := mount(t, false, engine.RemoteSchema("faulty", schema))
	m.metadata(`{"type":"add_remote_schema","args":{"name":"faulty","definition":{"url":"go://faulty"}}}`)
	const sold = `"message":"sold out","extensions":{"code":"sold","until":"Monday"}`
	require.Contains(t, compact(t, m.query(`{ coded }`, admin)), sold)
	require.Contains(t, compact(t, strings.Join(m.subscribe(`subscription { refused }`), "")), sold)
	for operation, where := range map[string]string{
		`{ now }`: "a resolver", `{ later }`: "a load", `subscription { never }`: "a subscription", `subscription { each }`: "an event",
	} {
		answer := m.query(operation, admin)
		if strings.HasPrefix(operation, "subscription") {
			answer = strings.Join(m.subscribe(operation), "")
		}
		require.Contains(t, answer, `"the handler failed unexpectedly"`, operation)
		require.NotContains(t, answer, "panic in", operation)
		require.Regexp(t, `a handler panicked.*faulty.*panic in `+where+`.*remote_test\.go`, m.log.String())
	}
}

// TestScalarsThatPanic: a panic of a scalar, which graphql-go doesn't expect everywhere, is an error of its call.
func TestScalarsThatPanic(t *testing.T) {
	t.Parallel()
	scalar := graphql.NewScalar(graphql.ScalarConfig{
		Name: "Odd", Serialize: func(v any) any { return v },
		ParseValue:   func(v any) any { return panicked(v) },
		ParseLiteral: func(v ast.Value) any { return panicked(v.GetValue()) },
	})
	input := graphql.NewInputObject(graphql.InputObjectConfig{Name: "In", Fields: graphql.InputObjectConfigFieldMap{"odd": {Type: graphql.NewList(scalar)}}})
	field := &graphql.Field{
		Type: graphql.String, Args: graphql.FieldConfigArgument{"odd": {Type: scalar}, "in": {Type: input}},
		Resolve:   func(graphql.ResolveParams) (any, error) { return "fine", nil },
		Subscribe: func(graphql.ResolveParams) (any, error) { return nil, errors.New("no stream") },
	}
	root := func(name string) *graphql.Object {
		return graphql.NewObject(graphql.ObjectConfig{Name: name, Fields: graphql.Fields{"f": field}})
	}
	schema, err := graphql.NewSchema(graphql.SchemaConfig{Query: root("Query"), Subscription: root("Subscription")})
	require.NoError(t, err)
	m := mount(t, false, engine.RemoteSchema("odd", schema))
	m.metadata(`{"type":"add_remote_schema","args":{"name":"odd","definition":{"url":"go://odd"}}}`)
	for _, body := range []string{
		`{"query":"OPERATION { f(odd: \"even\") }"}`,
		`{"query":"OPERATION ($o: Odd) { f(odd: $o) }","variables":{"o":"even"}}`,
		`{"query":"OPERATION ($o: [Odd!]) { f(in: {odd: $o}) }","variables":{"o":["odd","even"]}}`,
		`{"query":"OPERATION ($in: In!) { f(in: $in) }","variables":{"in":{"odd":["odd","even"]}}}`,
	} {
		for operation, accept := range map[string]string{"query": "application/json", "subscription": "text/event-stream"} {
			_, answer := m.post("/v1/graphql", strings.Replace(body, "OPERATION", operation, 1), map[string]string{"X-Engine-Admin-Secret": secret, "Accept": accept})
			require.Contains(t, answer, "the handler failed unexpectedly", body)
		}
	}
	require.JSONEq(t, `{"data":{"f":"fine"}}`, m.query(`{ f(odd: "odd", in: {odd: ["odd"]}) }`, admin))
}

// TestLoadersThatPanic: each key of a batch whose lookup panics is an error, not null.
func TestLoadersThatPanic(t *testing.T) {
	t.Parallel()
	prices := engine.NewLoader(func(context.Context, []int) (map[int]string, error) { panic("no prices") })
	price := &graphql.Field{
		Type: graphql.String, Args: graphql.FieldConfigArgument{"id": {Type: graphql.NewNonNull(graphql.Int)}},
		Resolve: func(p graphql.ResolveParams) (any, error) {
			id, _ := p.Args["id"].(int)
			return prices.Load(p.Context, id)
		},
	}
	schema, err := graphql.NewSchema(graphql.SchemaConfig{Query: graphql.NewObject(graphql.ObjectConfig{Name: "Query", Fields: graphql.Fields{"price": price}})})
	require.NoError(t, err)
	m := mount(t, false, engine.RemoteSchema("prices", schema))
	m.metadata(`{"type":"add_remote_schema","args":{"name":"prices","definition":{"url":"go://prices"}}}`)
	m.metadata(`{"type":"pg_create_remote_relationship","args":{"table":"people","name":"price","definition":{"to_remote_schema":{"remote_schema":"prices","lhs_fields":["id"],"remote_field":{"price":{"arguments":{"id":"$id"}}}}}}}`)
	answer := m.query(`{ people(limit: 3) { price } }`, admin)
	require.Equal(t, 3, strings.Count(answer, "the handler failed unexpectedly"), answer)
	require.Equal(t, 1, strings.Count(m.log.String(), "a handler panicked"))
}

// TestAbstractTypesInGo has requests that run at once use interfaces, a union and an enum, of which graphql-go makes tables
// at their first use. The race detector sees whether they share them.
func TestAbstractTypesInGo(t *testing.T) {
	t.Parallel()
	named := graphql.NewInterface(graphql.InterfaceConfig{Name: "Named", Fields: graphql.Fields{"name": {Type: graphql.String}}})
	sized := graphql.NewInterface(graphql.InterfaceConfig{Name: "Sized", Fields: graphql.Fields{"name": {Type: graphql.String}}})
	size := graphql.NewEnum(graphql.EnumConfig{Name: "Size", Values: graphql.EnumValueConfigMap{"S": {Value: 1}, "L": {Value: 2}}})
	thing := graphql.NewObject(graphql.ObjectConfig{
		Name: "Thing", Interfaces: []*graphql.Interface{named, sized}, IsTypeOf: func(graphql.IsTypeOfParams) bool { return true },
		Fields: graphql.Fields{"name": {Type: graphql.String}, "size": {Type: size}},
	})
	union := graphql.NewUnion(graphql.UnionConfig{Name: "Any", Types: []*graphql.Object{thing}, ResolveType: func(graphql.ResolveTypeParams) *graphql.Object { return thing }})
	field := func(of graphql.Output) *graphql.Field {
		return &graphql.Field{Type: of, Args: graphql.FieldConfigArgument{"size": {Type: size}}, Resolve: func(p graphql.ResolveParams) (any, error) {
			return map[string]any{"name": "chair", "size": p.Args["size"]}, nil
		}}
	}
	schema, err := graphql.NewSchema(graphql.SchemaConfig{Types: []graphql.Type{thing}, Query: graphql.NewObject(graphql.ObjectConfig{Name: "Query", Fields: graphql.Fields{
		"named": field(named), "sized": field(sized), "any": field(union),
	}})})
	require.NoError(t, err)
	m := mount(t, false, engine.RemoteSchema("things", schema))
	m.metadata(`{"type":"add_remote_schema","args":{"name":"things","definition":{"url":"go://things"}}}`)
	queries := []string{
		`{ f%d: named(size: L) { ... on Sized { name } ... on Thing { size } } }`,
		`{ f%d: sized(size: L) { ... on Named { name } ... on Thing { size } } }`,
		`{ f%d: any(size: L) { ... on Named { name } ... on Thing { size } } }`,
	}
	var calls sync.WaitGroup
	for i := range 30 {
		calls.Go(func() {
			for _, query := range queries {
				if got := m.query(fmt.Sprintf(query, i), admin); !strings.Contains(got, `"name":"chair","size":"L"`) {
					t.Error(got)
				}
			}
		})
	}
	calls.Wait()
}

// panicked returns a value that isn't even.
func panicked(v any) any {
	if v == "even" {
		panic("not odd")
	}
	return v
}

// TestResolversThatHang: a resolver that doesn't return keeps the place of its call.
func TestResolversThatHang(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	var running, most atomic.Int64
	schema, err := graphql.NewSchema(graphql.SchemaConfig{Query: graphql.NewObject(graphql.ObjectConfig{Name: "Query", Fields: graphql.Fields{
		"hang": &graphql.Field{Type: graphql.String, Resolve: func(p graphql.ResolveParams) (any, error) {
			most.Store(max(most.Load(), running.Add(1)))
			defer running.Add(-1)
			<-p.Context.Done() // the timeout is known
			<-release
			return "late", nil
		}},
	}})})
	require.NoError(t, err)
	m := mount(t, false, engine.RemoteSchema("hangs", schema, engine.Concurrency(2)))
	m.metadata(`{"type":"add_remote_schema","args":{"name":"hangs","definition":{"url":"go://hangs","timeout_seconds":1}}}`)
	for range 4 {
		require.Contains(t, m.query(`{ hang }`, admin), "timeout")
	}
	require.EqualValues(t, 2, running.Load())
	require.EqualValues(t, 2, most.Load())
	close(release)
	require.Eventually(t, func() bool { return running.Load() == 0 }, patience, 10*time.Millisecond)
}

// compact is an error as the test compares it.
func compact(t *testing.T, answer string) string {
	t.Helper()
	var got struct {
		Errors []struct {
			Message    string         `json:"message"`
			Extensions map[string]any `json:"extensions"`
		} `json:"errors"`
	}
	require.NoError(t, json.Unmarshal([]byte(answer), &got), answer)
	text, err := json.Marshal(got)
	require.NoError(t, err)
	return string(text)
}

// subscribe returns the results of a subscription that ends, over server-sent events.
func (m *mounted) subscribe(query string) []string {
	m.t.Helper()
	body, err := json.Marshal(map[string]string{"query": query})
	require.NoError(m.t, err)
	_, answer := m.post("/v1/graphql", string(body), map[string]string{"X-Engine-Admin-Secret": secret, "Accept": "text/event-stream"})
	var results []string
	for line := range strings.Lines(answer) {
		if data, ok := strings.CutPrefix(line, "data: "); ok && strings.TrimSpace(data) != "" {
			results = append(results, strings.TrimSpace(data))
		}
	}
	return results
}

// TestSubscribersLeavePlaces: as many subscribers as a remote schema has places leave those of queries free, and one more
// waits for a place.
func TestSubscribersLeavePlaces(t *testing.T) {
	t.Parallel()
	const places = 3
	schema, err := graphql.NewSchema(graphql.SchemaConfig{
		Query: graphql.NewObject(graphql.ObjectConfig{Name: "Query", Fields: graphql.Fields{
			"hello": &graphql.Field{Type: graphql.String, Resolve: func(graphql.ResolveParams) (any, error) { return "world", nil }},
			"none": &graphql.Field{Type: graphql.String, Resolve: func(graphql.ResolveParams) (any, error) {
				var failed *engine.Error
				return nil, failed
			}},
		}}),
		Subscription: graphql.NewObject(graphql.ObjectConfig{Name: "Subscription", Fields: graphql.Fields{
			"first": &graphql.Field{
				Type: graphql.String, Args: graphql.FieldConfigArgument{"n": {Type: graphql.Int}},
				Resolve: func(p graphql.ResolveParams) (any, error) { return p.Source, nil },
				Subscribe: func(graphql.ResolveParams) (any, error) {
					one := make(chan any, 1) // which stays open
					one <- "one"
					return one, nil
				},
			},
		}}),
	})
	require.NoError(t, err)
	m := mount(t, false, engine.RemoteSchema("news", schema, engine.Concurrency(places)))
	m.metadata(`{"type":"add_remote_schema","args":{"name":"news","definition":{"url":"go://news","timeout_seconds":2}}}`)
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	subscribe := func(n int) string {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, m.url+"/v1/graphql", strings.NewReader(fmt.Sprintf(`{"query":"subscription { first(n: %d) }"}`, n)))
		require.NoError(t, err)
		r.Header = http.Header{"X-Engine-Admin-Secret": {secret}, "Content-Type": {"application/json"}, "Accept": {"text/event-stream"}}
		response, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		t.Cleanup(func() { _ = response.Body.Close() })
		for lines := bufio.NewScanner(response.Body); lines.Scan(); {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				return data
			}
		}
		return ""
	}
	for n := range places {
		require.JSONEq(t, `{"data":{"first":"one"}}`, subscribe(n))
	}
	require.JSONEq(t, `{"data":{"hello":"world"}}`, m.query(`{ hello }`, admin))
	require.Contains(t, subscribe(places), "remote-schema-error")
	require.Contains(t, m.query(`{ none }`, admin), `"message":"the error is a nil *engine.Error"`)
	leave()
}
