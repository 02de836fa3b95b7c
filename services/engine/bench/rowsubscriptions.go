package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"queryengine/pkg/lifecycle"
)

// changesPerSecond is how many rows change a second, one in each transaction.
const changesPerSecond = 100

// rowLatencies are how long changes took to reach their subscribers.
type rowLatencies struct {
	mu sync.Mutex
	// sent are the times at which changes were made, by the values that they wrote.
	sent   []time.Time
	took   []time.Duration
	failed []byte
}

// send notes a change and returns the value to write.
func (r *rowLatencies) send() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent = append(r.sent, time.Now())
	return len(r.sent)
}

// add takes a message; the first result of a subscription has the value 0.
func (r *rowLatencies) add(message []byte) {
	now := time.Now()
	_, rest, found := bytes.Cut(message, []byte(`"value":`))
	digits, _, _ := bytes.Cut(rest, []byte("}"))
	n, err := strconv.Atoi(string(digits))
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case !found || err != nil || n > len(r.sent):
		r.failed = bytes.Clone(message)
	case n == 0:
		r.took = append(r.took, 0)
	default:
		r.took = append(r.took, now.Sub(r.sent[n-1]))
	}
}

// await waits for a number of results, and returns and forgets them.
func (r *rowLatencies) await(ctx context.Context, wanted int, limit time.Duration) ([]time.Duration, error) {
	for deadline := time.Now().Add(limit); ; {
		r.mu.Lock()
		took, failed := r.took, r.failed
		if len(took) >= wanted {
			r.took = nil
		}
		r.mu.Unlock()
		switch {
		case failed != nil:
			return nil, fmt.Errorf("not a result: %s", failed)
		case len(took) >= wanted:
			return took, nil
		case time.Now().After(deadline):
			return nil, fmt.Errorf("%d of %d results came within %s", len(took), wanted, limit)
		case !lifecycle.Sleep(ctx, 10*time.Millisecond):
			return nil, ctx.Err()
		}
	}
}

// startRows starts the engine with a table of a row for each subscriber.
func (b *subscriptionBench) startRows(ctx context.Context) (err error) {
	fmt.Fprintln(b.progress, "starting the engine")
	err = execute(ctx, b.database.URL(sampleDatabase), fmt.Sprintf(`CREATE EXTENSION pg_stat_statements; CREATE TABLE counter (id int PRIMARY KEY, value int NOT NULL DEFAULT 0);
		INSERT INTO counter SELECT generate_series(0, %d); ANALYZE counter`, b.options.Values-1))
	if err != nil {
		return err
	}
	if b.target, err = b.place.start(ctx, "one"); err != nil {
		return err
	}
	_, secret, _ := strings.Cut(b.target.headers, ": ")
	b.secret = strings.TrimSpace(secret)
	return b.metadata(ctx, `{"type":"bulk","args":[
		{"type":"pg_track_table","args":{"source":"default","table":"counter"}},
		{"type":"pg_add_source","args":{"name":"default","replace_configuration":true,"configuration":{
			"connection_info":{"database_url":{"from_env":"ENGINE_GRAPHQL_DATABASE_URL"}},"change_feed":"log"}}}]}`)
}

// rows measures subscribers of single rows, which learn of changes from the log.
func (b *subscriptionBench) rows(ctx context.Context) error {
	if err := b.startRows(ctx); err != nil {
		return err
	}
	if !lifecycle.Sleep(ctx, settle) {
		return ctx.Err()
	}
	o := b.options
	fmt.Fprintf(b.progress, "%d subscriptions over %d WebSockets\n", o.Values, o.Connections)
	latencies := &rowLatencies{}
	for range o.Connections {
		c, err := dialLive(ctx, b.target.address, b.secret, latencies)
		if err != nil {
			return err
		}
		b.clients = append(b.clients, c)
	}
	for i := range o.Values {
		err := b.clients[i%o.Connections].subscribe(ctx, strconv.Itoa(i), `subscription ($part: Int!) { counter_by_pk(id: $part) { id value } }`, i)
		if err != nil {
			return err
		}
	}
	if _, err := latencies.await(ctx, o.Values, 2*time.Minute); err != nil {
		return fmt.Errorf("first results: %w", err)
	}
	if !lifecycle.Sleep(ctx, 2*settle) { // until the changes are reported
		return ctx.Err()
	}
	err := b.spend(ctx, "nothing changes", 0, func() error {
		if !lifecycle.Sleep(ctx, o.Idle) {
			return ctx.Err()
		}
		return nil
	})
	if err != nil {
		return err
	}
	var took []time.Duration
	changes := int(o.Idle.Seconds() * changesPerSecond)
	err = b.spend(ctx, fmt.Sprintf("%d changes of one row a second", changesPerSecond), changes, func() error {
		if err := b.changeRows(ctx, latencies, changes); err != nil {
			return err
		}
		took, err = latencies.await(ctx, changes, time.Minute)
		return err
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(b.out, "from before the commit to the client: %s\n", quantiles(took))
	return nil
}

// changeRows makes changes of single rows at an even rate, one row after the other: two changes of one row may be one result.
func (b *subscriptionBench) changeRows(ctx context.Context, latencies *rowLatencies, changes int) error {
	db, err := pgx.Connect(ctx, b.database.URL(sampleDatabase))
	if err != nil {
		return err
	}
	defer func() { _ = db.Close(context.WithoutCancel(ctx)) }() // nothing is in it
	tick := time.NewTicker(time.Second / changesPerSecond)
	defer tick.Stop()
	for i := range changes {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
		if _, err := db.Exec(ctx, `UPDATE counter SET value = $1 WHERE id = $2`, latencies.send(), i%b.options.Values); err != nil {
			return err
		}
	}
	return nil
}

// spend reports what something costs: the CPU of engine and database, and the statements of the engine.
func (b *subscriptionBench) spend(ctx context.Context, what string, changes int, do func() error) error {
	before, err := b.spent(ctx)
	if err != nil {
		return err
	}
	began := time.Now()
	if err := do(); err != nil {
		return err
	}
	took := time.Since(began).Seconds()
	after, err := b.spent(ctx)
	if err != nil {
		return err
	}
	load, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return err
	}
	fmt.Fprintf(b.out, "%s: %.2f cores in the engine, %.2f in the database; %d statements of subscriptions, %d others in %.0f s",
		what, (after.engine-before.engine).Seconds()/took, (after.database-before.database).Seconds()/took,
		after.live-before.live, after.others-before.others, took)
	if changes > 0 {
		fmt.Fprintf(b.out, " (%.2f and %.2f for each change)", float64(after.live-before.live)/float64(changes), float64(after.others-before.others)/float64(changes))
	}
	fmt.Fprintf(b.out, "; load average %s\n", bytes.Fields(load)[0])
	return nil
}

// spending is what was spent so far.
type spending struct {
	engine, database time.Duration
	// live are statements of subscriptions, others those of the engine besides.
	live, others int
}

func (b *subscriptionBench) spent(ctx context.Context) (s spending, err error) {
	db, err := pgx.Connect(ctx, b.database.URL(sampleDatabase))
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, db.Close(ctx)) }()
	err = db.QueryRow(ctx, `SELECT coalesce(sum(calls) FILTER (WHERE live), 0)::int, coalesce(sum(calls) FILTER (WHERE NOT live), 0)::int
		FROM (SELECT calls, query LIKE '%"_subs"%' AS live FROM pg_stat_statements JOIN pg_database ON oid = dbid
			WHERE datname = current_database() AND query NOT LIKE '%pg_stat_statements%' AND query NOT LIKE 'UPDATE counter%') AS s`).Scan(&s.live, &s.others)
	if err != nil {
		return s, err
	}
	if s.engine, err = cpuTime(b.target.pids); err != nil {
		return s, err
	}
	s.database, err = familyTime(b.database.PID())
	return s, err
}
