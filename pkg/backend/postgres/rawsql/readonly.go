package rawsql

import (
	"context"
	"slices"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/lexer"
	"queryengine/pkg/backend/postgres/wire"
)

// readOnly runs the text in a read-only transaction that the text can't leave.
//
// BEGIN READ ONLY alone doesn't hold: a text that may consist of several statements ends
// that transaction with its first one and writes with the next. What holds, each part for
// itself against what the others might let through:
//
//   - The statements are sent one by one as prepared statements. The server takes one
//     command per message then, however the text was split.
//   - A command that controls transactions isn't sent.
//   - The server doesn't make a transaction writable after its first snapshot, by whatever
//     spelling; a query takes that snapshot before the text runs.
//   - After each statement it must still be the same transaction, and read-only. If not,
//     nothing more is sent.
//   - Transactions of the session are read-only by default.
//   - The transaction is rolled back in any case, and the connection closed.
//
// What the server allows in a read-only transaction stays possible, as for every role with
// the same rights: functions with effects outside of the transaction, such as dblink.
func (r *rawRun) readOnly(ctx context.Context) (*backend.RawResult, error) {
	defer r.rollback(ctx)
	if err := r.exec(ctx, "SET default_transaction_read_only = on"); err != nil {
		return nil, err
	}
	if err := r.exec(ctx, "BEGIN ISOLATION LEVEL "+r.isolation.SQL()+" READ ONLY"); err != nil {
		return nil, err
	}
	if err := r.announce(ctx, true); err != nil {
		return nil, err
	}
	g, err := r.newGuard(ctx, true)
	if err != nil {
		return nil, err
	}
	return r.guarded(ctx, g)
}

// guarded sends the statements one by one, none of which may leave the transaction.
func (r *rawRun) guarded(ctx context.Context, g guard) (*backend.RawResult, error) {
	result := &backend.RawResult{}
	for _, statement := range lexer.Statements(r.request.SQL) {
		if command := forbidden(statement); command != "" {
			return nil, refusal(r.request.SQL, stateReadOnlyTransaction, "cannot execute "+command+" in "+g.kind())
		}
		var err error
		if result, err = r.single(ctx, statement); err != nil {
			return nil, err
		}
		if err := g.check(ctx); err != nil {
			return nil, err
		}
	}
	return result, nil
}

// single runs one command. More than one is an error of the server.
func (r *rawRun) single(ctx context.Context, statement string) (*backend.RawResult, error) {
	rows := r.pg.ExecParams(ctx, statement, nil, nil, nil, nil)
	result := r.read(rows)
	if _, err := rows.Close(); err != nil {
		return nil, wire.RawError(ctx, err, r.request.SQL)
	}
	return result, nil
}

// forbidden names the command of a statement that mustn't run in a transaction that holds; it is
// empty for all others. Savepoints stay inside of the transaction. COPY writes files and
// starts programs, which no transaction contains.
func forbidden(statement string) string {
	words := lexer.LeadingWords(statement, 4)
	if len(words) == 0 {
		return ""
	}
	switch words[0] {
	case "BEGIN", "START", "COMMIT", "END", "ABORT", "COPY":
		return words[0]
	case "ROLLBACK":
		if !slices.Contains(words[1:], "TO") {
			return words[0]
		}
	case "PREPARE":
		if len(words) > 1 && words[1] == "TRANSACTION" {
			return "PREPARE TRANSACTION"
		}
	}
	return ""
}

// guard watches that a connection stays in the transaction that it was made in, and that this stays
// read-only when it was.
type guard struct {
	run      *rawRun
	started  string
	readOnly bool
}

// kind is what messages call the transaction.
func (g guard) kind() string {
	if g.readOnly {
		return "a read-only transaction"
	}
	return "a dry run"
}

// guardSQL returns which transaction this is and whether it may write. Being a query, it takes a
// snapshot.
const guardSQL = `SELECT pg_catalog.now()::text, pg_catalog.current_setting('transaction_read_only')`

func (r *rawRun) newGuard(ctx context.Context, readOnly bool) (guard, error) {
	g := guard{run: r, readOnly: readOnly}
	started, _, err := g.read(ctx)
	g.started = started
	return g, err
}

func (g guard) check(ctx context.Context) error {
	if g.run.pg.TxStatus() == 'T' {
		started, readOnly, err := g.read(ctx)
		if err != nil {
			return err
		}
		if started == g.started && (readOnly || !g.readOnly) {
			return nil
		}
	}
	return refusal(g.run.request.SQL, stateReadOnlyTransaction, "cannot leave "+g.kind())
}

func (g guard) read(ctx context.Context) (started string, readOnly bool, err error) {
	rows := g.run.pg.ExecParams(ctx, guardSQL, nil, nil, nil, nil)
	if rows.NextRow() {
		row := rows.Values()
		started, readOnly = string(row[0]), string(row[1]) == "on"
	}
	if _, err := rows.Close(); err != nil {
		return "", false, wire.RawError(ctx, err, g.run.request.SQL)
	}
	return started, readOnly, nil
}
