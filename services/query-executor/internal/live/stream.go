package live

import (
	"context"
	"crypto/sha256"
	"slices"
	"time"

	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/services/query-executor/internal/execute"
)

// following is what the poller of a stream knows of changes. It belongs to the mu of the poller.
type following struct {
	// table is the id of the table whose rows are reported; empty while only the statement gives those of the stream.
	table string
	// held are the rows that were reported while a cycle runs, rows is their number: what the statement has seen may be from
	// before them. missed reports whether something was reported that isn't held.
	held   []backend.StreamRows
	rows   int
	missed bool
	// running reports whether a cycle runs.
	running bool
}

const (
	// mostHeld and mostHeldRows bound what is held.
	mostHeld     = 200
	mostHeldRows = 5_000
)

// position is that of a cohort which has all rows that a statement has seen, and those that were reported since.
type position struct {
	// seen is what the statement has seen, and at when it began.
	seen backend.Snapshot
	at   time.Time
	// bound has the values of the cohort.
	bound backend.StreamCohort
}

// isCurrent reports whether a cohort has all rows, and needs no statement for the next ones.
func (c *cohort) isCurrent() bool { return c.position != nil && time.Since(c.position.at) < refresh }

// begin begins a cycle.
func (f *following) begin() { f.held, f.rows, f.missed, f.running = nil, 0, false, true }

// end ends it.
func (f *following) end() { f.held, f.rows, f.running = nil, 0, false }

// hold keeps rows for the cohorts that are run.
func (f *following) hold(rows backend.StreamRows, n int) {
	if !f.running || f.missed {
		return
	}
	if f.held, f.rows = append(f.held, rows), f.rows+n; len(f.held) > mostHeld || f.rows > mostHeldRows {
		f.held, f.rows, f.missed = nil, 0, true
	}
}

// follow has the rows of a stream taken from the changes of a table, or from none.
func (p *poller) follow(table string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.following.table != table {
		p.following.table = table
		p.lose()
	}
}

// follows reports whether the rows of the stream are reported.
func (p *poller) follows() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.following.table != ""
}

// lose has the statement run for all cohorts: it isn't known what has changed. It needs the lock.
func (p *poller) lose() {
	f := &p.following
	f.held, f.rows, f.missed = nil, 0, true
	for _, c := range p.cohorts {
		p.want(c)
	}
	p.signal()
}

// want has the statement run for a cohort in the next cycle, whatever it has. It needs the lock.
func (p *poller) want(c *cohort) {
	c.position = nil
	p.touch(c)
}

// doubt has the statement run where rows of a stream would be taken from the log: a related table has changed.
func (p *poller) doubt() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.following.table != "" {
		p.lose()
	}
}

// distrust has the statement run for all cohorts, because a change wasn't taken as it should.
func (p *poller) distrust() {
	p.mu.Lock()
	p.lose()
	p.mu.Unlock()
	p.notice()
}

// takeChange gives the cohorts of a stream the new rows of a change. It reports whether the poller follows the table.
func (p *poller) takeChange(c *backend.Change) bool {
	began := time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	f := &p.following
	if f.table == "" || f.table != c.ID {
		return false
	}
	rows := p.live.Stream.Read(c.Rows)
	if rows == nil {
		p.told.CompareAndSwap(0, began.UnixNano())
		p.lose()
		return true
	}
	f.hold(rows, len(c.Rows.Rows))
	current := make([]*cohort, 0, len(p.cohorts))
	for _, c := range p.cohorts {
		switch {
		case c.position != nil:
			current = append(current, c)
		case !c.running && !c.due:
			p.touch(c)
			p.told.CompareAndSwap(0, began.UnixNano())
			p.signal()
		}
	}
	sent := false
	for _, c := range current {
		if next := p.take(c, rows); next != c {
			sent = true
		}
	}
	if sent {
		p.manager.deps.Metrics.push(p.kind, time.Since(began))
	}
	return true
}

// take sends a cohort its new rows. When it can't be known which they are, or a subscriber is slow, the statement has
// to give them. It returns the cohort where the subscribers are then.
func (p *poller) take(c *cohort, rows backend.StreamRows) *cohort {
	batches, known := rows.Batches(c.position.bound, c.position.seen)
	for _, b := range batches {
		if known = c.hasRoom(); !known {
			break
		}
		data := p.live.AppendAnswer(nil, [][]byte{b.Root})
		next := p.advance(c, &Result{Data: data, Hash: sha256.Sum256(data), Cursor: b.Cursor}, everyone)
		if next == c {
			return c
		}
		p.manager.deps.Metrics.streamed(fromLog)
		if next.position == nil && !next.running && !next.due {
			next.position = &position{seen: c.position.seen, at: c.position.at, bound: p.live.Stream.Bind(next.values)}
		}
		if c = next; c.position == nil {
			return c // its statement gives the others
		}
	}
	if !known {
		p.want(c)
		p.signal()
	}
	return c
}

func everyone(*Subscriber) bool { return true }

// settle notes that the statement has found nothing for a cohort, and gives it what was reported meanwhile. One that is to be
// run again isn't settled: a subscriber that came meanwhile may have seen a later state.
func (p *poller) settle(c *cohort, seen backend.Snapshot, began time.Time) {
	f := &p.following
	if f.table == "" || c.due || p.cohorts[c.key] != c {
		return
	}
	if seen == nil || f.missed {
		if f.missed || len(f.held) > 0 {
			p.touch(c)
			p.signal()
		}
		return
	}
	c.position = &position{seen: seen, at: began, bound: p.live.Stream.Bind(c.values)}
	for _, rows := range f.held {
		if c = p.take(c, rows); c.position == nil {
			return
		}
	}
}

// mostStreamed bounds the columns of a table that are reported for a stream: one with more is only known by its statement.
const mostStreamed = 64

// watchStream watches the tables of a subscription. It returns what watchTables does, and the id of the table whose
// rows are reported as a stream needs them; empty for none.
func watchStream(ctx context.Context, changes backend.Changes, l *execute.Live) (found map[string]*interest, table string, err error) {
	rows, ok := changes.(backend.RowChanges)
	if !ok || l.Stream == nil || len(l.Stream.Columns()) > mostStreamed {
		found, err = watchTables(ctx, changes, l)
		return found, "", err
	}
	ids, told, err := rows.WatchRows(ctx, l.Stream.Table(), backend.RowColumns{Told: l.Stream.Columns()})
	if err != nil {
		return nil, "", err
	}
	found, err = watchTables(ctx, changes, l)
	// A table with parts is reported under several names.
	if err != nil || len(ids) != 1 || !l.Stream.Fits(told) {
		return found, "", err
	}
	others := slices.DeleteFunc(slices.Clone(l.Tables), func(n catalog.Name) bool { return n == l.Stream.Table() })
	if len(others) > 0 {
		read, err := changes.Watch(ctx, others)
		if err != nil || slices.Contains(read, ids[0]) { // one that a view reads matters as that, too
			return found, "", err
		}
	}
	return found, ids[0], nil
}
