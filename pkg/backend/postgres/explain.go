package postgres

import (
	"context"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/quote"
	"queryengine/pkg/backend/postgres/wire"
	"queryengine/pkg/backend/sqltext"
)

// Explain gives the text of a statement with its values instead of its parameters, and
// the lines of the database's plan. Nothing is executed. The values are for people to read:
// the database gets the text with parameters, as it does when the statement runs.
func (s *Server) Explain(ctx context.Context, st backend.Statement, a backend.Args) (string, []string, error) {
	stmt, values, err := prepare(st, &a)
	if err != nil {
		return "", nil, err
	}
	ahead, err := s.session.forSession(a.Session)
	if err != nil {
		return "", nil, err
	}
	c, err := s.reader().Acquire(ctx)
	if err != nil {
		return "", nil, err
	}
	defer c.Release()
	text, err := stmt.textFor(c.UTC())
	if err != nil {
		return "", nil, err
	}
	shown, err := stmt.render(mode{local: text != stmt.utc, inline: func(p sqltext.Param) (string, error) {
		value, err := p.Resolve(&a, quote.Array)
		if value == nil {
			return "NULL", err
		}
		return quote.Literal(string(value)), err
	}})
	if err != nil {
		return "", nil, err
	}
	explain := wire.Text{SQL: "EXPLAIN " + text.SQL, Once: true}
	var plan []string
	// The planner may call functions to estimate what they give.
	e := access{ahead, true}.of(wire.Execution{Text: &explain, Values: values})
	if _, err = c.EachRow(ctx, e, func(row [][]byte) error {
		plan = append(plan, string(row[0]))
		return nil
	}); err != nil {
		c.Rollback(ctx)
		return "", nil, wire.QueryError(ctx, err, wire.Executed{SQL: explain.SQL, Args: values})
	}
	return shown.SQL, plan, nil
}
