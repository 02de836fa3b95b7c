package changestream

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"queryengine/pkg/backend/postgres/pgoutput"
	"queryengine/pkg/backend/postgres/quote"
	"queryengine/pkg/backend/postgres/wire"
)

const (
	// most and mostBytes bound what is gathered before it is stored.
	most      = 500
	mostBytes = 1 << 20
)

// rows stores the rows as they are, from p.place on. In the transaction of begin they are those at the
// place where the slot begins. When that was interrupted the rest are those of now: all that has
// happened to them since is in the log, too, and leads to the same rows once it is read.
func (p *publisher) rows(ctx context.Context) error {
	if p.pg.TxStatus() == wire.Idle {
		if err := p.resumeRows(ctx); err != nil {
			return err
		}
	}
	first := p.place.Table
	for i := first; i < len(p.definition.Tables); i++ {
		var after []string
		if i == first {
			after = p.place.After
		}
		if err := p.rowsOf(ctx, i, after); err != nil {
			return err
		}
	}
	if err := run(ctx, p.pg, wire.Commit); err != nil {
		return err
	}
	if err := p.followPartitions(ctx); err != nil {
		return err
	}
	at := p.place
	at.Table, at.After, at.Ready = 0, nil, true
	return p.store(ctx, []Message{{Op: OpReady, Place: at}})
}

// resumeRows begins to read the rest of the rows, on the server that had the first ones: of another one they may be earlier.
func (p *publisher) resumeRows(ctx context.Context) error {
	connection, err := p.pool.DialReplication(ctx)
	if err != nil {
		return fmt.Errorf("the log can't be read: %w", err)
	}
	defer closeQuietly(ctx, connection)
	if err := p.enter(ctx, connection); err != nil {
		return err
	}
	if err := run(ctx, p.pg, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"); err != nil {
		return err
	}
	end, err := query(ctx, p.pg, "SELECT pg_current_wal_insert_lsn()::text") // what the transaction sees is before that
	if err != nil {
		return err
	}
	at, err := pgoutput.ParseLSN(string(end[0][0]))
	p.place.Rows = uint64(at)
	return err
}

// rowsOf stores the rows of a table, from behind a key on. The server waits while they are stored.
func (p *publisher) rowsOf(ctx context.Context, index int, after []string) error {
	t := &p.definition.Tables[index]
	result := p.pg.ExecParams(ctx, p.tables[index].rowsSQL(after), nil, nil, nil, nil)
	var messages []Message
	bytes := 0
	for result.NextRow() {
		values := result.Values()
		m := Message{
			Op: OpRow, Table: t.Name, Key: append([]byte{}, values[0]...), New: append([]byte{}, values[1]...),
			Place: p.place,
		}
		m.Place.Table, m.Place.After = index, nil
		for _, v := range values[2:] {
			m.Place.After = append(m.Place.After, string(v))
			bytes += len(v)
		}
		messages = append(messages, m)
		if bytes += len(m.Key) + len(m.New); len(messages) < most && bytes < mostBytes {
			continue
		}
		if err := p.store(ctx, messages); err != nil {
			_, _ = result.Close()
			return err
		}
		messages, bytes = nil, 0
	}
	if _, err := result.Close(); err != nil {
		if after != nil && refuses(err) { // the key isn't what it was
			return errors.Join(errUnclear, err)
		}
		return err
	}
	return p.store(ctx, messages)
}

// rowsSQL reads the rows of a table behind a key.
func (t *table) rowsSQL(after []string) string {
	items := []string{"(" + t.KeyObject + ")::text", "(" + t.Document + ")::text"}
	key := make([]string, len(t.Key))
	for i, name := range t.Key {
		key[i] = "r." + quote.Name(name)
		items = append(items, key[i]+"::text")
	}
	where := "(" + t.Condition + ")"
	if after != nil {
		values := make([]string, len(after))
		for i, v := range after {
			values[i] = quote.Literal(v)
		}
		where += " AND (" + strings.Join(key, ", ") + ") > (" + strings.Join(values, ", ") + ")"
	}
	from := "ONLY "
	if t.partitioned {
		from = ""
	}
	return "SELECT " + strings.Join(items, ", ") + " FROM " + from + quote.Qualified(t.Name) + " AS r WHERE " + where +
		" ORDER BY " + strings.Join(key, ", ")
}
