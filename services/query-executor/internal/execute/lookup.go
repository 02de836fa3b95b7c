package execute

import (
	"context"
	"fmt"

	"queryengine/pkg/backend"
	"queryengine/pkg/guard"
	"queryengine/services/query-executor/internal/lookup"
	"queryengine/services/query-executor/internal/plan"
)

// maxLookups bounds the lookups that run at the same time for one operation.
const maxLookups = 4

// valueLookup is a statement for values that rules of permissions take from another source.
type valueLookup struct {
	key string
	query
}

func newLookups(list []plan.Lookup, o options) ([]valueLookup, error) {
	out := make([]valueLookup, len(list))
	for i, l := range list {
		source := l.Table.Source
		statement, err := source.Dialect.RenderQuery(l.Root, o.of(source))
		if err != nil {
			return nil, fmt.Errorf("render a lookup: %w", err)
		}
		out[i] = valueLookup{l.Key, query{from: source.Name, statement: statement}}
	}
	return out, nil
}

// look asks for all lookups.
func (p *Prepared) look(ctx context.Context, r *Run) error {
	if len(p.lookups) == 0 {
		return nil
	}
	found := make([][][]byte, len(p.lookups))
	g, ctx := guard.WithContext(ctx)
	g.SetLimit(maxLookups)
	for i := range p.lookups {
		g.Go(func() (err error) {
			found[i], err = p.lookups[i].values(ctx, r)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	r.lookups = make(map[string][][]byte, len(found))
	for i := range p.lookups {
		r.lookups[p.lookups[i].key] = found[i]
	}
	return nil
}

// values are the values as texts.
func (l *valueLookup) values(ctx context.Context, r *Run) ([][]byte, error) {
	out := backend.NewAnswer(nil, nil, 0)
	if err := l.run(ctx, r, nil, out); err != nil {
		return nil, err
	}
	return lookup.Values(out.Buf)
}
