package changestream

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"queryengine/pkg/backend/postgres/pgoutput"
	"queryengine/pkg/backend/postgres/walreader"
)

const (
	// together is how long transactions are gathered that are stored as one while there are more of them.
	together = 50 * time.Millisecond
	// checkEvery is how often it is looked whether the tables are still those that are published.
	checkEvery = 5 * time.Second
)

// reader is what is known of the log that is read.
type reader struct {
	relations map[uint32]*pgoutput.Relation
	// current is the transaction that is read, index the number of its last change.
	current pgoutput.Begin
	index   int64
	// within reports whether its commit wasn't read, end is the place behind the last one.
	within bool
	end    pgoutput.LSN
	// transactions are those of what is pending.
	transactions int
	pace         *walreader.Pace
	// confirm tells that nothing before a place is needed again.
	confirm func(pgoutput.LSN)
	// pending are the changes that aren't stored, since began.
	pending []change
	bytes   int
	began   time.Time
}

// change is a change of a row, or of all of them.
type change struct {
	table    *table
	relation *pgoutput.Relation
	old, new pgoutput.Tuple // nil for none
	truncate bool
	lsn      pgoutput.LSN
	index    int64
	commit   time.Time
	xid      uint32
}

// follow stores what is in the log until ctx ends or the connection is lost.
func (p *publisher) follow(ctx context.Context, slot string) error {
	connection, err := p.pool.DialReplication(ctx)
	if err != nil {
		return fmt.Errorf("the log can't be read: %w", err)
	}
	if err := p.enter(ctx, connection); err != nil {
		closeQuietly(ctx, connection)
		return err
	}
	stream, err := walreader.Resume(ctx, connection, slot, p.definition.Name)
	if err != nil {
		return err
	}
	defer stream.Close()
	p.reader = reader{relations: map[uint32]*pgoutput.Relation{}}
	p.on.Began()
	return stream.ReadAhead(ctx, func(ctx context.Context, batches <-chan []walreader.Message) error {
		p.pace, p.confirm = walreader.NewPace(stream), stream.Confirm
		return p.take(ctx, batches)
	})
}

// enter makes sure that what is stored is part of the log of a server that is about to be read. A server that has taken over from another
// one without its last changes, and has the slot, would go on without their being undone.
func (p *publisher) enter(ctx context.Context, connection *pgconn.PgConn) error {
	timeline, end, err := walreader.Identify(ctx, connection)
	if err != nil {
		return err
	}
	held := p.place.LSN < uint64(end)
	if before := walreader.Timeline(p.place.Timeline); before != timeline {
		left, known, err := walreader.Left(ctx, connection, timeline, before)
		if err != nil {
			return err
		}
		held = known && p.place.LSN < uint64(left) && p.place.Rows <= uint64(left)
	}
	if !held {
		p.on.Logger.ErrorContext(ctx, "WAL lacks changes that were published",
			"timeline", p.place.Timeline, "place", pgoutput.LSN(p.place.LSN).String(), "timeline of the server", timeline)
		return errUnclear
	}
	p.place.Timeline = uint32(timeline)
	return nil
}

// take stores messages until ctx ends, and confirms the end of a transaction when it and all before are stored.
func (p *publisher) take(ctx context.Context, batches <-chan []walreader.Message) error {
	checking := time.NewTicker(checkEvery)
	defer checking.Stop()
	waiting := time.NewTimer(0)
	defer waiting.Stop()
	for {
		select {
		case batch := <-batches:
			for i := range batch {
				if err := p.takeOne(ctx, batch[i]); err != nil {
					return err
				}
			}
		case <-waiting.C:
		case <-checking.C:
			if err := p.check(ctx); err != nil {
				return err
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if p.within || len(batches) > 0 {
			continue
		}
		if d := p.pace.Wait(p.began); d > 0 && len(p.pending) > 0 {
			waiting.Reset(d)
			continue
		}
		if err := p.finish(ctx); err != nil {
			return err
		}
	}
}

// takeOne takes a message. After a commit what is pending may stay so for a while: there are more messages, or it is finished.
func (p *publisher) takeOne(ctx context.Context, m walreader.Message) error {
	if err := p.gather(ctx, m); err != nil {
		return err
	}
	switch {
	case m.Begin != nil:
		p.within = true
	case m.Reached != 0:
		p.end = m.Reached
	case m.Commit != nil:
		p.within, p.end = false, m.Commit.End
		if len(p.pending) == 0 {
			return nil
		}
		p.transactions++
		if time.Since(p.began) >= together {
			return p.finish(ctx)
		}
	}
	return nil
}

// finish stores what is pending between transactions, and confirms what was read.
func (p *publisher) finish(ctx context.Context) error {
	if p.end == 0 {
		return nil // nothing was read
	}
	if err := p.flush(ctx); err != nil {
		return err
	}
	if p.transactions > 0 {
		p.pace.Wrote(p.transactions)
		p.transactions = 0
	}
	p.confirm(p.end)
	return nil
}

// gather adds a message to what is pending.
func (p *publisher) gather(ctx context.Context, m walreader.Message) error {
	switch {
	case m.Begin != nil:
		p.current, p.index = *m.Begin, 0
	case m.Relation != nil:
		// What was read before has the columns of before.
		if err := p.flush(ctx); err != nil {
			return err
		}
		p.relations[m.Relation.ID] = m.Relation
		if p.byRelation[m.Relation.ID] == nil { // a new partition, perhaps
			if err := p.followPartitions(ctx); err != nil {
				return err
			}
		}
		if t := p.byRelation[m.Relation.ID]; t != nil {
			return p.describe(ctx, t)
		}
	case m.Truncate != nil:
		tables, err := p.truncated(m.Truncate)
		if err != nil {
			return err
		}
		for _, t := range tables {
			if err := p.add(ctx, change{table: t, truncate: true}, 0); err != nil {
				return err
			}
		}
	case m.Row != nil:
		c, err := decode(m.Row)
		if err != nil {
			return err
		}
		c.table, c.relation = p.byRelation[m.Table], p.relations[m.Table]
		if c.table == nil || c.relation == nil {
			return errUnclear // a table that has taken the place of one that was published
		}
		return p.add(ctx, c, len(m.Row))
	}
	return nil
}

func decode(row []byte) (c change, err error) {
	m, err := pgoutput.Decode(row)
	if err != nil {
		return c, err
	}
	var old *pgoutput.Old
	switch m := m.(type) {
	case *pgoutput.Insert:
		c.new = m.New
		return c, nil
	case *pgoutput.Update:
		old, c.new = m.Old, m.New
	case *pgoutput.Delete:
		old = &m.Old
	}
	if old == nil || !old.Whole {
		return c, errUnclear
	}
	c.old = old.Tuple
	return c, nil
}

// add adds a change. It has two numbers in its transaction, as it may become two messages.
func (p *publisher) add(ctx context.Context, c change, bytes int) error {
	p.index += 2
	c.index = p.index
	if p.place.Covers(uint64(p.current.Final), c.index+1) {
		return nil
	}
	c.lsn, c.commit, c.xid = p.current.Final, p.current.Time, p.current.XID
	if len(p.pending) == 0 {
		p.began = time.Now()
	}
	p.pending = append(p.pending, c)
	if p.bytes += bytes; len(p.pending) < most && p.bytes < mostBytes {
		return nil
	}
	return p.flush(ctx)
}
