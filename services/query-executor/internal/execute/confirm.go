package execute

import (
	"context"
	"encoding/json"
	"fmt"

	"queryengine/pkg/backend"
	"queryengine/pkg/ir"
	"queryengine/services/query-executor/internal/plan/write"
)

// confirmation is a write.Confirmation with its statement rendered: it counts the rows that pass, or those that don't where NULL passes.
type confirmation struct {
	statement backend.Statement
	failures  bool
}

func newConfirmation(w *write.Write, c *write.Confirmation, o backend.RenderOptions) (*confirmation, error) {
	where := c.Check
	if o.NullChecksPass {
		where = ir.Not{Exp: where}
	}
	statement, err := w.Source.Dialect.RenderQuery(&ir.Aggregate{
		Rows:   ir.Rows{From: c.Written, Where: where, Estimate: -1},
		Fields: []ir.AggregateField{{Alias: "rows", Value: ir.Aggregates{{Alias: "count", Value: &ir.Count{}}}}},
	}, o)
	if err != nil {
		return nil, fmt.Errorf("render a check: %w", err)
	}
	return &confirmation{statement, o.NullChecksPass}, nil
}

// run makes the check of rows that were written, given by their texts.
func (c *confirmation) run(ctx context.Context, r *Run, tx backend.Tx, field string, rows [][]byte, args backend.Args) error {
	if len(rows) == 0 {
		return nil
	}
	args.Lists = [][][]byte{rows}
	r.asks(ctx, field, c.statement, args)
	out := backend.NewAnswer(nil, nil, 0)
	if err := tx.Query(ctx, c.statement, args, out); err != nil {
		return err
	}
	var counted struct{ Rows struct{ Count int } }
	if err := json.Unmarshal(out.Buf, &counted); err != nil {
		return fmt.Errorf("read the result of a check: %w", err)
	}
	failures := counted.Rows.Count
	if !c.failures {
		failures = len(rows) - counted.Rows.Count
	}
	if failures > 0 {
		return backend.CheckFailed()
	}
	return nil
}
