package sqlite

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"zombiezen.com/go/sqlite"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/answer"
	"queryengine/pkg/catalog"
)

// RunSQL runs statements unchanged and, unless the request sets NoTransaction, in one transaction. The
// connection is closed afterwards: the text's changes to it (a PRAGMA, temporary tables) must not reach
// the next user.
//
// A read-only text can't change what the hooks look at, so they aren't called for it.
func (s *Source) RunSQL(ctx context.Context, r backend.RawSQL) (*backend.RawResult, error) {
	if strings.ContainsRune(r.SQL, 0) {
		return nil, rawError(ctx, deniedError{"the text holds a zero byte"}, r.SQL)
	}
	if s.options.ReadOnly && !r.ReadOnly {
		return nil, apierror.New(apierror.NotSupported, "the source is read-only")
	}
	p := s.write
	if r.ReadOnly {
		p = s.read
	}
	c, err := p.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer p.release(c)
	c.discarded = true
	c.db.Limit(sqlite.LimitLength, maxRawLength)
	run := rawRun{c: c, request: r}
	c.guard.taken()
	var result *backend.RawResult
	switch {
	case r.ReadOnly:
		result, err = run.readOnly(ctx)
	case r.NoTransaction:
		result, err = run.withoutTransaction(ctx)
	default:
		result, err = run.inTransaction(ctx)
	}
	if !r.ReadOnly && (err == nil || r.NoTransaction) {
		s.changes.tellAll()
	}
	return result, err
}

// What a text may hold in memory: a value or a row, and the rows that are returned.
const (
	maxRawLength = 64 << 20
	maxRawResult = 64 << 20
)

// rawRun is one run of a RawSQL.
type rawRun struct {
	c       *conn
	request backend.RawSQL
	// kept is how much of results is in memory.
	kept int
}

// keep counts a row of a result.
func (r *rawRun) keep(cells answer.Cells) error {
	const overhead = 32 // of a row and of each value
	r.kept += overhead
	for _, v := range cells.Values {
		r.kept += overhead + len(v)
	}
	if r.kept > maxRawResult {
		return deniedError{fmt.Sprintf("the result is larger than %d MiB: select less of it", maxRawResult>>20)}
	}
	return nil
}

func (r *rawRun) readOnly(ctx context.Context) (*backend.RawResult, error) {
	// One snapshot for all statements.
	if err := r.c.exec(ctx, "BEGIN"); err != nil {
		return nil, err
	}
	defer r.c.rollback()
	return r.text(ctx, guardReadOnly)
}

// inTransaction runs everything in one transaction, which the text can't end.
func (r *rawRun) inTransaction(ctx context.Context) (*backend.RawResult, error) {
	if err := r.c.exec(ctx, sqlBegin); err != nil {
		return nil, err
	}
	defer r.c.rollback()
	if err := r.hook(ctx, r.request.Before); err != nil {
		return nil, err
	}
	result, err := r.text(ctx, guardText)
	if err != nil {
		return nil, err
	}
	if err := r.hook(ctx, r.request.Check); err != nil {
		return nil, err
	}
	return result, rawError(ctx, r.c.exec(ctx, "COMMIT"), r.request.SQL)
}

// withoutTransaction runs the statements one by one. The hooks have transactions of their own; what the
// text did can't be undone.
func (r *rawRun) withoutTransaction(ctx context.Context) (*backend.RawResult, error) {
	if err := r.separately(ctx, r.request.Before); err != nil {
		return nil, err
	}
	result, err := r.text(ctx, guardFreeText)
	// A transaction that the text has left open has no end.
	r.c.rollback()
	if err != nil {
		return nil, err
	}
	return result, r.separately(ctx, r.request.Check)
}

type rawHook = func(ctx context.Context, introspect backend.IntrospectFunc) error

// separately calls a hook in a transaction of its own.
func (r *rawRun) separately(ctx context.Context, hook rawHook) error {
	if hook == nil {
		return nil
	}
	if err := r.c.exec(ctx, "BEGIN"); err != nil {
		return err
	}
	defer r.c.rollback()
	return r.hook(ctx, hook)
}

// hook calls a hook with introspection as the open transaction sees the database.
func (r *rawRun) hook(ctx context.Context, hook rawHook) error {
	if hook == nil {
		return nil
	}
	return hook(ctx, func(ctx context.Context, enums []catalog.Name) (*catalog.Source, error) {
		return r.c.introspect(ctx, enums, nil)
	})
}

// text runs the statements of the text and returns the result of the last one.
func (r *rawRun) text(ctx context.Context, mode guardMode) (*backend.RawResult, error) {
	r.c.guard.mode = mode
	defer func() { r.c.guard.mode = guardOwn }()
	defer r.c.within(ctx)()
	last := &backend.RawResult{}
	var statements []backend.RawStatement
	for rest := strings.TrimSpace(r.request.SQL); rest != ""; {
		var writes []string
		done := r.c.guard.record(&writes)
		stmt, trailing, err := r.c.db.PrepareTransient(rest)
		done()
		if err != nil {
			return nil, rawError(ctx, r.c.guard.explain(err), r.request.SQL)
		}
		rest = strings.TrimSpace(rest[len(rest)-trailing:])
		result, err := r.run(stmt, writes)
		if err != nil {
			return nil, rawError(ctx, err, r.request.SQL)
		}
		if result != nil {
			last = result
			statements = append(statements, result.Statements...)
		}
	}
	if r.request.AllResults {
		last = &backend.RawResult{Statements: statements}
	}
	return last, nil
}

// run runs a statement and finalizes it. The result is nil for one that is only white space or a
// comment.
func (r *rawRun) run(stmt *sqlite.Stmt, writes []string) (*backend.RawResult, error) {
	defer func() { _ = stmt.Finalize() }()
	result := &backend.RawResult{}
	var header []string
	for i := range stmt.ColumnCount() {
		header = append(header, stmt.ColumnName(i))
	}
	if r.request.AllResults {
		statement, err := r.statement(stmt, header, writes)
		if codeOf(err) == sqlite.ResultMisuse {
			return nil, nil
		}
		result.Statements = []backend.RawStatement{statement}
		return result, err
	}
	if header != nil {
		result.Rows = [][]string{header}
	}
	err := r.c.step(stmt, func(cells answer.Cells) error {
		if err := r.keep(cells); err != nil {
			return err
		}
		row := make([]string, len(cells.Values))
		for i, v := range cells.Values {
			row[i] = "NULL"
			if v != nil {
				row[i] = string(v)
			}
		}
		result.Rows = append(result.Rows, row)
		return nil
	})
	if codeOf(err) == sqlite.ResultMisuse {
		// The driver makes a statement of white space and comments, and none of it can be run.
		return nil, nil
	}
	return result, err
}

// statement runs a statement for a request for the results of all of them.
func (r *rawRun) statement(stmt *sqlite.Stmt, columns, writes []string) (backend.RawStatement, error) {
	result := backend.RawStatement{Columns: columns}
	if columns != nil {
		result.Counts(0)
	}
	err := r.c.step(stmt, func(cells answer.Cells) (err error) {
		result.Returns(r.request, func() []json.RawMessage {
			err = r.keep(cells)
			row := make([]json.RawMessage, len(cells.Values))
			for i, v := range cells.Values {
				t := class(cells.Types[i])
				row[i] = answer.JSONOf(v, t == classInteger || t == classReal)
			}
			return row
		})
		return err
	})
	// What changes the schema writes a table, too, and counts nothing.
	if columns == nil && len(writes) > 0 && !slices.Contains(writes, "sqlite_master") {
		result.Counts(int64(r.c.db.Changes()))
	}
	return result, err
}
