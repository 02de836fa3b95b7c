package queryexecutor

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/resolve"
	"queryengine/pkg/session"
	queryv1 "queryengine/proto/query/v1"
	"queryengine/services/query-executor/internal/budget"
	"queryengine/services/query-executor/internal/dataop"
)

// measuredSource counts requests, and answers nothing.
type measuredSource struct {
	backend.Source
	backend.Tx
	statements, sql int
}

func (m *measuredSource) Query(_ context.Context, s backend.Statement, _ backend.Args, out *backend.Answer) error {
	m.statements++
	m.sql += len(s.SQL())
	out.Buf = append(out.Buf, `{"aggregate":{"count":0}}`...)
	return nil
}

func (m *measuredSource) Mutate(_ context.Context, _ *session.Session, f func(backend.Tx) error) error {
	return f(m)
}

// dataGenerator writes data operations: requests for related rows inside of related rows.
type dataGenerator struct {
	random *rand.Rand
	keys   int
}

func (g *dataGenerator) operation(t *resolve.Table) string {
	args := fmt.Sprintf(`"table":%q`, t.Meta.Table.Name)
	switch g.random.IntN(6) {
	case 0:
		return fmt.Sprintf(`{"type":"count","args":{%s,"where":%s}}`, args, g.where(t, 0))
	case 1:
		return fmt.Sprintf(`{"type":"delete","args":{%s,"where":%s,"returning":["*"]}}`, args, g.where(t, 0))
	}
	return fmt.Sprintf(`{"type":"select","args":{%s,%s}}`, args, g.selection(t, 0))
}

func (g *dataGenerator) selection(t *resolve.Table, depth int) string {
	parts := []string{`"columns":[` + g.columns(t, depth) + `]`}
	if g.random.IntN(5) == 0 {
		parts = append(parts, `"where":`+g.where(t, 0))
	}
	if g.random.IntN(5) == 0 {
		parts = append(parts, `"order_by":`+g.order(t))
	}
	return strings.Join(parts, ",")
}

func (g *dataGenerator) columns(t *resolve.Table, depth int) string {
	var items []string
	for range 1 + g.random.IntN(5) {
		if len(t.Relationships) == 0 || depth > 5 || g.random.IntN(3) == 0 {
			items = append(items, `"*`+strings.Repeat(".*", g.random.IntN(6))+`"`)
			continue
		}
		r := pick(g.random, t.Relationships)
		g.keys++
		columns := g.selection(r.Target, depth+1)
		if !r.Array {
			columns = `"columns":[` + g.columns(r.Target, depth+1) + `]`
		}
		items = append(items, fmt.Sprintf(`{"name":%q,"alias":"a%d",%s}`, r.Name, g.keys, columns))
	}
	return strings.Join(items, ",")
}

func (g *dataGenerator) where(t *resolve.Table, depth int) string {
	if len(t.Relationships) == 0 || depth > 8 || g.random.IntN(4) == 0 {
		return "{}"
	}
	r := pick(g.random, t.Relationships)
	inner := func() string { return fmt.Sprintf("{%q:%s}", r.Name, g.where(r.Target, depth+1)) }
	switch g.random.IntN(3) {
	case 0:
		return `{"$or":[` + inner() + "," + inner() + "]}"
	case 1:
		return `{"$not":` + inner() + "}"
	}
	return inner()
}

// order follows object relationships, as long as there are some.
func (g *dataGenerator) order(t *resolve.Table) string {
	var path []string
	for range g.random.IntN(12) {
		for _, r := range t.Relationships {
			if !r.Array {
				path, t = append(path, r.Name), r.Target
				break
			}
		}
	}
	return `["` + strings.Join(append(path, "id"), ".") + `"]`
}

// TestDataOperationsCostWhatTheirSizeAllows is TestRequestsCostWhatTheirSizeAllows for the
// operations of /v1/query.
func TestDataOperationsCostWhatTheirSizeAllows(t *testing.T) {
	t.Parallel()
	e := newFixture(t, "testdata/cases/shop", Config{MaxTokens: maxTokens})
	searchDataOperations(t, e, 20**tries)
}

// searchDataOperations returns the most bytes of SQL for a byte of a request.
func searchDataOperations(t testing.TB, e *Executor, tries int) float64 {
	source := &measuredSource{}
	h := dataop.New(dataop.Deps{
		Metadata: e.metadataAt, Resolve: e.resolveOptions, Admission: e.admission,
		Source: func(string) (backend.Source, func(), error) { return source, func() {}, nil },
	})
	var tables []*resolve.Table
	for _, table := range e.state.Load().schema.Source("default").Tables {
		if len(table.Relationships) > 0 {
			tables = append(tables, table)
		}
	}
	require.NotEmpty(t, tables)
	found, body, accepted := 0.0, "", 0
	for seed := range uint64(tries) { //nolint:gosec // G115: a positive number
		g := &dataGenerator{random: rand.New(rand.NewPCG(seed, 0))} //nolint:gosec // G404: a test that can be repeated
		text := g.operation(pick(g.random, tables))
		if len(text) > largestDraft {
			continue
		}
		for _, role := range []string{session.Admin, "clerk"} {
			source.statements, source.sql = 0, 0
			who := &session.Session{Role: role, Variables: map[string]string{session.RoleHeader: role}}
			err := h.Execute(t.Context(), &queryv1.DataRequest{Session: who.Proto(), Body: []byte(text)}, io.Discard)
			require.LessOrEqual(t, source.statements, 1, text)
			require.LessOrEqual(t, source.sql, budget.Of(budget.SQL, len(text)), text)
			if err != nil {
				continue
			}
			accepted++
			if ratio := float64(source.sql) / float64(len(text)); ratio > found {
				found, body = ratio, text
			}
		}
	}
	require.Greater(t, accepted, tries/10, "most are refused: nothing is searched")
	t.Logf("bytes of SQL: %.0f for each byte: %s", found, body)
	return found
}
