package mssql

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
// of the database's plan. Nothing is executed.
func (s *Source) Explain(ctx context.Context, st backend.Statement, a backend.Args) (string, []string, error) {
	stmt, err := statementOf(st)
	if err != nil {
		return "", nil, err
	}
	values, err := stmt.values(&a)
	if err != nil {
		return "", nil, err
	}
	shown := stmt.text
	if stmt.shown != nil {
		if shown, err = stmt.shown(func(p sqltext.Param) (string, error) {
			text, err := p.Resolve(&a, input.ListText)
			if text == nil {
				return "NULL", err
			}
			return quoteText(string(text)), err
		}); err != nil {
			return "", nil, err
		}
	}
	plan, err := s.plan(ctx, stmt.text, values)
	return shown, plan, err
}

// plan is the plan of a statement as text, one line for each operator.
//
// While SHOWPLAN_TEXT is on, the database explains batches and executes nothing. It explains no call of
// sp_executesql, so the parameters are variables of the batch. Their values are constants, quoted.
func (s *Source) plan(ctx context.Context, text string, values [][]byte) ([]string, error) {
	c, err := s.reader().acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer c.release()
	// The connection isn't used again: in this state it would answer other statements with plans.
	c.discarded = true
	if err := c.exec(ctx, "SET SHOWPLAN_TEXT ON"); err != nil {
		return nil, err
	}
	batch := declared(values) + text
	var lines []string
	_, err = c.rows(ctx, batch, nil, func(row answer.Cells) error {
		line := strings.TrimRight(string(row.Values[0]), " \r\n")
		// The first result holds the text of the batch.
		if strings.HasPrefix(strings.TrimLeft(line, " "), "|--") {
			lines = append(lines, line)
		}
		return nil
	})
	return lines, queryError(ctx, err, executed{SQL: text})
}

// declared declares the parameters of a text as variables.
func declared(values [][]byte) string {
	var b strings.Builder
	for i, v := range values {
		literal := "NULL"
		if v != nil {
			literal = quoteText(string(v))
		}
		b.WriteString("DECLARE " + "@p" + strconv.Itoa(i+1) + " nvarchar(max) = " + literal + ";\n")
	}
	return b.String()
}
