package walreader

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/wire"
	"queryengine/pkg/catalog"
	"queryengine/pkg/guard"
)

const (
	// gather is how long after each telling changes are gathered: a busy server is not asked more
	// often which of them are visible.
	gather = 5 * time.Millisecond
	// notYet and seldom bound how often the server is queried about transactions that are not visible yet.
	notYet = time.Millisecond
	seldom = 50 * time.Millisecond
	// askWithin bounds a statement of the feed.
	askWithin = 10 * time.Second
)

// Feed implements backend.Changes by the log of a server. The tables are reported by their OIDs.
type Feed struct {
	pool *wire.Pool
	slot string

	// columns are those whose values are reported.
	columns *interest

	mu sync.Mutex
	// settled are the tables of which all changes are streamed.
	settled map[string]struct{}
	// shapes are those of the tables that are watched.
	shapes map[string]string

	checkEvery time.Duration
}

var (
	_ backend.RowChanges     = (*Feed)(nil)
	_ backend.GuardedChanges = (*Feed)(nil)
)

// NewFeed makes a feed that reads with a slot of a name; no I/O. Of processes with the same name one
// reads; a server has the names of all its databases in common.
func NewFeed(pool *wire.Pool, slot string) *Feed {
	return &Feed{pool: pool, slot: slot, settled: map[string]struct{}{}, shapes: map[string]string{}, columns: &interest{}, checkEvery: checkEvery}
}

// Guarded implements backend.GuardedChanges.
func (f *Feed) Guarded() bool { return true }

// Watch implements backend.Changes. It waits for the transactions that have written to a table before it
// was published.
func (f *Feed) Watch(ctx context.Context, names []catalog.Name) ([]string, error) {
	c, err := f.pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer c.Release()
	ids, err := f.watch(ctx, c.PG, names)
	if c.PG.TxStatus() != wire.Idle {
		c.Discard()
	}
	return ids, err
}

// WatchRows implements backend.RowChanges.
func (f *Feed) WatchRows(ctx context.Context, name catalog.Name, columns backend.RowColumns) (ids []string, known []backend.ToldColumn, err error) {
	c, err := f.pool.Acquire(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer c.Release()
	known, err = tellable(ctx, c.PG, name, slices.Concat(columns.Told, columns.Compared))
	if err == nil {
		ids, err = f.watch(ctx, c.PG, []catalog.Name{name})
	}
	if c.PG.TxStatus() != wire.Idle {
		c.Discard()
	}
	if err != nil || len(known) == 0 {
		return ids, nil, err
	}
	var told, compared []backend.ToldColumn
	for _, column := range known {
		if slices.Contains(columns.Told, column.Name) {
			told = append(told, column)
		} else {
			compared = append(compared, column)
		}
	}
	return ids, known, f.columns.add(ids, told, compared)
}

func (f *Feed) watch(ctx context.Context, pg *pgconn.PgConn, names []catalog.Name) ([]string, error) {
	tables, err := findTables(ctx, pg, names)
	if err != nil {
		return nil, err
	}
	var ids []string
	var unsettled [][]byte
	for _, t := range tables {
		ids = append(ids, t.id)
		if !t.listed && !t.part {
			if err := publish(ctx, pg, t.name); err != nil {
				return nil, err
			}
		}
		if !f.isSettled(t.id) {
			unsettled = append(unsettled, []byte(t.id))
		}
	}
	if len(unsettled) > 0 {
		if err := settle(ctx, pg, unsettled); err != nil {
			return nil, err
		}
		f.mu.Lock()
		for _, id := range unsettled {
			f.settled[string(id)] = struct{}{}
		}
		f.mu.Unlock()
	}
	return ids, f.remember(ctx, pg, ids)
}

func (f *Feed) isSettled(id string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, settled := f.settled[id]
	return settled
}

// Listen implements backend.Changes. A change is reported when all statements that begin afterwards see it.
func (f *Feed) Listen(ctx context.Context, ready func(), changed func(backend.Change)) error {
	asking, err := f.pool.DialQuiet(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = asking.Close(context.WithoutCancel(ctx)) }() // nothing is in it
	if err := f.prepare(ctx, asking); err != nil {
		return err
	}
	server, err := serverOf(ctx, asking)
	if err != nil {
		return err
	}
	pg, err := f.pool.DialReplication(ctx)
	if err != nil {
		return fmt.Errorf("the log can't be read: %w", err)
	}
	stream, err := Open(ctx, pg, f.slot, PublicationName)
	if err != nil {
		return err
	}
	defer stream.Close()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	p := newPending(f.columns)
	var reading guard.WaitGroup
	read := func(f func() error) {
		reading.Go(func() {
			defer cancel(context.Canceled) // whatever becomes of it
			cancel(f())
		})
	}
	read(func() error { return stream.Read(ctx, p) })
	read(func() error { return f.guard(ctx, server) })
	ready()
	cancel(p.tell(ctx, asking, changed))
	reading.Wait()
	return context.Cause(ctx)
}

// prepare makes the publication and notes which tables were in it before the stream begins.
func (f *Feed) prepare(ctx context.Context, pg *pgconn.PgConn) error {
	if err := ensurePublication(ctx, pg); err != nil {
		return err
	}
	rows, err := query(ctx, pg, listed)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.columns.clear()
	clear(f.shapes)
	f.settled = make(map[string]struct{}, len(rows))
	for _, r := range rows {
		f.settled[string(r[0])] = struct{}{}
	}
	return nil
}
