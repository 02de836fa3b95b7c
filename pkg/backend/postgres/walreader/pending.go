package walreader

import (
	"context"
	"slices"
	"strconv"
	"sync"

	"github.com/jackc/pgx/v5/pgconn"

	"queryengine/pkg/backend/postgres/pgoutput"
	"queryengine/pkg/backend/postgres/quote"
)

// mostNames bounds what is kept of tables, of which some may be gone.
const mostNames = 10_000

// transaction is one that was read and is not known to be visible.
type transaction struct {
	xid    uint32
	tables []uint32
}

// pending is the Sink of a Feed: the tables of transactions, from their commits in the log until they
// are visible. It is bounded by the transactions that commit between two questions and those that wait
// for a standby server.
type pending struct {
	wake chan struct{}

	// current belongs to the goroutine of the stream.
	current transaction

	mu           sync.Mutex
	transactions []transaction
	// described are the tables that were described anew: what names has of them may be outdated.
	described []uint32

	// names are the ids of a table and of those that it is a part of. They belong to tell.
	names map[uint32][]string
}

func newPending() *pending {
	return &pending{wake: make(chan struct{}, 1), names: map[uint32][]string{}}
}

// Begin implements Sink.
func (p *pending) Begin(b pgoutput.Begin) error {
	p.current = transaction{xid: b.XID}
	return nil
}

// Relation implements Sink.
func (p *pending) Relation(r *pgoutput.Relation) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.described = append(p.described, r.ID)
	return nil
}

// Row implements Sink. What is kept of a transaction doesn't grow with its rows.
func (p *pending) Row(relation uint32, _ []byte) error {
	t := &p.current
	if n := len(t.tables); n > 0 && t.tables[n-1] == relation {
		return nil // as most of the rows of a large transaction
	}
	if i := slices.Index(t.tables, relation); i >= 0 {
		last := len(t.tables) - 1
		t.tables[i], t.tables[last] = t.tables[last], relation
		return nil
	}
	t.tables = append(t.tables, relation)
	return nil
}

// Truncate implements Sink.
func (p *pending) Truncate(relations []uint32) error {
	for _, r := range relations {
		if err := p.Row(r, nil); err != nil {
			return err
		}
	}
	return nil
}

// Commit implements Sink.
func (p *pending) Commit(pgoutput.Commit) error {
	if len(p.current.tables) == 0 {
		return nil
	}
	p.mu.Lock()
	p.transactions = append(p.transactions, p.current)
	p.mu.Unlock()
	select {
	case p.wake <- struct{}{}:
	default:
	}
	return nil
}

// tell calls changed for the tables of transactions that have become visible, until ctx ends or the server
// can't be asked.
func (p *pending) tell(ctx context.Context, pg *pgconn.PgConn, changed func(id string)) error {
	pause := notYet
	for {
		select {
		case <-p.wake:
		case <-ctx.Done():
			return ctx.Err()
		}
		tables, left, err := p.visible(ctx, pg)
		if err != nil {
			return err
		}
		for _, id := range tables {
			changed(id)
		}
		if len(tables) > 0 {
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

// visible takes out what has become visible and returns the tables' ids, each once, in the order of the
// commits; left reports whether
// other transactions remain.
func (p *pending) visible(ctx context.Context, pg *pgconn.PgConn) (ids []string, left bool, err error) {
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
	now, err := parseSnapshot(string(rows[0][0]))
	if err != nil {
		return nil, false, err
	}
	var tables []uint32
	waiting = slices.DeleteFunc(waiting, func(t transaction) bool {
		if !now.sees(t.xid) {
			return false
		}
		tables = append(tables, t.tables...)
		return true
	})
	if ids, err = p.idsOf(ctx, pg, tables); err != nil {
		return nil, false, err
	}
	p.mu.Lock()
	p.transactions = append(waiting, p.transactions...)
	p.mu.Unlock()
	return ids, len(waiting) > 0, nil
}

// idsOf returns the ids of tables and of those that they are parts of, each once.
func (p *pending) idsOf(ctx context.Context, pg *pgconn.PgConn, tables []uint32) ([]string, error) {
	if len(p.names) > mostNames {
		clear(p.names)
	}
	var unknown [][]byte
	for _, t := range tables {
		if _, known := p.names[t]; !known {
			id := strconv.FormatUint(uint64(t), 10)
			unknown = append(unknown, []byte(id))
			p.names[t] = []string{id}
		}
	}
	if len(unknown) > 0 {
		const ancestors = `WITH RECURSIVE found(part, oid) AS (
	SELECT inhrelid, inhparent FROM pg_inherits WHERE inhrelid = ANY ($1::oid[])
	UNION SELECT part, inhparent FROM found JOIN pg_inherits ON inhrelid = oid)
SELECT part::text, oid::text FROM found`
		rows, err := query(ctx, pg, ancestors, quote.Array(unknown))
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			part, err := strconv.ParseUint(string(r[0]), 10, 32)
			if err != nil {
				return nil, err
			}
			p.names[uint32(part)] = append(p.names[uint32(part)], string(r[1])) //nolint:gosec // of 32 bits
		}
	}
	var ids []string
	seen := map[string]struct{}{}
	for _, t := range tables {
		for _, id := range p.names[t] {
			if _, again := seen[id]; !again {
				seen[id] = struct{}{}
				ids = append(ids, id)
			}
		}
	}
	return ids, nil
}
