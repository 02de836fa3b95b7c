package introspect_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/services/query-executor/internal/budget"
	"queryengine/services/query-executor/internal/introspect"
	"queryengine/services/query-executor/internal/schema"
	"queryengine/services/query-executor/internal/schema/schematest"
)

// composite are the fields of the introspection types that have a selection set, by the type.
var composite = map[string]map[string]string{
	"__Schema":     {"types": "__Type", "queryType": "__Type", "mutationType": "__Type", "subscriptionType": "__Type", "directives": "__Directive"},
	"__Type":       {"fields": "__Field", "inputFields": "__InputValue", "enumValues": "__EnumValue", "interfaces": "__Type", "possibleTypes": "__Type", "ofType": "__Type"},
	"__Field":      {"args": "__InputValue", "type": "__Type"},
	"__InputValue": {"type": "__Type"},
	"__EnumValue":  {},
	"__Directive":  {"args": "__InputValue"},
}

var scalars = map[string][]string{
	"__Schema":     {"description"},
	"__Type":       {"kind", "name", "description"},
	"__Field":      {"name", "description", "isDeprecated", "deprecationReason"},
	"__InputValue": {"name", "description", "defaultValue", "isDeprecated"},
	"__EnumValue":  {"name", "description", "isDeprecated"},
	"__Directive":  {"name", "description", "locations", "isRepeatable"},
}

// randomSet writes a selection set on an introspection type.
func randomSet(r *rand.Rand, on string, depth int) string {
	var b strings.Builder
	b.WriteString("{ __typename")
	for i, name := range scalars[on] {
		if r.IntN(2) == 0 {
			fmt.Fprintf(&b, " a%d: %s", i, name)
		}
	}
	for name, of := range composite[on] {
		if depth > 0 && r.IntN(3) == 0 {
			fmt.Fprintf(&b, " %s %s", name, randomSet(r, of, depth-1))
		}
	}
	return b.String() + " }"
}

// TestCostIsWhatIsWritten holds that an answer is counted before it is written, to the byte: what
// the budget allows is all that is ever written.
func TestCostIsWhatIsWritten(t *testing.T) {
	t.Parallel()
	resolved := schematest.Large(3)
	for name, options := range map[string]schema.Options{
		"tables": {}, "relay": {Relay: true}, "federation": {Federation: true},
	} {
		role := schema.New(resolved, "admin", options)
		for seed := range uint64(60) {
			r := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // G404: a test that can be repeated
			all := role.Enumerate()
			queries := []string{
				"{ __schema " + randomSet(r, "__Schema", 4) + " }",
				fmt.Sprintf("{ __type(name: %q) %s }", all[r.IntN(len(all))].Name, randomSet(r, "__Type", 6)),
				`{ __type(name: "nothing") { name } }`,
			}
			if options.Federation {
				queries = append(queries, "{ _service { sdl more: sdl __typename } }")
			}
			for _, query := range queries {
				f := planned(t, role, query)
				room := budget.New(0)
				room.Allow(budget.Bytes, 1<<40)
				room.Allow(budget.Members, 1<<40)
				before := room.Left(budget.Bytes)
				q, err := introspect.Ask(role, []*introspect.Field{f}, &room, nil)
				require.NoError(t, err)
				taken := before - room.Left(budget.Bytes)
				if taken > 4<<20 {
					continue // it would be written for too long
				}
				out := backend.NewAnswer(nil, nil, 0)
				require.NoError(t, q.Write(t.Context(), f, out))
				require.Equal(t, len(out.Buf), taken, "%s, seed %d: %s", name, seed, query)
			}
		}
	}
}

// nested writes types inside of types.
func nested(depth int, list string) string {
	return strings.Repeat("{"+list+"{type", depth) + "{kind}" + strings.Repeat("}}", depth)
}

// TestIntrospectionHasABudget holds that a short query can't ask for an answer without end: it
// is refused before anything is written.
func TestIntrospectionHasABudget(t *testing.T) {
	t.Parallel()
	role := schema.New(schematest.Large(20), "admin", schema.Options{Federation: true})
	for name, query := range map[string]string{
		"input objects":          `{__type(name: "table_0001_bool_exp")` + nested(30, "inputFields") + `}`,
		"all types":              `{__schema{types` + nested(30, "inputFields") + `}}`,
		"aliases":                `{__schema{` + numbered(200, "types{fields{name args{name}}}") + `}}`,
		"the schema, many times": `{_service{` + numbered(1000, "sdl") + `}}`,
	} {
		f := planned(t, role, query)
		room := budget.New(len(query))
		_, err := introspect.Ask(role, []*introspect.Field{f}, &room, nil)
		require.EqualError(t, err, "validation-failed at $.selectionSet."+f.Name+": the introspection asks for too much", name)
	}
	// Several root fields have one budget.
	f := planned(t, role, full)
	room := budget.New(0)
	_, err := introspect.Ask(role, []*introspect.Field{f, f}, &room, nil)
	require.NoError(t, err)
	many := make([]*introspect.Field, 50)
	for i := range many {
		many[i] = f
	}
	room = budget.New(0)
	_, err = introspect.Ask(role, many, &room, nil)
	require.ErrorContains(t, err, "the introspection asks for too much")
}

func numbered(n int, field string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, " a%d: %s", i, field)
	}
	return b.String()
}

// TestToolsSeeALargeSchema holds that the queries of tools are answered, however large the schema.
func TestToolsSeeALargeSchema(t *testing.T) {
	t.Parallel()
	role := schema.New(schematest.Large(300), "admin", schema.Options{})
	deep := strings.Replace(full, "fragment TypeRef on __Type {", "fragment TypeRef on __Type { kind name"+strings.Repeat(" ofType { kind name", 12)+strings.Repeat(" }", 12)+" } fragment Old on __Type {", 1)
	for _, query := range []string{full, strings.ReplaceAll(deep, "fragment Old", "fragment Unused")} {
		out := backend.NewAnswer(nil, nil, 0)
		write(t, role, planned(t, role, query), out)
		require.Greater(t, len(out.Buf), 4<<20, "more than any schema is allowed")
	}
}

// discard takes answers until its context ends.
type discard struct {
	size   int
	cancel func()
}

func (d *discard) Write(p []byte) (int, error) {
	d.size += len(p)
	d.cancel()
	return len(p), nil
}

// TestIntrospectionEndsWithItsRequest holds that nothing goes on for a client that is gone, also
// inside of one type.
func TestIntrospectionEndsWithItsRequest(t *testing.T) {
	t.Parallel()
	role := schema.New(schematest.Large(300), "admin", schema.Options{})
	for _, query := range []string{full, `{ __type(name: "query_root") ` + nested(2, "fields") + `}`} {
		ctx, cancel := context.WithCancel(t.Context())
		d := &discard{cancel: cancel}
		out := backend.NewAnswer(nil, d, 1<<10)
		f, room := planned(t, role, query), budget.New(0)
		q, err := introspect.Ask(role, []*introspect.Field{f}, &room, nil)
		require.NoError(t, err)
		require.ErrorIs(t, q.Write(ctx, f, out), context.Canceled)
		require.Less(t, d.size, 256<<10)

		broken := errors.New("the connection is gone")
		require.ErrorIs(t, q.Write(t.Context(), f, backend.NewAnswer(nil, failing{broken}, 1<<10)), broken)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
