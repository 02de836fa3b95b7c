package plancache_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/plan/input"
	"queryengine/services/query-executor/internal/plancache"
)

func operation(t testing.TB) *parse.Operation {
	op, err := parse.Parse(`query ($a: Int, $b: x) { f(a: $a, b: $b) }`, "", parse.Limits{})
	require.NoError(t, err)
	return op
}

func values(list ...string) [][]byte {
	var out [][]byte
	for _, v := range list {
		out = append(out, []byte(v))
	}
	return out
}

func TestPlansAreToldApartByTheirLooks(t *testing.T) {
	t.Parallel()
	c := plancache.New[string](100)
	d := c.Add(plancache.Key{Role: "admin", Text: "q"}, operation(t))
	require.Same(t, d, c.Find(plancache.Key{Role: "admin", Text: "q"}))
	require.Nil(t, c.Find(plancache.Key{Role: "clerk", Text: "q"}))
	require.Same(t, d, c.Add(plancache.Key{Role: "admin", Text: "q"}, operation(t)))

	first := "first"
	d.Keep(values("1", `{"x":1}`), []input.Look{input.LookNone, input.LookNone}, &first)
	found, _ := d.Plan(values("2", `{"y":2}`), nil)
	require.Same(t, &first, found)

	second := "second"
	d.Keep(values("1", `{"x":1}`), []input.Look{input.LookNone, input.LookShape}, &second)
	found, _ = d.Plan(values("2", `{"x":2}`), nil)
	require.Same(t, &second, found)
	found, _ = d.Plan(values("2", `{"y":2}`), nil)
	require.Nil(t, found)

	third := "third"
	d.Keep(values("1", `{"y":2}`), []input.Look{input.LookNone, input.LookNone}, &third)
	found, _ = d.Plan(values("5", `{"y":7}`), nil)
	require.Same(t, &third, found)
	found, _ = d.Plan(values("2", `{"x":2}`), nil)
	require.Same(t, &second, found)

	d.SplitByShape()
	found, _ = d.Plan(values("5", `{"y":7}`), nil)
	require.Nil(t, found)
	d.Keep(values("5", `{"y":7}`), []input.Look{input.LookNone, input.LookNone}, &third)
	found, _ = d.Plan(values(`"5"`, `{"y":7}`), nil)
	require.Nil(t, found)

	hits, misses, _ := c.Stats()
	require.EqualValues(t, 4, hits)
	require.EqualValues(t, 3, misses)
}

func TestCacheIsBounded(t *testing.T) {
	t.Parallel()
	c := plancache.New[string](50)
	often := plancache.Key{Text: "often"}
	c.Add(often, operation(t))
	p := "plan"
	for i := range 1000 {
		require.NotNil(t, c.Find(often), i)
		d := c.Add(plancache.Key{Text: strconv.Itoa(i)}, operation(t))
		d.Keep(values("1", strconv.Itoa(i)), []input.Look{input.LookNone, input.LookValue}, &p)
		_, _, plans := c.Stats()
		require.LessOrEqual(t, plans, 50)
	}
}

func TestPlansOfOneDocumentAreBounded(t *testing.T) {
	t.Parallel()
	c := plancache.New[string](1000)
	d := c.Add(plancache.Key{Text: "q"}, operation(t))
	p := "plan"
	for i := range 1000 {
		d.Keep(values("1", strconv.Itoa(i)), []input.Look{input.LookNone, input.LookValue}, &p)
		_, _, plans := c.Stats()
		require.LessOrEqual(t, plans, 130)
	}
}

func TestDocumentsThatAreTooLargeAreNotKept(t *testing.T) {
	t.Parallel()
	c := plancache.New[string](10)
	key := plancache.Key{Text: strings.Repeat("x", 1<<20)}
	d := c.Add(key, operation(t))
	p := "plan"
	d.Keep(values("1", "2"), []input.Look{input.LookNone, input.LookNone}, &p)
	found, _ := d.Plan(values("1", "2"), nil)
	require.Nil(t, found)
	require.Nil(t, c.Find(key))
}

func BenchmarkFind(b *testing.B) {
	c := plancache.New[string](100)
	key := plancache.Key{Role: "clerk", Text: strings.Repeat("query text ", 20)}
	d := c.Add(key, operation(b))
	p, v := "plan", values("1", `{"name":{"_eq":"x"}}`)
	d.Keep(v, []input.Look{input.LookNone, input.LookShape}, &p)
	var scratch []byte
	b.ReportAllocs()
	for b.Loop() {
		var found *string
		if found, scratch = c.Find(key).Plan(v, scratch); found == nil {
			b.Fatal("not found")
		}
	}
}
