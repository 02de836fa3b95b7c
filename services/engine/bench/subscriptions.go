package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"queryengine/pkg/lifecycle"
	"queryengine/pkg/localpg"
	"queryengine/services/engine/sample"
)

// SubscriptionOptions select the subscriptions to measure.
type SubscriptionOptions struct {
	// Programs is the directory of the engine's programs.
	Programs string
	// Documents are how many different subscriptions there are, Values for how many different
	// variables of each, Connections how many WebSockets they share.
	Documents, Values, Connections int
	// Idle is how long nothing happens, Changes how often something does after that.
	Idle    time.Duration
	Changes int
	// Poll leaves the change feed off.
	Poll bool
	// Rows has each of Values subscribers see another row, and changes told from the log.
	Rows bool
	// Streams is the number of subscribers of RunStreams, Inserts that of the rows that they get.
	Streams, Inserts int
}

// RunSubscriptions measures what subscribers cost while nothing happens, and how long a change
// takes to reach them.
func RunSubscriptions(ctx context.Context, o SubscriptionOptions, out, progress io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	settings := map[string]string{}
	if o.Rows {
		settings = map[string]string{"wal_level": "logical", "shared_preload_libraries": "pg_stat_statements"}
	}
	database, err := startDatabase(ctx, dir, o.Rows, sample.Small, settings, progress)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stopDatabase(ctx, database)) }()
	b := &subscriptionBench{
		options: o, out: out, progress: progress, database: database,
		place: &place{options: Options{Programs: o.Programs}, dir: dir, processes: &processes{dir: dir}, databaseURL: database.URL},
	}
	defer b.place.processes.stop()
	defer b.closeAll()
	if o.Rows {
		return b.rows(ctx)
	}
	if err := b.start(ctx); err != nil {
		return err
	}
	if err := b.subscribe(ctx); err != nil {
		return err
	}
	if err := b.idle(ctx); err != nil {
		return err
	}
	if err := b.change(ctx, "of one row", "id = 1", o.Documents); err != nil {
		return err
	}
	return b.change(ctx, "of all rows", "true", o.Documents*o.Values)
}

// subscriptionBench is one measurement.
type subscriptionBench struct {
	options  SubscriptionOptions
	out      io.Writer
	progress io.Writer
	place    *place
	database *localpg.Server
	target   *target
	secret   string
	clients  []*liveClient
	arrivals arrivals
}

// start starts the engine with a table that is to change: ten rows for each of the values.
func (b *subscriptionBench) start(ctx context.Context) (err error) {
	fmt.Fprintln(b.progress, "starting the engine")
	err = execute(ctx, b.database.URL(sampleDatabase), fmt.Sprintf(`CREATE TABLE counter (id int PRIMARY KEY, part int NOT NULL, value int NOT NULL DEFAULT 0);
		INSERT INTO counter SELECT i, (i - 1) / 10 FROM generate_series(1, %d) i; CREATE INDEX ON counter (part); ANALYZE counter`, 10*b.options.Values))
	if err != nil {
		return err
	}
	feed := ""
	if !b.options.Poll {
		feed = `,"change_feed":"notify"`
	}
	return b.startWith(ctx, "counter", feed)
}

// startWith starts the engine with a table tracked, and a change feed, which is a part of the source's configuration.
func (b *subscriptionBench) startWith(ctx context.Context, table, feed string) (err error) {
	if b.target, err = b.place.start(ctx, "one"); err != nil {
		return err
	}
	_, secret, _ := strings.Cut(b.target.headers, ": ")
	b.secret = strings.TrimSpace(secret)
	return b.metadata(ctx, `{"type":"bulk","args":[
		{"type":"pg_track_table","args":{"source":"default","table":"`+table+`"}},
		{"type":"pg_add_source","args":{"name":"default","replace_configuration":true,"configuration":{
			"connection_info":{"database_url":{"from_env":"ENGINE_GRAPHQL_DATABASE_URL"}}`+feed+`}}}]}`)
}

func (b *subscriptionBench) metadata(ctx context.Context, body string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+b.target.address+"/v1/metadata", strings.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("X-Engine-Admin-Secret", b.secret)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if answer, err := io.ReadAll(response.Body); err != nil || response.StatusCode != http.StatusOK {
		return fmt.Errorf("metadata: status %d: %s %w", response.StatusCode, answer, err)
	}
	return nil
}

// settle is how long after a change of the metadata its WebSockets are closed.
const settle = 3 * time.Second

// subscribe opens the connections and begins the subscriptions.
func (b *subscriptionBench) subscribe(ctx context.Context) error {
	if !lifecycle.Sleep(ctx, settle) {
		return ctx.Err()
	}
	o := b.options
	before, err := b.memory()
	if err != nil {
		return err
	}
	fmt.Fprintf(b.progress, "%d subscriptions over %d WebSockets\n", o.Documents*o.Values, o.Connections)
	began := time.Now()
	for range o.Connections {
		c, err := dialLive(ctx, b.target.address, b.secret, &b.arrivals)
		if err != nil {
			return err
		}
		b.clients = append(b.clients, c)
	}
	b.arrivals.reset(o.Documents * o.Values)
	for i := range o.Documents * o.Values {
		// The limit is part of the statement, so that documents share none.
		document := fmt.Sprintf(`subscription S%d($part: Int!) { counter(where: {part: {_eq: $part}}, order_by: {id: asc}, limit: %d) { id value } }`,
			i%o.Documents, 10+i%o.Documents)
		if err := b.clients[i%o.Connections].subscribe(ctx, strconv.Itoa(i), document, i/o.Documents); err != nil {
			return err
		}
	}
	if _, err := b.arrivals.await(ctx, 2*time.Minute); err != nil {
		return fmt.Errorf("first results: %w", err)
	}
	fmt.Fprintf(b.out, "all %d have their first result after %.1f s\n", o.Documents*o.Values, time.Since(began).Seconds())
	if !lifecycle.Sleep(ctx, settle) {
		return ctx.Err()
	}
	after, err := b.memory()
	if err == nil {
		fmt.Fprintf(b.out, "memory: %.1f KB for each subscriber (%.0f MB before, %.0f MB with them)\n",
			float64(after-before)/float64(o.Documents*o.Values)/1000, float64(before)/1e6, float64(after)/1e6)
	}
	return err
}

// idle measures the cost of nothing.
func (b *subscriptionBench) idle(ctx context.Context) error {
	engine, err := cpuTime(b.target.pids)
	if err != nil {
		return err
	}
	database, err := familyTime(b.database.PID())
	if err != nil {
		return err
	}
	if !lifecycle.Sleep(ctx, b.options.Idle) {
		return ctx.Err()
	}
	engineAfter, err := cpuTime(b.target.pids)
	if err != nil {
		return err
	}
	databaseAfter, err := familyTime(b.database.PID())
	if err == nil {
		percent := func(d time.Duration) float64 { return 100 * d.Seconds() / b.options.Idle.Seconds() }
		fmt.Fprintf(b.out, "idle: %.1f %% of a core in the engine, %.1f %% in the database\n", percent(engineAfter-engine), percent(databaseAfter-database))
	}
	return err
}

// change changes rows and waits until all subscribers that see them have received the change.
func (b *subscriptionBench) change(ctx context.Context, what, where string, subscribers int) error {
	var all []time.Duration
	for range b.options.Changes {
		if !lifecycle.Sleep(ctx, time.Second) {
			return ctx.Err()
		}
		b.arrivals.reset(subscribers)
		if err := execute(ctx, b.database.URL(sampleDatabase), `UPDATE counter SET value = value + 1 WHERE `+where); err != nil {
			return err
		}
		latencies, err := b.arrivals.await(ctx, time.Minute)
		if err != nil {
			return err
		}
		all = append(all, latencies...)
	}
	fmt.Fprintf(b.out, "change %s reaches %d subscribers: %s\n", what, subscribers, quantiles(all))
	return nil
}

func (b *subscriptionBench) closeAll() {
	for _, c := range b.clients {
		c.close()
	}
}

// memory is what the engine's processes keep in memory.
func (b *subscriptionBench) memory() (bytesUsed int, err error) {
	for _, pid := range b.target.pids {
		text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "statm"))
		if err != nil {
			return 0, err
		}
		pages, err := strconv.Atoi(string(bytes.Fields(text)[1]))
		if err != nil {
			return 0, err
		}
		bytesUsed += pages * os.Getpagesize()
	}
	return bytesUsed, nil
}
