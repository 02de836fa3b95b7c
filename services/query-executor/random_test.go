package queryexecutor

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/session"
	"queryengine/services/query-executor/internal/schema"
)

// TestRandomQueries asks whatever the schema of a role allows: every query that the schema
// describes must be planned, and the database must accept its statement.
func TestRandomQueries(t *testing.T) {
	t.Parallel()
	e := newFixture(t, "testdata/cases/shop", Config{})
	for _, role := range []string{"admin", "clerk", "manager", "boss"} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(25) {
				askRandomly(t, e, role, seed)
			}
		})
	}
}

func FuzzQueries(f *testing.F) {
	e := newFixture(f, "testdata/cases/shop", Config{})
	f.Add(uint64(1), true)
	f.Fuzz(func(t *testing.T, seed uint64, admin bool) {
		role := "boss"
		if admin {
			role = "admin"
		}
		askRandomly(t, e, role, seed)
	})
}

func askRandomly(t *testing.T, e *Executor, role string, seed uint64) {
	t.Helper()
	g := &generator{random: rand.New(rand.NewPCG(seed, 0))} //nolint:gosec // G404: a test that can be repeated
	root := e.state.Load().role(role, schema.Options{}).Query()
	text := "query Random " + g.selection(root, 0)
	variables := map[string]string{
		session.RoleHeader: role, session.UserID: "7", "x-engine-artist-id": "1",
	}
	out := backend.NewAnswer(nil, nil, 0)
	s := e.borrow()
	defer e.giveBack(s)
	err := e.run(t.Context(), &request{session: &session.Session{Role: role, Variables: variables}, text: text}, out, s)
	if err == nil {
		require.True(t, json.Valid(out.Buf), "seed %d: %s\n%s", seed, text, out.Buf)
		return
	}
	known := apierror.From(err)
	if known.Code != apierror.DataException { // a value that only the database can judge
		require.Fail(t, known.Message, "seed %d: %s\n%s", seed, text, known.InternalJSON())
	}
}

// generator writes random queries.
type generator struct {
	random *rand.Rand
	keys   int
}

func (g *generator) chance(percent int) bool { return g.random.IntN(100) < percent }

func (g *generator) selection(t *schema.Type, depth int) string {
	var b strings.Builder
	b.WriteByte('{')
	fields := t.Fields()
	for range 1 + g.random.IntN(4) {
		f := &fields[g.random.IntN(len(fields))]
		if f.Type.Named.Kind == schema.Object && depth >= 3 {
			continue
		}
		g.keys++
		fmt.Fprintf(&b, " k%d: %s%s", g.keys, f.Name, g.arguments(f.Args()))
		if f.Type.Named.Kind == schema.Object {
			b.WriteString(g.selection(f.Type.Named, depth+1))
		}
	}
	b.WriteString(" __typename }")
	return b.String()
}

func (g *generator) arguments(inputs []schema.Input) string {
	var given []string
	distinct := false
	for i := range inputs {
		in := &inputs[i]
		// With distinct_on an order has to begin with it.
		if in.Meaning == schema.ArgDistinctOn && distinct || !in.Type.NonNull() && !g.chance(40) {
			continue
		}
		distinct = distinct || in.Meaning == schema.ArgOrderBy
		given = append(given, in.Name+": "+g.argument(in))
	}
	if len(given) == 0 {
		return ""
	}
	return "(" + strings.Join(given, ", ") + ")"
}

func (g *generator) argument(in *schema.Input) string {
	switch in.Meaning {
	case schema.ArgLimit, schema.ArgOffset:
		return strconv.Itoa(g.random.IntN(4))
	case schema.ArgFunction:
		return g.functionArguments(in)
	case schema.ArgPath:
		return []string{`"$"`, `"a.b[0]"`, `"label"`}[g.random.IntN(3)]
	}
	return g.value(in.Type, 0)
}

// functionArguments gives all that have no default.
func (g *generator) functionArguments(in *schema.Input) string {
	var given []string
	for _, in := range in.Type.Named.Inputs() {
		if a, _ := in.Meaning.(schema.FunctionArgument); !a.Optional || g.chance(50) {
			given = append(given, in.Name+": "+g.value(in.Type, 0))
		}
	}
	return "{" + strings.Join(given, ", ") + "}"
}

func (g *generator) value(r schema.Ref, depth int) string {
	if item, ok := r.Item(); ok {
		var items []string
		for range g.random.IntN(3) {
			items = append(items, g.value(item, depth+1))
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	switch t := r.Named; t.Kind {
	case schema.InputObject:
		return g.object(t, depth+1)
	case schema.Enum:
		return t.Values()[g.random.IntN(len(t.Values()))].Name
	default:
		return g.scalar(t.Name)
	}
}

// object gives some of the fields of an input object: one of those that want exactly one.
func (g *generator) object(t *schema.Type, depth int) string {
	inputs := t.Inputs()
	var given []string
	if strings.HasSuffix(t.Name, "_aggregate_bool_exp") {
		in := &inputs[g.random.IntN(len(inputs))]
		return "{" + in.Name + ": " + g.value(in.Type, depth) + "}"
	}
	for i := range inputs {
		in := &inputs[i]
		if in.Type.NonNull() || depth < 8 && g.chance(100/len(inputs)+10) {
			given = append(given, in.Name+": "+g.value(in.Type, depth))
		}
	}
	return "{" + strings.Join(given, ", ") + "}"
}

func (g *generator) scalar(name string) string {
	n := g.random.IntN(5)
	switch name {
	case "Int", "bigint", "numeric", "float8":
		return strconv.Itoa(n)
	case "Boolean":
		return strconv.FormatBool(n%2 == 0)
	case "jsonb", "json":
		return []string{`{a: {b: [1, null]}}`, `[]`, `"x"`, `null_text`, `{label: "x"}`}[n]
	case "date", "timestamptz":
		return `"2024-03-09"`
	case "String":
		return []string{`"K%"`, `"First"`, `""`, `"it's \"x\" \\ $1"`, `"x"`}[n]
	}
	return `"x"`
}
