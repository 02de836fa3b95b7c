package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"queryengine/services/engine/sample"
)

// PlanOptions configure the comparison of statements.
type PlanOptions struct {
	// Runs is how often each statement is run; the median counts.
	Runs int
	// Turns is how many each way to plan has with a statement.
	Turns int
	// Programs is the directory of the engine's programs.
	Programs string
	// Server, when set, is the address of a PostgreSQL server whose database "music" holds the
	// sample's large size. It is started and loaded otherwise.
	Server string
	// Part is one of "statements", which compares with hand-written ones, and "modes", which compares
	// how those with parameters are planned; both when empty.
	Part string
	// Names choose cases; empty are all.
	Names []string
}

// slowest is how many times slower than the hand-written statement the engine's may be.
const slowest = 1.2

// A statement that is quick is run more often: it is over before what else the machine does has
// evened out.
const (
	quick     = 20 * time.Millisecond
	quickRuns = 5
)

// ErrSlow reports that a statement of the engine's is too slow.
var ErrSlow = errors.New("a statement is too slow")

// RunPlans compares the statements that the engine makes with hand-written ones that give the
// same answers, on a million tracks: by the time that they take in the database, turn by turn.
// Then it compares the ways to plan those with parameters. It is ErrSlow when one takes too long.
func RunPlans(ctx context.Context, o PlanOptions, out, progress io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "plans-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	server := func(name string) string { return strings.TrimSuffix(o.Server, "/") + "/" + name }
	if o.Server == "" {
		database, err := startDatabase(ctx, dir, false, sample.Large, nil, progress)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, stopDatabase(ctx, database)) }()
		server = database.URL
	}
	p := &place{options: Options{Programs: o.Programs}, dir: dir, processes: &processes{dir: dir}, databaseURL: server}
	fmt.Fprintln(progress, "starting the engine")
	defer func() {
		err = errors.Join(err, execute(ctx, server("postgres"), "DROP DATABASE IF EXISTS metadata_one"))
	}()
	defer p.processes.stop()
	var statements, modes error
	if o.Part != "modes" {
		statements = p.runStatements(ctx, o, out)
	}
	if o.Part != "statements" && (statements == nil || errors.Is(statements, ErrSlow)) {
		modes = p.runModes(ctx, o, out, progress)
	}
	return errors.Join(statements, modes)
}

func (p *place) runStatements(ctx context.Context, o PlanOptions, out io.Writer) error {
	t, err := p.startOneWith(ctx, "one", p.options.Programs, nil)
	if err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, p.databaseURL(sampleDatabase))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	slow := 0
	fmt.Fprintf(out, "%-24s %12s %12s %7s\n", "", "engine ms", "by hand ms", "ratio")
	for i := range planCases {
		c := &planCases[i]
		if len(o.Names) > 0 && !slices.Contains(o.Names, c.name) {
			continue
		}
		ratio, err := c.compare(ctx, t, conn, o.Runs, out)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		if ratio > slowest {
			slow++
		}
	}
	if slow > 0 {
		return fmt.Errorf("%w: %d take more than %g times as long as by hand", ErrSlow, slow, slowest)
	}
	return nil
}

// compare holds the engine's statement to the hand-written one.
func (c *planCase) compare(ctx context.Context, t *target, conn *pgx.Conn, runs int, out io.Writer) (float64, error) {
	if err := c.sameAnswer(ctx, t, conn); err != nil {
		return 0, err
	}
	var explained []struct{ SQL string }
	body := map[string]any{"query": map[string]any{"query": c.query}, "user": c.session()}
	if err := t.post(ctx, "/v1/graphql/explain", body, nil, &explained); err != nil {
		return 0, err
	}
	var engine, hand []time.Duration
	for run := 0; run <= runs; run++ {
		a, err := executionTime(ctx, conn, explained[0].SQL)
		if err != nil {
			return 0, err
		}
		b, err := executionTime(ctx, conn, c.sql)
		if err != nil {
			return 0, err
		}
		if run == 0 { // it reads from the disk
			if b < quick {
				runs *= quickRuns
			}
			continue
		}
		engine, hand = append(engine, a), append(hand, b)
	}
	ratio := float64(middle(engine)) / float64(middle(hand))
	fmt.Fprintf(out, "%-24s %12.3f %12.3f %7.2f\n", c.name, milliseconds(middle(engine)), milliseconds(middle(hand)), ratio)
	return ratio, nil
}

func (c *planCase) session() map[string]string {
	session := map[string]string{"X-Engine-Role": "admin"}
	for k, v := range planSession {
		session[k] = v
	}
	if c.role != "" {
		session["X-Engine-Role"] = c.role
	}
	return session
}

// sameAnswer checks that both statements are about the same.
func (c *planCase) sameAnswer(ctx context.Context, t *target, conn *pgx.Conn) error {
	var answer struct {
		Data   struct{ R any }
		Errors json.RawMessage
	}
	if err := t.post(ctx, "/v1/graphql", map[string]any{"query": c.query}, c.session(), &answer); err != nil {
		return err
	}
	var text []byte
	err := conn.QueryRow(ctx, `SELECT coalesce(json_agg(row_to_json(q)), '[]')::text FROM (`+c.sql+`) AS q`).Scan(&text)
	if err != nil {
		return err
	}
	var rows []any
	if err := json.Unmarshal(text, &rows); err != nil {
		return err
	}
	want := any(rows)
	if _, list := answer.Data.R.([]any); !list && len(rows) == 1 {
		want = rows[0]
	}
	if answer.Errors != nil || !reflect.DeepEqual(want, answer.Data.R) {
		return fmt.Errorf("the engine answers %.300v %s, by hand it is %.300v", answer.Data.R, answer.Errors, want)
	}
	return nil
}

// post posts a request to the engine and reads its answer.
func (t *target) post(ctx context.Context, path string, body any, headers map[string]string, answer any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+t.address+path, bytes.NewReader(raw))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	name, value, _ := strings.Cut(strings.TrimSpace(t.headers), ": ")
	request.Header.Set(name, value)
	for k, v := range headers {
		request.Header.Set(k, v)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if raw, err = io.ReadAll(response.Body); err != nil {
		return err
	}
	if err := json.Unmarshal(raw, answer); err != nil {
		return fmt.Errorf("status %d: %s", response.StatusCode, raw)
	}
	return nil
}

// executionTime is how long the database takes for a statement, without planning it.
func executionTime(ctx context.Context, conn *pgx.Conn, sql string) (time.Duration, error) {
	var raw []byte
	if err := conn.QueryRow(ctx, "EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) "+sql, pgx.QueryExecModeSimpleProtocol).Scan(&raw); err != nil {
		return 0, err
	}
	var plans []map[string]any
	if err := json.Unmarshal(raw, &plans); err != nil {
		return 0, err
	}
	ms, _ := plans[0]["Execution Time"].(float64)
	return time.Duration(ms * float64(time.Millisecond)), nil
}

func middle(list []time.Duration) time.Duration {
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2]
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
