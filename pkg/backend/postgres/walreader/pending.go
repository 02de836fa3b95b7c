package walreader

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/pgoutput"
	"queryengine/pkg/backend/postgres/quote"
	"queryengine/pkg/backend/postgres/xid"
)

const (
	// mostNames bounds what is kept of tables, of which some may be gone.
	mostNames = 10_000
	// mostPending bounds the rows of all transactions that aren't told, in bytes: those of more aren't known.
	mostPending = 16 << 20
)

// transaction is one that was read and is not known to be visible.
type transaction struct {
	xid uint32
	// position is where in the log it was committed, and committed when, by the server's clock.
	position  pgoutput.LSN
	committed time.Time
	tables    []tableChange
}

// tableChange is what a transaction has changed in a table.
type tableChange struct {
	table uint32
	rows  *rows
}

// bytes are those of the rows.
func (t *transaction) bytes() (n int) {
	for _, c := range t.tables {
		if c.rows != nil {
			n += c.rows.bytes
		}
	}
	return n
}

// pending is the Sink of a Feed: the tables of transactions, from their commits in the log until they
// are visible. It is bounded by the transactions that commit between two questions and those that wait
// for a standby server.
type pending struct {
	wake chan struct{}

	columns *interest

	// current and relations belong to the goroutine of the stream. relations are described before their
	// first change.
	current   transaction
	relations map[uint32]*pgoutput.Relation

	mu           sync.Mutex
	transactions []transaction
	// bytes are those of the rows of transactions.
	bytes int
	// described are the tables that were described again: what names has of them may be outdated.
	described []uint32

	// names are the ids of a table and of those that it is a part of. They belong to tell.
	names map[uint32][]string
}

func newPending(columns *interest) *pending {
	return &pending{wake: make(chan struct{}, 1), columns: columns, relations: map[uint32]*pgoutput.Relation{}, names: map[uint32][]string{}}
}

// Begin implements Sink.
func (p *pending) Begin(b pgoutput.Begin) error {
	p.current = transaction{xid: b.XID, position: b.Final, committed: b.Time}
	return nil
}

// Origin implements Sink: replicated rows are rows like others.
func (p *pending) Origin(pgoutput.Origin) error { return nil }

// Relation implements Sink. When a table has got another primary key, what was known of its columns when they were read
// about isn't so any more.
func (p *pending) Relation(r *pgoutput.Relation) error {
	if before := p.relations[r.ID]; before != nil && hasOtherKey(before, r) {
		p.columns.forget(r.ID)
	}
	p.relations[r.ID] = r
	p.mu.Lock()
	defer p.mu.Unlock()
	p.described = append(p.described, r.ID)
	return nil
}

// hasOtherKey is only known where the key is the table's replica identity.
func hasOtherKey(before, after *pgoutput.Relation) bool {
	keys := func(r *pgoutput.Relation) (names []string) {
		for _, c := range r.Columns {
			if c.Key {
				names = append(names, c.Name)
			}
		}
		return names
	}
	return before.Identity == pgoutput.IdentityDefault && after.Identity == before.Identity && !slices.Equal(keys(before), keys(after))
}

// Row implements Sink. What is kept of a transaction doesn't grow with its rows, but for a bounded number of
// them.
func (p *pending) Row(relation uint32, message []byte) error {
	known := p.find(relation)
	if known != nil && known.rows == nil {
		return nil // nothing more can become known, as of most of the rows of a large transaction
	}
	var row *rows
	if columns := p.columns.of(relation); len(columns) > 0 && p.relations[relation] != nil {
		m, err := pgoutput.Decode(message)
		if err != nil {
			return err
		}
		row = rowOf(p.relations[relation], m, columns)
	}
	if known == nil {
		p.current.tables = append(p.current.tables, tableChange{relation, row})
	} else {
		known.rows = known.rows.merge(row)
	}
	return nil
}

// find returns what the transaction has changed in a table, and moves it to the end, where most rows look
// for it; nil when it has changed nothing there.
func (p *pending) find(relation uint32) *tableChange {
	list := p.current.tables
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].table == relation {
			last := len(list) - 1
			list[i], list[last] = list[last], list[i]
			return &list[last]
		}
	}
	return nil
}

// Truncate implements Sink.
func (p *pending) Truncate(relations []uint32) error {
	for _, r := range relations {
		if known := p.find(r); known != nil {
			known.rows = nil
		} else {
			p.current.tables = append(p.current.tables, tableChange{table: r})
		}
	}
	return nil
}

// Commit implements Sink.
func (p *pending) Commit(pgoutput.Commit) error {
	if len(p.current.tables) == 0 {
		return nil
	}
	bytes := p.current.bytes()
	p.mu.Lock()
	if p.bytes+bytes > mostPending {
		for i := range p.current.tables {
			p.current.tables[i].rows = nil
		}
		bytes = 0
	}
	p.bytes += bytes
	p.transactions = append(p.transactions, p.current)
	p.mu.Unlock()
	select {
	case p.wake <- struct{}{}:
	default:
	}
	return nil
}

// tell calls changed for the tables of transactions that have become visible, until ctx ends or the server
// can't be queried.
func (p *pending) tell(ctx context.Context, pg *pgconn.PgConn, changed func(backend.Change)) error {
	pause := notYet
	for {
		select {
		case <-p.wake:
		case <-ctx.Done():
			return ctx.Err()
		}
		changes, left, err := p.visible(ctx, pg)
		if err != nil {
			return err
		}
		for _, c := range changes {
			changed(c)
		}
		if len(changes) > 0 {
			pause = notYet
			if err := sleep(ctx, gather); err != nil {
				return err
			}
		}
		if left {
			if err := sleep(ctx, pause); err != nil {
				return err
			}
			pause = min(2*pause, seldom)
			select {
			case p.wake <- struct{}{}:
			default:
			}
		}
	}
}

// visible takes out what has become visible and returns the changes, one for each table, in the order of the
// commits; left reports whether other transactions remain.
func (p *pending) visible(ctx context.Context, pg *pgconn.PgConn) (changes []backend.Change, left bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	p.mu.Lock()
	waiting := p.transactions
	p.transactions = nil
	for _, t := range p.described {
		delete(p.names, t)
	}
	p.described = nil
	p.mu.Unlock()
	if len(waiting) == 0 {
		return nil, false, nil
	}
	rows, err := query(ctx, pg, `SELECT pg_current_snapshot()::text`)
	if err != nil {
		return nil, false, err
	}
	now, err := xid.Parse(string(rows[0][0]))
	if err != nil {
		return nil, false, err
	}
	var tables []tableChange
	var first, last transaction
	bytes := 0
	waiting = slices.DeleteFunc(waiting, func(t transaction) bool {
		full := now.Full(t.xid)
		if !now.Sees(full) {
			return false
		}
		bytes += t.bytes()
		for _, c := range t.tables {
			c.rows.belongTo(full)
		}
		tables = append(tables, t.tables...)
		if last = t; first.tables == nil {
			first = t
		}
		return true
	})
	if changes, err = p.changesOf(ctx, pg, tables); err != nil {
		return nil, false, err
	}
	for i := range changes {
		changes[i].Since, changes[i].Committed, changes[i].Position = first.committed, last.committed, uint64(last.position)
	}
	p.mu.Lock()
	p.bytes -= bytes
	p.transactions = append(waiting, p.transactions...)
	p.mu.Unlock()
	return changes, len(waiting) > 0, nil
}

// changesOf returns the changes of tables and of those that they are parts of, one for each.
func (p *pending) changesOf(ctx context.Context, pg *pgconn.PgConn, tables []tableChange) ([]backend.Change, error) {
	if err := p.learn(ctx, pg, tables); err != nil {
		return nil, err
	}
	var ids []string
	known := map[string]*rows{}
	for _, t := range tables {
		for _, id := range p.names[t.table] {
			if before, again := known[id]; again {
				known[id] = before.merge(t.rows)
				continue
			}
			ids = append(ids, id)
			known[id] = t.rows.clone()
		}
	}
	changes := make([]backend.Change, len(ids))
	for i, id := range ids {
		changes[i] = backend.Change{ID: id, Rows: known[id].told()}
	}
	return changes, nil
}

// learn looks up what isn't known of the names of tables.
func (p *pending) learn(ctx context.Context, pg *pgconn.PgConn, tables []tableChange) error {
	if len(p.names) > mostNames {
		clear(p.names)
	}
	var unknown [][]byte
	for _, t := range tables {
		if _, known := p.names[t.table]; !known {
			id := strconv.FormatUint(uint64(t.table), 10)
			unknown = append(unknown, []byte(id))
			p.names[t.table] = []string{id}
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	const ancestors = `WITH RECURSIVE found(part, oid) AS (
	SELECT inhrelid, inhparent FROM pg_inherits WHERE inhrelid = ANY ($1::oid[])
	UNION SELECT part, inhparent FROM found JOIN pg_inherits ON inhrelid = oid)
SELECT part::text, oid::text FROM found`
	rows, err := query(ctx, pg, ancestors, quote.Array(unknown))
	if err != nil {
		return err
	}
	for _, r := range rows {
		part, err := strconv.ParseUint(string(r[0]), 10, 32)
		if err != nil {
			return err
		}
		p.names[uint32(part)] = append(p.names[uint32(part)], string(r[1])) //nolint:gosec // of 32 bits
	}
	return nil
}
