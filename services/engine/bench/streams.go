package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"queryengine/pkg/lifecycle"
	"queryengine/services/engine/sample"
)

// streamTable has an array, which only a statement can show.
const streamTable = `CREATE TABLE entry (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, part int NOT NULL, body text NOT NULL,
	at timestamp NOT NULL DEFAULT now(), tags int[]); CREATE INDEX ON entry (part, id)`

// RunStreams measures how long inserted rows take to reach the subscribers of streams, and what that costs: taken from the log,
// and by statements. Rows have a subscriber each, and then all of them.
func RunStreams(ctx context.Context, o SubscriptionOptions, out, progress io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	database, err := startDatabase(ctx, dir, true, sample.Small, map[string]string{"wal_level": "logical"}, progress)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stopDatabase(ctx, database)) }()
	if err := execute(ctx, database.URL(sampleDatabase), streamTable); err != nil {
		return err
	}
	b := &subscriptionBench{
		options: o, out: out, progress: progress, database: database,
		place: &place{options: Options{Programs: o.Programs}, dir: dir, processes: &processes{dir: dir}, databaseURL: database.URL},
	}
	defer b.place.processes.stop()
	if err := b.startWith(ctx, "entry", `,"change_feed":"log"`); err != nil {
		return err
	}
	if !lifecycle.Sleep(ctx, settle) {
		return ctx.Err()
	}
	for _, from := range []struct{ name, fields string }{{"from the log", "id part body at"}, {"by statements", "id part body at tags"}} {
		for _, shared := range []bool{false, true} {
			if err := b.stream(ctx, from.name, from.fields, shared); err != nil {
				return err
			}
		}
	}
	return nil
}

// stream has subscribers of streams, each of them of its own rows or all of the same, and inserts rows one at a time.
func (b *subscriptionBench) stream(ctx context.Context, name, fields string, shared bool) error {
	db, err := pgx.Connect(ctx, b.database.URL(sampleDatabase))
	if err != nil {
		return err
	}
	defer db.Close(context.WithoutCancel(ctx))
	if _, err := db.Exec(ctx, `TRUNCATE entry`); err != nil {
		return err
	}
	defer func() { b.closeAll(); b.clients = nil }()
	for range b.options.Connections {
		c, err := dialLive(ctx, b.target.address, b.secret, &b.arrivals)
		if err != nil {
			return err
		}
		b.clients = append(b.clients, c)
	}
	parts, each := b.options.Streams, 1
	if shared {
		parts, each = 1, b.options.Streams
	}
	document := `subscription ($part: Int!) { entry_stream(batch_size: 10, cursor: {initial_value: {id: 0}}, where: {part: {_eq: $part}}) {` + fields + `} }`
	for i := range b.options.Streams {
		if err := b.clients[i%len(b.clients)].subscribe(ctx, strconv.Itoa(i), document, i%parts); err != nil {
			return err
		}
	}
	insert := func(part int) error {
		_, err := db.Exec(ctx, `INSERT INTO entry (part, body) VALUES ($1, 'a row that is notified of')`, part)
		return err
	}
	b.arrivals.reset(b.options.Streams)
	for part := range parts {
		if err := insert(part); err != nil {
			return err
		}
	}
	if _, err := b.arrivals.await(ctx, time.Minute); err != nil {
		return fmt.Errorf("first rows: %w", err)
	}
	if !lifecycle.Sleep(ctx, settle) {
		return ctx.Err()
	}
	engine, err := cpuTime(b.target.pids)
	if err != nil {
		return err
	}
	server, err := familyTime(b.database.PID())
	if err != nil {
		return err
	}
	var all []time.Duration
	for i := range b.options.Inserts {
		b.arrivals.reset(each)
		if err := insert(i % parts); err != nil {
			return err
		}
		latencies, err := b.arrivals.await(ctx, time.Minute)
		if err != nil {
			return err
		}
		all = append(all, latencies...)
	}
	engineAfter, err := cpuTime(b.target.pids)
	if err != nil {
		return err
	}
	serverAfter, err := familyTime(b.database.PID())
	if err == nil {
		per := func(d time.Duration) int64 { return d.Microseconds() / int64(len(all)) }
		fmt.Fprintf(b.out, "%s, each row to %d of %d subscribers: %s; CPU for each delivered row: engine %d µs, database %d µs\n",
			name, each, b.options.Streams, quantiles(all), per(engineAfter-engine), per(serverAfter-server))
	}
	return err
}
