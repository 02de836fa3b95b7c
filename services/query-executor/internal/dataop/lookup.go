package dataop

import (
	"context"

	"queryengine/pkg/backend"
	"queryengine/pkg/resolve"
	"queryengine/pkg/session"
	"queryengine/services/query-executor/internal/lookup"
)

// findLookups finds what the rules in a plan take from other sources.
func (p *plan) findLookups(s *resolve.Schema) error {
	statement := any(p.query)
	if p.query == nil {
		statement = p.mutation
	}
	for _, l := range lookup.In(statement) {
		found, err := s.Lookup(l)
		if err != nil {
			return err
		}
		p.lookups = append(p.lookups, found)
	}
	return nil
}

// look asks the other sources, one after the other: hardly any rule takes anything from one.
func (h *Handler) look(ctx context.Context, p *plan, user *session.Session) (map[string][][]byte, error) {
	if len(p.lookups) == 0 {
		return nil, nil
	}
	found := make(map[string][][]byte, len(p.lookups))
	for _, l := range p.lookups {
		values, err := h.values(ctx, l, backend.Args{Session: user, Scan: &p.scan})
		if err != nil {
			return nil, missingVariable(err)
		}
		found[backend.LookupKey(l.Lookup)] = values
	}
	return found, nil
}

func (h *Handler) values(ctx context.Context, l *resolve.Lookup, args backend.Args) ([][]byte, error) {
	source, release, err := h.Source(l.Table.Source.Name)
	if err != nil {
		return nil, err
	}
	defer release()
	statement, err := l.Table.Source.Dialect.RenderQuery(lookup.Root(l), h.Render)
	if err != nil {
		return nil, err
	}
	out := backend.NewAnswer(nil, nil, h.FrameSize)
	if err := source.Query(ctx, statement, args, out); err != nil {
		return nil, err
	}
	return lookup.Values(out.Buf)
}
