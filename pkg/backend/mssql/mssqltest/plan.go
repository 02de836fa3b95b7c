package mssqltest

import (
	"context"
	"strings"

	"queryengine/pkg/backend/mssql/tdstest"
)

// plan explains a batch, which begins with its parameters as variables, as SQL Server does while SHOWPLAN_TEXT is on:
// with a result for the text, and one for the operators.
func (s *session) plan(ctx context.Context, text string) (shown, plan tdstest.Result) {
	var params []*string
	var last []node
	for _, last = range statements(text) {
		if !last[0].is("declare") {
			continue
		}
		var value *string
		if given := last[len(last)-1]; !given.is("null") {
			value = tdstest.Text(strings.ReplaceAll(given.text[2:len(given.text)-1], "''", "'"))
		}
		params = append(params, value)
	}
	own, values := ownParameters(define(last), params)
	plan = s.run(ctx, "EXPLAIN "+own, values)
	if plan.Err != nil {
		return plan, plan
	}
	var lines [][]*string
	for row := range plan.Rows {
		lines = append(lines, []*string{tdstest.Text("  |--" + *row[0])})
	}
	columns := []tdstest.Column{{Name: "StmtText", Type: "nvarchar"}}
	return tdstest.Result{Columns: columns, Rows: tdstest.Rows([]*string{&text})}, tdstest.Result{Columns: columns, Rows: tdstest.Rows(lines...)}
}
