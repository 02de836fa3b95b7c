package execute

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/services/query-executor/internal/plan"
	"queryengine/services/query-executor/internal/rawjson"
)

// maxLookups bounds the lookups that run at the same time for one operation.
const maxLookups = 4

// lookup is a statement for values that rules of permissions take from another source.
type lookup struct {
	key string
	query
}

func newLookups(list []plan.Lookup, o options) ([]lookup, error) {
	out := make([]lookup, len(list))
	for i, l := range list {
		source := l.Table.Source
		statement, err := source.Dialect.RenderQuery(l.Root, o.of(source))
		if err != nil {
			return nil, fmt.Errorf("render a lookup: %w", err)
		}
		out[i] = lookup{l.Key, query{source: source.Name, statement: statement}}
	}
	return out, nil
}

// look asks for all lookups.
func (p *Prepared) look(ctx context.Context, r *Run) error {
	if len(p.lookups) == 0 {
		return nil
	}
	found := make([][][]byte, len(p.lookups))
	g, ctx := errgroup.WithContext(ctx)
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
func (l *lookup) values(ctx context.Context, r *Run) ([][]byte, error) {
	out := backend.NewAnswer(nil, nil, 0)
	if err := l.run(ctx, r, nil, out); err != nil {
		return nil, err
	}
	values := [][]byte{}
	c := rawjson.NewCursor(out.Buf)
	err := c.Array(func() error {
		return c.Object(func([]byte) error {
			value, err := c.Value()
			if err == nil && rawjson.KindOf(value) == rawjson.String {
				var text string
				text, err = rawjson.Text(value)
				value = []byte(text)
			}
			values = append(values, value)
			return err
		})
	})
	switch {
	case err != nil:
		return nil, apierror.New(apierror.Unexpected, "the answer to a lookup is malformed").WithInternal(err.Error())
	case len(values) > plan.MaxLookup:
		return nil, apierror.Newf(apierror.Unexpected, "a rule on a remote relationship has more than %d values", plan.MaxLookup)
	}
	return values, nil
}
