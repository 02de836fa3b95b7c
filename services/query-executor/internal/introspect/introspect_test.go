package introspect_test

import (
	"encoding/json"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/services/query-executor/internal/budget"
	"queryengine/services/query-executor/internal/introspect"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/plan"
	"queryengine/services/query-executor/internal/plan/answer"
	"queryengine/services/query-executor/internal/plan/env"
	"queryengine/services/query-executor/internal/schema"
	"queryengine/services/query-executor/internal/schema/schematest"
)

// full is the query that tools send.
const full = `query IntrospectionQuery {
  __schema {
    queryType { name } mutationType { name } subscriptionType { name }
    types { ...FullType }
    directives { name description locations args { ...InputValue } }
  }
}
fragment FullType on __Type {
  kind name description
  fields(includeDeprecated: true) { name description args { ...InputValue } type { ...TypeRef } isDeprecated deprecationReason }
  inputFields { ...InputValue }
  interfaces { ...TypeRef }
  enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason }
  possibleTypes { ...TypeRef }
}
fragment InputValue on __InputValue { name description type { ...TypeRef } defaultValue }
fragment TypeRef on __Type {
  kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } } } } }
}`

// planned is the only root field of a query.
func planned(t testing.TB, role *schema.Role, query string) *introspect.Field {
	t.Helper()
	op, err := parse.Parse(query, "", parse.Limits{})
	require.NoError(t, err)
	p, err := plan.Build(op, role, nil, env.Options{Limits: env.DefaultLimits})
	require.NoError(t, err, query)
	asked, ok := p.Parts[1].(*answer.Introspection)
	require.True(t, ok)
	return &asked.Query
}

// answer writes the value of a field within the budget of a request.
func write(t testing.TB, role *schema.Role, f *introspect.Field, out *backend.Answer) {
	t.Helper()
	room := budget.New(0)
	q, err := introspect.Ask(role, []*introspect.Field{f}, &room, nil)
	require.NoError(t, err)
	require.NoError(t, q.Write(t.Context(), f, out))
}

type typeRef struct {
	Kind, Name string
	OfType     *typeRef
}

func (r *typeRef) named() string {
	for r.OfType != nil {
		r = r.OfType
	}
	return r.Name
}

type inputValue struct {
	Name string
	Type *typeRef
}

// TestFullIntrospectionIsClosed holds that every type that is referred to is listed, once
// and in order, and of a kind that fits its place.
func TestFullIntrospectionIsClosed(t *testing.T) {
	t.Parallel()
	role := schema.New(schematest.Large(20), "admin", schema.Options{})
	out := backend.NewAnswer(nil, nil, 0)
	write(t, role, planned(t, role, full), out)
	var all struct {
		QueryType struct{ Name string }
		Types     []struct {
			Kind, Name string
			Fields     []struct {
				Name string
				Args []inputValue
				Type *typeRef
			}
			InputFields []inputValue
			EnumValues  []struct{ Name string }
		}
		Directives []struct{ Args []inputValue }
	}
	require.NoError(t, json.Unmarshal(out.Buf, &all))
	require.Equal(t, "query_root", all.QueryType.Name)
	kinds := map[string]string{}
	previous := ""
	for _, typ := range all.Types {
		require.Greater(t, typ.Name, previous, "types are not sorted")
		previous = typ.Name
		kinds[typ.Name] = typ.Kind
	}
	input := func(v inputValue) {
		require.Contains(t, []string{"SCALAR", "ENUM", "INPUT_OBJECT"}, kinds[v.Type.named()], v.Name)
	}
	for _, typ := range all.Types {
		for _, f := range typ.Fields {
			require.Contains(t, []string{"SCALAR", "ENUM", "OBJECT"}, kinds[f.Type.named()], f.Name)
			for _, a := range f.Args {
				input(a)
			}
		}
		for _, f := range typ.InputFields {
			input(f)
		}
		switch typ.Kind {
		case "OBJECT":
			require.NotEmpty(t, typ.Fields, typ.Name)
		case "INPUT_OBJECT":
			require.NotEmpty(t, typ.InputFields, typ.Name)
		case "ENUM":
			require.NotEmpty(t, typ.EnumValues, typ.Name)
		}
	}
	for _, d := range all.Directives {
		for _, a := range d.Args {
			input(a)
		}
	}
}

func BenchmarkFullIntrospectionOf1000Tables(b *testing.B) {
	role := schema.New(schematest.Large(1000), "admin", schema.Options{})
	f := planned(b, role, full)
	b.ReportAllocs()
	for b.Loop() {
		out := backend.NewAnswer(nil, io.Discard, 0)
		write(b, role, f, out)
		b.ReportMetric(float64(out.Sent())/(1<<20), "MB")
	}
}

func BenchmarkCostOf1000Tables(b *testing.B) {
	role := schema.New(schematest.Large(1000), "admin", schema.Options{})
	f := planned(b, role, full)
	b.ReportAllocs()
	for b.Loop() {
		room := budget.New(0)
		if _, err := introspect.Ask(role, []*introspect.Field{f}, &room, nil); err != nil {
			b.Fatal(err)
		}
	}
}
