package backendtest

import (
	"embed"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
	"queryengine/pkg/ir"
)

//go:embed testdata/query
var wanted embed.FS

// Query is a plan with its bound values, and the answer.
type Query struct {
	Name    string
	Root    ir.Root
	Options backend.RenderOptions
	Args    backend.Args
	// Shared plans are those of this package: their answers are in its testdata.
	Shared bool
}

// Want is the answer, byte for byte as the engine's own dialect writes it.
func (q Query) Want() string {
	raw, err := wanted.ReadFile("testdata/query/" + q.Name + ".json")
	if err != nil {
		return ""
	}
	return string(raw)
}

// queries collects plans.
type queries struct {
	Plans
	all []Query
}

func (p *queries) add(name string, root ir.Root) *Query {
	p.all = append(p.all, Query{Name: name, Root: root, Shared: true})
	return &p.all[len(p.all)-1]
}

func orderBy(items ...ir.OrderItem) []ir.OrderItem { return items }

// Queries are plans over the tables of Shop.
func Queries(of Plans) []Query {
	p := &queries{Plans: of}
	p.addRows()
	p.addWhere()
	p.addRelated()
	p.addOrdered()
	p.addAggregates()
	p.addPages()
	return p.all
}

func (x *exercise) queries(t *testing.T, at string) {
	b := x.open(t, Shop()...)
	for _, q := range Queries(b.Plans) {
		x.sub(t, at, q.Name, func(t *testing.T, _ string) {
			requireJSON(t, q.Want(), b.answer(t, q))
		})
	}
}

// requireJSON compares two answers: all but white space and the last digits of numbers.
func requireJSON(t *testing.T, want, got string) {
	t.Helper()
	a, err := tokens(want)
	require.NoError(t, err, "the wanted answer")
	b, err := tokens(got)
	require.NoError(t, err, got)
	require.Equal(t, a, b)
}
