package changestream

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/wire"
)

// closeWithin bounds the end of a connection.
const closeWithin = time.Second

// errUnclear reports that what a role sees of a change can't be decided.
var errUnclear = errors.New("what a change was for the role isn't in the log")

// publisher publishes a definition. It belongs to one goroutine.
type publisher struct {
	pool *wire.Pool
	// pg is the connection that holds the lock of the definition, and evaluates images.
	pg         *pgconn.PgConn
	definition *Definition
	sink       Sink
	on         Progress

	place Place
	// tables are the tables of the definition, byRelation the ones that the log reports.
	tables     []*table
	byRelation map[uint32]*table
	reader
}

// Publish publishes a definition until ctx ends. Of all processes that call it for the same definition one
// does, the others get backend.ErrRead. After another error it is to be called again.
func Publish(ctx context.Context, pool *wire.Pool, d *Definition, sink Sink, on Progress) error {
	pg, err := pool.DialQuiet(ctx)
	if err != nil {
		return err
	}
	defer closeQuietly(ctx, pg) // and give up the lock
	p := &publisher{pool: pool, pg: pg, definition: d, sink: sink, on: on}
	if err := p.lock(ctx); err != nil {
		return err
	}
	if p.place, err = sink.Place(ctx); err != nil {
		return err
	}
	if p.tables, p.byRelation, err = p.examined(ctx); err != nil {
		return err
	}
	slot, err := p.findSlot(ctx)
	if err != nil {
		return err
	}
	if slot == "" {
		if slot, err = p.begin(ctx); err != nil {
			return err
		}
	}
	if err := p.goOn(ctx, slot); !errors.Is(err, errUnclear) {
		return err
	}
	on.Logger.WarnContext(ctx, "publishing restarts with the current rows", "slot", slot, "error", errUnclear)
	if p.pg.TxStatus() != wire.Idle {
		if err := run(ctx, p.pg, "ROLLBACK"); err != nil {
			return err
		}
	}
	return errors.Join(errUnclear, p.dropSlots(ctx))
}

// examined are the tables, by what the log reports them, too.
func (p *publisher) examined(ctx context.Context) (tables []*table, byRelation map[uint32]*table, err error) {
	if tables, err = p.examine(ctx); err != nil {
		return nil, nil, err
	}
	byRelation, err = relations(tables)
	return tables, byRelation, err
}

// goOn publishes from p.place on.
func (p *publisher) goOn(ctx context.Context, slot string) error {
	if p.place.Partitions != partitions(p.tables) {
		return errUnclear
	}
	if !p.place.Ready {
		if err := p.rows(ctx); err != nil {
			return err
		}
	}
	return p.follow(ctx, slot)
}

// lock makes this process the only one that publishes the definition.
func (p *publisher) lock(ctx context.Context) error {
	rows, err := query(ctx, p.pg, `SELECT pg_try_advisory_lock(hashtextextended($1, 0))::text`, []byte(p.definition.Name))
	if err != nil {
		return err
	}
	if string(rows[0][0]) != "true" {
		return backend.ErrRead
	}
	return nil
}

// store stores messages and remembers their place.
func (p *publisher) store(ctx context.Context, messages []Message) error {
	if len(messages) == 0 {
		return nil
	}
	if err := p.sink.Store(ctx, messages); err != nil {
		return fmt.Errorf("storing changes: %w", err)
	}
	last := &messages[len(messages)-1]
	p.place = last.Place
	var lag time.Duration
	if !last.Commit.IsZero() {
		lag = max(0, time.Since(last.Commit))
	}
	p.on.Stored(len(messages), lag)
	return nil
}

// query runs a statement, of which all values are text.
func query(ctx context.Context, pg *pgconn.PgConn, sql string, args ...[]byte) ([][][]byte, error) {
	r := pg.ExecParams(ctx, sql, args, nil, nil, nil).Read()
	return r.Rows, r.Err
}

// refuses reports whether the database has refused data or a name, which it would do again.
func refuses(err error) bool {
	e := (*pgconn.PgError)(nil)
	return errors.As(err, &e) && (strings.HasPrefix(e.Code, "22") || strings.HasPrefix(e.Code, "42"))
}

// run runs statements without parameters.
func run(ctx context.Context, pg *pgconn.PgConn, sql string) error {
	return pg.Exec(ctx, sql).Close()
}

func closeQuietly(ctx context.Context, pg *pgconn.PgConn) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeWithin)
	defer cancel()
	_ = pg.Close(ctx) // the socket is closed in any case
}
