package rawsql

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/lexer"
	"queryengine/pkg/backend/postgres/wire"
	"queryengine/pkg/catalog"
)

const (
	stateReadOnlyTransaction = "25006"
	stateFeatureNotSupported = "0A000"
	stateNotInRepertoire     = "22021"
)

// Source is what the texts run on.
type Source struct {
	// Pool is that of the primary.
	Pool *wire.Pool
	// Introspect reads the catalog of the database as the open transaction of a connection sees it,
	// with the rows of some tables that are enums.
	Introspect func(ctx context.Context, pg *pgconn.PgConn, enums []catalog.Name) (*catalog.Source, error)
	// ChangeEventTriggers changes event triggers in the open transaction of a connection.
	ChangeEventTriggers func(ctx context.Context, pg *pgconn.PgConn, c backend.EventTriggerChanges) error
}

// Run runs statements unchanged, on the primary and, unless the request sets NoTransaction, in one
// transaction. The connection is closed afterwards: the text's changes to its session (SET, LISTEN,
// locks, temporary tables) must not reach the next user.
//
// A read-only text can't change what the hooks look at, so they aren't called for it; it always has a
// transaction, even with NoTransaction.
func (s *Source) Run(ctx context.Context, r backend.RawSQL) (*backend.RawResult, error) {
	if err := checkText(r.SQL); err != nil {
		return nil, err
	}
	c, err := s.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer c.Release()
	run := rawRun{source: s, pg: c.PG, direct: c.Direct, request: r, isolation: s.Pool.Endpoint.Isolation}
	switch {
	case r.ReadOnly:
		return run.all(run.readOnly(ctx))
	case r.NoTransaction:
		return run.all(run.withoutTransaction(ctx))
	}
	return run.all(run.inTransaction(ctx))
}

// acquire takes a connection for a text, whose session has no plans of functions for tables as they were: not every text can run
// again. It is closed when it is released.
func (s *Source) acquire(ctx context.Context) (*wire.Conn, error) {
	c, err := s.Pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	c.Discard()
	_ = c.PG.Exec(ctx, "DISCARD PLANS").Close() // if it fails there is nothing lost, or the text fails, too
	return c, nil
}

// all is a result with those of all statements, where the request is for these.
func (r *rawRun) all(result *backend.RawResult, err error) (*backend.RawResult, error) {
	if err == nil && r.request.AllResults {
		result = &backend.RawResult{Statements: r.statements}
	}
	return result, err
}

// checkText refuses what would confuse the connection: a zero byte ends the text on the
// wire, and COPY FROM STDIN waits for data that a request doesn't have.
func checkText(sql string) error {
	if strings.ContainsRune(sql, 0) {
		return refusal(sql, stateNotInRepertoire, `invalid byte sequence for encoding "UTF8": 0x00`)
	}
	for _, statement := range lexer.Statements(sql) {
		words := lexer.LeadingWords(statement, 1)
		if len(words) == 1 && words[0] == "COPY" && lexer.HasWord(statement, "FROM") && lexer.HasWord(statement, "STDIN") {
			return refusal(sql, stateFeatureNotSupported, "COPY FROM STDIN is not supported")
		}
	}
	return nil
}

// refusal is an error of our own in the form of one of the server's.
func refusal(sql, state, message string) error {
	return wire.RawError(context.Background(), &pgconn.PgError{Code: state, Message: message}, sql)
}

// rawRun is one run of a RawSQL on one connection.
type rawRun struct {
	source *Source
	pg     *pgconn.PgConn
	// direct reports whether the session is ours alone, whatever is between us and the server.
	direct    bool
	request   backend.RawSQL
	isolation wire.Isolation
	// statements are the results so far, of a request for all of them.
	statements []backend.RawStatement
}

// inTransaction runs everything in one transaction. A text may end it by itself, as migrations between
// BEGIN and COMMIT do; what is done by then stays, and the rest has a transaction of its own.
func (r *rawRun) inTransaction(ctx context.Context) (*backend.RawResult, error) {
	begin := "BEGIN ISOLATION LEVEL " + r.isolation.SQL()
	result, err := r.steps(ctx, begin)
	if err != nil {
		r.rollback(ctx)
		return nil, err
	}
	return result, nil
}

func (r *rawRun) steps(ctx context.Context, begin string) (*backend.RawResult, error) {
	if err := r.exec(ctx, begin); err != nil {
		return nil, err
	}
	if err := r.announce(ctx, true); err != nil {
		return nil, err
	}
	if err := r.hook(ctx, r.request.Before); err != nil {
		return nil, err
	}
	result, err := r.text(ctx, r.request.SQL)
	if err != nil {
		return nil, err
	}
	if r.pg.TxStatus() == 'I' && r.request.Check != nil {
		if err := r.exec(ctx, begin); err != nil {
			return nil, err
		}
	}
	if err := r.check(ctx); err != nil {
		return nil, err
	}
	if r.pg.TxStatus() == 'I' {
		return result, nil
	}
	return result, r.exec(ctx, "COMMIT")
}

// withoutTransaction sends the statements one by one. The hooks have transactions of their
// own; what the text did can't be undone.
func (r *rawRun) withoutTransaction(ctx context.Context) (*backend.RawResult, error) {
	// In a session that a pooler gives to others next, it would stay.
	if r.direct {
		if err := r.announce(ctx, false); err != nil {
			return nil, err
		}
	}
	before := func(ctx context.Context) error { return r.hook(ctx, r.request.Before) }
	if err := r.separately(ctx, r.request.Before != nil, before); err != nil {
		return nil, err
	}
	result := &backend.RawResult{}
	for _, statement := range lexer.Statements(r.request.SQL) {
		var err error
		if result, err = r.text(ctx, statement); err != nil {
			return nil, err
		}
	}
	return result, r.separately(ctx, r.request.Check != nil, r.check)
}

// separately does something in a transaction of its own.
func (r *rawRun) separately(ctx context.Context, wanted bool, do func(context.Context) error) error {
	if !wanted {
		return nil
	}
	if err := r.exec(ctx, "BEGIN ISOLATION LEVEL "+r.isolation.SQL()); err != nil {
		return err
	}
	if err := do(ctx); err != nil {
		r.rollback(ctx)
		return err
	}
	return r.exec(ctx, "COMMIT")
}

// check calls the hook after the text, and does what follows for event triggers.
func (r *rawRun) check(ctx context.Context) error {
	if err := r.hook(ctx, r.request.Check); err != nil || r.request.EventTriggers == nil {
		return err
	}
	return r.source.ChangeEventTriggers(ctx, r.pg, r.request.EventTriggers())
}

type rawHook = func(ctx context.Context, introspect backend.IntrospectFunc) error

// hook calls a hook with introspection as the open transaction sees the database.
func (r *rawRun) hook(ctx context.Context, hook rawHook) error {
	if hook == nil {
		return nil
	}
	return hook(ctx, func(ctx context.Context, enums []catalog.Name) (*catalog.Source, error) {
		return r.source.Introspect(ctx, r.pg, enums)
	})
}

// text runs SQL that may hold several statements and returns the result of the last one.
func (r *rawRun) text(ctx context.Context, sql string) (*backend.RawResult, error) {
	results := r.pg.Exec(ctx, sql)
	last := &backend.RawResult{}
	for results.NextResult() {
		last = r.read(results.ResultReader())
	}
	if err := results.Close(); err != nil {
		return nil, wire.RawError(ctx, err, r.request.SQL)
	}
	return last, nil
}

// read reads a result in text form; rows may have no columns. Its error is left to the caller
// that reads on.
func (r *rawRun) read(rows *pgconn.ResultReader) *backend.RawResult {
	if r.request.AllResults {
		r.statements = append(r.statements, readStatement(r.request, rows))
		return &backend.RawResult{}
	}
	fields := rows.FieldDescriptions()
	if fields == nil {
		return &backend.RawResult{}
	}
	header := make([]string, len(fields))
	for i, f := range fields {
		header[i] = f.Name
	}
	result := &backend.RawResult{Rows: [][]string{header}}
	for rows.NextRow() {
		row := make([]string, len(fields))
		for i, v := range rows.Values() {
			row[i] = "NULL"
			if v != nil {
				row[i] = string(v)
			}
		}
		result.Rows = append(result.Rows, row)
	}
	return result
}

// announce gives triggers the session, for the transaction or for the session.
func (r *rawRun) announce(ctx context.Context, local bool) error {
	c, ok := wire.Announce(ctx, r.request.Session, local)
	if !ok {
		return nil
	}
	_, err := r.pg.ExecParams(ctx, c.SQL, c.Values, nil, nil, nil).Close()
	return wire.RawError(ctx, err, r.request.SQL)
}

func (r *rawRun) exec(ctx context.Context, sql string) error {
	return wire.RawError(ctx, r.pg.Exec(ctx, sql).Close(), r.request.SQL)
}

// rollback waits until everything is undone, so that the client with the error finds no locks of the
// transaction any more. When it fails, the end of the connection does it.
func (r *rawRun) rollback(ctx context.Context) {
	if r.pg.IsClosed() || r.pg.TxStatus() == 'I' {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), wire.RollbackGrace)
	defer cancel()
	_ = r.pg.Exec(ctx, "ROLLBACK").Close()
}
