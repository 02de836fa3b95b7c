package queryexecutor

import (
	"context"
	"flag"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/session"
	"queryengine/pkg/testlong"
	"queryengine/services/query-executor/internal/budget"
	"queryengine/services/query-executor/internal/execute"
	"queryengine/services/query-executor/internal/schema"
)

var tries = flag.Int("tries", testlong.Of(50, 200), "how many documents a search for expensive ones tries for each kind of cost")

// largestDraft is how many bytes the documents of a search may have.
const largestDraft = 1024

// work is what a request makes the engine do. Each number counts the result, not the draws on the
// budget.
type work struct {
	statements, sql int // and their bytes
	operands        int // bytes
	introspected    int // bytes
	allocated       int // bytes
}

// costs are the kinds of work that are searched for.
var costs = map[string]func(w work) int{
	"statements":           func(w work) int { return w.statements },
	"bytes of SQL":         func(w work) int { return w.sql },
	"bytes of operands":    func(w work) int { return w.operands },
	"bytes introspected":   func(w work) int { return w.introspected },
	"bytes of memory used": func(w work) int { return w.allocated },
}

// most is how much of each kind a request of size bytes may cause; standard is how many bytes the
// standard introspection query answers with.
func most(size, standard int) work {
	return work{
		statements:   budget.Of(budget.RootFields, size) + budget.Of(budget.Statements, size),
		sql:          budget.Of(budget.SQL, size),
		operands:     budget.Of(budget.Operands, size) + size,
		introspected: budget.Of(budget.Bytes, size) + 5*standard/2 + 2*size,
		allocated:    64 << 20,
	}
}

// costWorld is the executor and role of a search.
type costWorld struct {
	executor *Executor
	session  *session.Session
	role     *schema.Role
	standard int
}

func newCostWorld(t testing.TB, e *Executor, role string) *costWorld {
	w := &costWorld{executor: e, session: &session.Session{Role: role, Variables: map[string]string{
		session.RoleHeader: role, session.UserID: "7", "x-engine-artist-id": "1",
	}}}
	w.role = e.role(e.state.Load(), &request{session: w.session})
	got, accepted := w.ask(t.Context(), introspectionQuery, "")
	require.True(t, accepted)
	w.standard = got.introspected
	require.Greater(t, w.standard, 10_000)
	return w
}

// roots are the root fields that a search begins with: those of introspection, or of data.
func (w *costWorld) roots(introspection bool) []*schema.Field {
	if introspection {
		roots := []*schema.Field{w.role.MetaField("__schema"), w.role.MetaField("__type")}
		if f := w.role.Query().Field("_service"); f != nil {
			roots = append(roots, f)
		}
		return roots
	}
	return nil
}

// ask plans a request, and answers it if only the schema is needed. accepted reports whether it was not
// refused.
func (w *costWorld) ask(ctx context.Context, text, variables string) (got work, accepted bool) {
	e := w.executor
	s := e.borrow()
	defer e.giveBack(s)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := e.prepare(ctx, &request{session: w.session, text: text, variables: []byte(variables)}, s)
	if err == nil {
		got.statements, got.sql = r.plan.Size()
		for _, list := range [][][]byte{s.run.Bound, s.run.Bodies} {
			for _, b := range list {
				got.operands += len(b)
			}
		}
		if got.statements == 0 && r.plan.Needs().Has(execute.NeedsSchema) {
			out := backend.NewAnswer(nil, io.Discard, 0)
			if err = r.plan.Write(ctx, &s.run, out); err == nil {
				err = out.Close()
			}
			got.introspected = int(out.Sent())
		}
	}
	runtime.ReadMemStats(&after)
	got.allocated = int(after.TotalAlloc - before.TotalAlloc) //nolint:gosec // G115: less than any memory
	return got, err == nil
}

// worst is the most expensive request that a search has found, for its size.
type worst struct {
	ratio           float64
	text, variables string
	work            work
}

// climb changes a document again and again, and goes on with the one that costs the most for
// its size. A document that costs more than its size allows fails the test.
func (w *costWorld) climb(t testing.TB, r *rand.Rand, kind string, roots []*schema.Field, cost func(work) int, steps int) worst {
	var found worst
	current := newDraft(r, w.role, kind, roots)
	for range steps {
		next := current.copy()
		for range 1 + r.IntN(4) {
			next.change()
		}
		text, variables := next.text()
		if len(text)+len(variables) > largestDraft {
			continue
		}
		got, accepted := w.ask(t.Context(), text, variables)
		w.holds(t, got, text, variables)
		if !accepted {
			continue
		}
		if ratio := float64(cost(got)) / float64(len(text)+len(variables)); ratio >= found.ratio {
			found, current = worst{ratio, text, variables, got}, next
		}
	}
	return found
}

// holds requires that a request costs no more than its size allows.
func (w *costWorld) holds(t testing.TB, got work, text, variables string) {
	limit := most(len(text)+len(variables), w.standard)
	for name, cost := range costs {
		require.LessOrEqual(t, cost(got), cost(limit), "%s of %s %s as %s", name, text, variables, w.session.Role)
	}
}

// search tries documents of all kinds, and returns the worst ratio of each kind of cost.
func search(t testing.TB, tries int) map[string]worst {
	shop := newFixture(t, "testdata/cases/shop", Config{MaxTokens: maxTokens, Federation: true})
	mutations := newFixture(t, "testdata/cases/mutations", Config{MaxTokens: maxTokens})
	joins := newFixture(t, "testdata/cases/joins", Config{MaxTokens: maxTokens})
	found := map[string]worst{}
	for _, role := range []string{session.Admin, "clerk"} {
		for name, cost := range costs {
			for _, at := range []struct {
				e             *Executor
				kind          string
				introspection bool
			}{{shop, "query", true}, {mutations, "query", true}, {shop, "query", false}, {mutations, "mutation", false}, {joins, "query", false}} {
				w := newCostWorld(t, at.e, role)
				if at.kind == "mutation" && w.role.Mutation() == nil || (name == "bytes introspected") != at.introspection && name != "bytes of memory used" {
					continue
				}
				for _, seed := range []uint64{1, 2, 3, 4} { // each begins elsewhere
					r := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // G404: a test that can be repeated
					key := name + " as " + role
					if next := w.climb(t, r, at.kind, w.roots(at.introspection), cost, tries/4); next.ratio > found[key].ratio {
						found[key] = next
					}
				}
			}
		}
	}
	return found
}

// TestRequestsCostWhatTheirSizeAllows looks for short documents that cost much, and holds that none
// costs more than a request of its size may.
func TestRequestsCostWhatTheirSizeAllows(t *testing.T) { //nolint:paralleltest // it measures the whole process
	found := search(t, *tries)
	var names []string
	for name, w := range found {
		require.Positive(t, w.ratio, name)
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		t.Logf("%s: %.2f for each byte, of %d bytes: %s %s", name, found[name].ratio, len(found[name].text)+len(found[name].variables), found[name].text, found[name].variables)
	}
}

// FuzzRequestCost is the same search from any beginning.
func FuzzRequestCost(f *testing.F) {
	e := newFixture(f, "testdata/cases/shop", Config{MaxTokens: maxTokens, Federation: true})
	worlds := []*costWorld{newCostWorld(f, e, session.Admin), newCostWorld(f, e, "clerk")}
	names := []string{"statements", "bytes of SQL", "bytes of operands", "bytes introspected", "bytes of memory used"}
	for seed := range uint64(10) {
		f.Add(seed, uint8(seed)) //nolint:gosec // G115: a small number
	}
	f.Fuzz(func(t *testing.T, seed uint64, choice uint8) {
		w := worlds[int(choice)%2]
		name := names[int(choice)/2%len(names)]
		r := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // G404: a test that can be repeated
		w.climb(t, r, "query", w.roots(name == "bytes introspected"), costs[name], 30)
	})
}

// BenchmarkWorstRequests is a long search, whose worst ratios are its metrics: what a request
// costs for each of its bytes.
func BenchmarkWorstRequests(b *testing.B) {
	for range b.N {
		for name, w := range search(b, max(*tries, 4000)) {
			b.ReportMetric(w.ratio, strings.ReplaceAll(name, " ", "-")+"/byte")
			b.Logf("%s: %.2f for each byte: %s %s", name, w.ratio, w.text, w.variables)
		}
	}
	b.ReportMetric(0, "ns/op")
}
