package eventlog

import (
	"context"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/wire"
)

// A transaction that has sent a NOTIFY is committed alone: the database holds a lock over all such
// commits, disk writes included, which takes most of their throughput from writers that commit at the
// same time. So they notify only while a process is asleep that has to be woken.
//
// Of all processes that take events of a database, the one with eventBellKeeperLock is either awake,
// and polls for events, or asleep, with eventBellLock in exclusive mode. The writer of an event tries
// to get the latter in shared mode, until its commit. When it can't, the keeper is asleep, and the
// writer notifies. When it can, the keeper can't fall asleep before the event is committed and seen: it
// must have the lock to itself, and polls once more when it has. When a keeper dies its connection
// ends, and both locks with it.
//
// The numbers have no meaning; the first one is in the functions of the log, too.
const (
	eventBellLock       = 7_402_311_900_102
	eventBellKeeperLock = 7_402_311_900_103
)

const (
	armBellSQL    = `SELECT pg_catalog.pg_try_advisory_lock($1)`
	disarmBellSQL = `SELECT pg_catalog.pg_advisory_unlock($1)`
	// ringBell is the part of a function that wakes a sleeping process.
	ringBell = `IF NOT pg_catalog.pg_try_advisory_xact_lock_shared(7402311900102) THEN
		PERFORM pg_catalog.pg_notify('` + eventsChannel + `', ''); END IF;`
)

// RingSQL does the same for events that no function writes.
const RingSQL = `SELECT pg_catalog.pg_notify('` + eventsChannel + `', '') WHERE NOT pg_catalog.pg_try_advisory_xact_lock_shared(7402311900102)`

// eventsChannel is where the log notifies of new events.
const eventsChannel = "engine_events"

// bellPatience bounds every operation on the bell except waiting.
const bellPatience = 5 * time.Second

// eventBell is a connection that hears of events. It is a backend.EventBell.
type eventBell struct {
	pg *pgconn.PgConn
	// keeper holds eventBellKeeperLock, armed eventBellLock.
	keeper, armed bool
	rung          bool
	// checked is when the server was last known to be there.
	checked time.Time
}

// OpenEventBell makes a connection of its own, which is closed with the bell.
func (l *Log) OpenEventBell(ctx context.Context) (backend.EventBell, error) {
	ctx, cancel := context.WithTimeout(ctx, bellPatience)
	defer cancel()
	b := &eventBell{checked: time.Now()}
	pg, err := l.pool.DialListener(ctx, eventsChannel, func(string) { b.rung = true })
	if err != nil {
		return nil, err
	}
	b.pg = pg
	return b, nil
}

// Arm makes writers notify from now on, unless another process takes care of that.
func (b *eventBell) Arm(ctx context.Context) (bool, error) {
	var err error
	if !b.keeper {
		b.keeper, err = b.lock(ctx, armBellSQL, eventBellKeeperLock)
		// A new keeper has relied on another one up to now: it looks for events first.
		return err == nil && !b.keeper, err
	}
	if !b.armed {
		b.armed, err = b.lock(ctx, armBellSQL, eventBellLock)
	}
	return b.armed, err
}

// Disarm stops writers from notifying.
func (b *eventBell) Disarm(ctx context.Context) error {
	b.rung = false
	if !b.armed {
		return nil
	}
	b.armed = false
	_, err := b.lock(ctx, disarmBellSQL, eventBellLock)
	return err
}

func (b *eventBell) lock(ctx context.Context, sql string, key int64) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, bellPatience)
	defer cancel()
	value, err := oneValue(ctx, b.pg, sql, strconv.AppendInt(nil, key, 10))
	return value == "t", err
}

// Wait waits until it rings or ctx ends.
func (b *eventBell) Wait(ctx context.Context) (bool, error) {
	for !b.rung {
		err := b.pg.WaitForNotification(ctx)
		switch {
		case err == nil:
			b.checked = time.Now()
		case b.pg.IsClosed():
			return false, wire.ConnectError(ctx, err)
		default:
			return b.rung, b.check(ctx)
		}
	}
	return true, nil
}

// check asks the server from time to time whether it is still there: one that vanished doesn't announce
// it.
func (b *eventBell) check(ctx context.Context) error {
	if time.Since(b.checked) < wire.ListenCheck {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), wire.AliveWithin)
	defer cancel()
	if err := b.pg.Ping(ctx); err != nil {
		return wire.ConnectError(ctx, err)
	}
	b.checked = time.Now()
	return nil
}

// Close ends the connection, and with it what it holds.
func (b *eventBell) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = b.pg.Close(ctx) // the socket is closed in any case
}
