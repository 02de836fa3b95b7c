package queryexecutor

import (
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// cost is what a request takes of this process.
type cost struct {
	cpu   time.Duration
	bytes uint64 // that were allocated
}

// costOf runs a request, and returns its cost and answer. Nothing else may run at that time.
func costOf(t testing.TB, e *Executor, q *request) (cost, string) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	started := cpuTime(t)
	text := answer(t, e, q)
	took := cpuTime(t) - started
	runtime.ReadMemStats(&after)
	return cost{took, after.TotalAlloc - before.TotalAlloc}, string(text)
}

// cpuTime is how long this process has computed so far.
func cpuTime(t testing.TB) time.Duration {
	t.Helper()
	var u syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// numbered repeats a text with the number of the repetition in it.
func numbered(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// attack is a request that causes an executor the most work of a kind that it can, and the content of
// its answer.
type attack struct{ text, variables, want string }

// attacks are each as large as it gets through, or larger.
func attacks() map[string]attack {
	repeat := strings.Repeat
	const tooLarge, tooMuch = "the graphql query is too large", "the query selects too much"
	return map[string]attack{
		"braces":               {text: repeat("{", 20_000), want: "not a valid graphql query"},
		"nested selections":    {text: repeat("{a", 20_000) + repeat("}", 20_000), want: tooLarge},
		"nested lists":         {text: `{ artist(where: ` + repeat("[", 20_000) + `) }`, want: tooLarge},
		"nested types":         {text: `query ($a: ` + repeat("[", 20_000) + `Int) { a }`, want: tooLarge},
		"aliases of the root":  {text: `{` + numbered(20_000, "a%d: artist { id } ") + `}`, want: "too many root fields"},
		"root introspection":   {text: `{` + numbered(2_000, `a%d: __type(name: "Int") { name } `) + `}`, want: "too many root fields"},
		"aliases of a field":   {text: `{ artist {` + numbered(60_000, "a%d: id ") + `} }`, want: tooMuch},
		"aliases of a list":    {text: `{ artist {` + numbered(15_000, "a%d: albums { id } ") + `} }`, want: "too many relationships"},
		"one field":            {text: `{ artist {` + repeat("id ", 60_000) + `} }`, want: tooMuch},
		"overlapping fields":   {text: `{ artist {` + repeat("albums { id artist { id } } ", 15_000) + `} }`, want: tooMuch},
		"directives":           {text: `{ artist { id ` + repeat("@include(if: true) ", 25_000) + `} }`, want: "used more than once: ['include']"},
		"different directives": {text: `{ artist { id ` + numbered(90_000, "@a%d ") + `} }`, want: "directive 'a0' is not defined"},
		"a cycle":              {text: `{ artist { ...a } } fragment a on artist { ...b } fragment b on artist { ...a }`, want: "form a cycle"},
		"doubling fragments":   {text: `{ artist { ...f0 } }` + doubling(60, "%s %s"), want: tooMuch},
		"doubling and nested":  {text: `{ artist { ...f0 } }` + doubling(60, "albums { artist { %s %s } }"), want: tooMuch},
		"fragments":            {text: `{ artist { id } }` + numbered(25_000, " fragment f%d on artist { id }"), want: `"data"`},
		"variables":            {text: `query (` + numbered(40_000, "$v%d: Int ") + `) { artist { id } }`, want: `"data"`},
		"operations":           {text: numbered(25_000, "query q%d { artist { id } } "), want: "exactly one operation"},
		"deep conditions":      {text: `{ artist(where: ` + repeat("{_not: ", 300) + `{}` + repeat("}", 300) + `) { id } }`, want: "nested too deeply"},
		"deep relationships": {
			text: `{ artist(where: ` + repeat("{albums: {artist: ", 80) + `{}` + repeat("}}", 80) + `) { id } }`, want: "nested too deeply",
		},
		"relationships":   {text: `{ artist(where: {_or: [` + repeat("{albums: {}} ", 10_000) + `]}) { id } }`, want: "too many relationships"},
		"keys":            {text: `{ artist(where: {` + numbered(60_000, "k%d: 1 ") + `}) { id } }`, want: "field 'k0' not found"},
		"keys, repeated":  {text: `{` + repeat(`artist(where: {`+numbered(30_000, "k%d: 1 ")+`}) { id } `, 2) + `}`, want: "field 'k0' not found"},
		"keys of a value": {text: `query ($w: artist_bool_exp) { artist(where: $w) { id } }`, variables: `{"w": {` + numbered(300_000, `"k%d": 1, `) + `"k": 1}}`, want: "too many input values"},
		"a long value, deep": {
			text:      `query ($w: artist_bool_exp) { artist(where: $w) { id } }`,
			variables: `{"w": ` + repeat(`{"_not": `, 190) + `{"name": {"_eq": "` + repeat("x", 1_000_000) + `"}}` + repeat("}", 191), want: `"data"`,
		},
		"a long list, deep": {
			text:      `query ($w: artist_bool_exp) { artist(where: $w) { id } }`,
			variables: `{"w": ` + repeat(`{"_not": `, 180) + `{"_or": [` + repeat(`{"id": {"_eq": 1}},`, 5_000) + `{}]}` + repeat("}", 181), want: `"data"`,
		},
		"many conditions": {
			text:      `query ($w: artist_bool_exp) { artist(where: $w) { id } }`,
			variables: `{"w": {"_or": [` + repeat(`{"id": {"_eq": 1}},`, 20_000) + `{}]}}`, want: `"data"`,
		},
		"too many conditions": {
			text:      `query ($w: artist_bool_exp) { artist(where: $w) { id } }`,
			variables: `{"w": {"_or": [` + repeat(`{"id": {"_eq": 1}},`, 60_000) + `{}]}}`, want: "too many input values",
		},
		"a value, used often": {
			text:      `query ($w: artist_bool_exp) {` + numbered(1000, "a%d: artist(where: $w) { id } ") + `}`,
			variables: `{"w": {"_or": [` + repeat(`{"id": {"_eq": 1}},`, 500) + `{}]}}`, want: "too many input values",
		},
		"a long text, used often": {
			text:      `query ($t: String) {` + numbered(1000, "a%d: artist(where: {name: {_eq: $t}}) { id } ") + `}`,
			variables: `{"t": "` + repeat("x", 300_000) + `"}`, want: "used too often",
		},
		"rows, used often": {
			text:      `mutation ($w: [artist_insert_input!]!) {` + numbered(1000, "a%d: insert_artist(objects: $w) { affected_rows } ") + `}`,
			variables: `{"w": [` + repeat(`{"name": "`+repeat("x", 100)+`"},`, 3_000) + `{"id": 8}]}`, want: "used too often",
		},
		"rows": {
			text:      `mutation ($w: [artist_insert_input!]!) { insert_artist(objects: $w) { affected_rows } }`,
			variables: `{"w": [` + repeat(`{"id": 7},`, 60_000) + `{"id": 8}]}`, want: "Not-NULL violation",
		},
		"ten megabytes": {text: `{ artist {` + repeat(" id ", 2_500_000) + `} }`, want: tooLarge},
		"comments":      {text: `{ artist { id } }` + repeat("#\n", 5_000_000), want: tooLarge},
		"a long string": {text: `{ artist(where: {name: {_eq: "` + repeat("x", 10_000_000) + `"}}) { id } }`, want: `"data"`},
		"wide introspection": {
			text: `{ __schema { types {` + numbered(100, "a%d: fields { type { fields { type { name } } } } ") + `} } }`, want: "asks for too much",
		},
		"deep introspection": {
			text: `{ __type(name: "artist_bool_exp")` + repeat("{inputFields{type", 30) + "{kind}" + repeat("}}", 30) + `}`, want: "asks for too much",
		},
	}
}

// largestDocument is the largest that a harmless client can send.
var largestDocument = `{ artist(where: {id: {_in: [` + strings.Repeat("1,", maxTokens-100) + `]}}) { id } }`

// TestAttacksAreCheap holds that no attack costs more than a few times what the largest harmless
// document does; what grows with the square of its size would cost hundreds of times that.
func TestAttacksAreCheap(t *testing.T) { //nolint:paralleltest // it measures the whole process
	e := newFixture(t, "testdata/cases/shop", Config{MaxTokens: maxTokens})
	answer(t, e, &request{session: adminSession(), text: `{ artist { id } }`}) // opens a connection
	yardstick, _ := costOf(t, e, &request{session: adminSession(), text: largestDocument})
	for name, c := range attacks() {
		got, text := costOf(t, e, &request{session: adminSession(), text: c.text, variables: []byte(c.variables)})
		require.Contains(t, text, c.want, name)
		require.LessOrEqual(t, got.cpu, 4*yardstick.cpu+20*time.Millisecond, "%s: CPU time; the largest document took %s", name, yardstick.cpu)
		require.LessOrEqual(t, got.bytes, 4*yardstick.bytes, "%s: memory", name)
	}
}

// BenchmarkAttacks shows what each of them costs.
func BenchmarkAttacks(b *testing.B) {
	e := newFixture(b, "testdata/cases/shop", Config{MaxTokens: maxTokens})
	answer(b, e, &request{session: adminSession(), text: `{ artist { id } }`})
	list := attacks()
	list["the largest document"] = attack{text: largestDocument, want: `"data"`}
	for name, c := range list {
		b.Run(name, func(b *testing.B) {
			var total cost
			for i := 0; b.Loop(); i++ {
				// A text of its own each time: nothing of the last one helps.
				got, text := costOf(b, e, &request{session: adminSession(), text: c.text + strings.Repeat(" ", i), variables: []byte(c.variables)})
				require.Contains(b, text, c.want)
				total.cpu += got.cpu
				total.bytes += got.bytes
			}
			b.ReportMetric(float64(total.cpu.Milliseconds())/float64(b.N), "cpu-ms/op")
			b.ReportMetric(float64(total.bytes>>20)/float64(b.N), "MB/op")
			b.ReportMetric(0, "ns/op") // which counts the database and the garbage collector
		})
	}
}

// doubling are fragments each of which uses the next one twice.
func doubling(n int, format string) string {
	var b strings.Builder
	for i := range n {
		next := fmt.Sprintf("...f%d", i+1)
		fmt.Fprintf(&b, " fragment f%d on artist { "+format+" }", i, next, next)
	}
	fmt.Fprintf(&b, " fragment f%d on artist { id }", n)
	return b.String()
}
