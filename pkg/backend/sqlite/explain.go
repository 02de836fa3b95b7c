package sqlite

import (
	"context"
	"strconv"
	"strings"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/answer"
	"queryengine/pkg/backend/input"
	"queryengine/pkg/backend/sqltext"
)

// Explain gives the text of a statement with its values instead of its parameters, and the lines
// of the database's plan. Nothing is executed. The values are for people to read: the database gets the
// text with parameters.
func (s *Source) Explain(ctx context.Context, st backend.Statement, a backend.Args) (string, []string, error) {
	stmt, err := statementOf(st)
	if err != nil {
		return "", nil, err
	}
	values, err := stmt.values(&a)
	if err != nil {
		return "", nil, err
	}
	shown, err := stmt.shown(func(p sqltext.Param) (string, error) {
		text, err := p.Resolve(&a, input.ListText)
		if text == nil {
			return "NULL", err
		}
		return literal(string(text)), err
	})
	if err != nil {
		return "", nil, err
	}
	c, err := s.read.acquire(ctx)
	if err != nil {
		return "", nil, err
	}
	defer s.read.release(c)
	plan, err := c.plan(ctx, stmt.text, values)
	return shown, plan, err
}

// plan is the plan of a statement, one line for each step, which is indented below the one that it
// belongs to.
func (c *conn) plan(ctx context.Context, text string, values []value) ([]string, error) {
	text = "EXPLAIN QUERY PLAN " + text
	var lines []string
	depths := map[string]int{"0": 0}
	_, err := c.rows(ctx, text, values, func(row answer.Cells) error {
		depth := depths[string(row.Values[1])]
		depths[string(row.Values[0])] = depth + 1
		lines = append(lines, strings.Repeat("  ", depth)+string(row.Values[3]))
		return nil
	})
	return lines, queryError(ctx, err, executed{SQL: text, Values: values})
}

// literal is a value for people to read: a number as it is.
func literal(text string) string {
	if _, err := strconv.ParseInt(text, 10, 64); err == nil {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}

// quoteName writes an identifier as SQL.
func quoteName(name string) string {
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}
