package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// slowestMode is how many times more of the database PostgreSQL's choice of plans may cost than the
// better one of the two modes that can be requested.
const slowestMode = 1.1

// ModeTurns is how many turns each way to plan has with a statement, unless others are requested.
const ModeTurns = 8

// The length of a turn.
const (
	// modeTurn is how long a turn lasts, about, and modeWarmUp how long each mode is used before, at least.
	modeTurn   = 60 * time.Millisecond
	modeWarmUp = 600 * time.Millisecond
	// modeLearning is the least number of requests before it counts.
	modeLearning = 400
)

// modeTarget is an engine whose source has a mode of its own.
type modeTarget struct {
	*target
	spent time.Duration
	n     int
}

func (t *modeTarget) mean() float64 { return float64(t.spent) / float64(t.n) }

// runModes compares ways to plan statements with parameters, by the CPU time of the database's
// sessions: on each execution, once for all, and as PostgreSQL chooses.
func (p *place) runModes(ctx context.Context, o PlanOptions, out, progress io.Writer) error {
	conn, err := pgx.Connect(ctx, p.databaseURL(sampleDatabase))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	var targets []*modeTarget
	for _, mode := range []string{"custom", "generic", "auto"} {
		fmt.Fprintln(progress, "starting the engine:", mode)
		// What parallel workers have taken is lost when they end.
		set := url.Values{"application_name": {"plans_" + mode}, "max_parallel_workers_per_gather": {"0"}}
		if mode != "auto" {
			set.Set("plan_cache_mode", "force_"+mode+"_plan")
		}
		t, err := p.startOneWith(ctx, mode, p.options.Programs, set)
		if err != nil {
			return err
		}
		targets = append(targets, &modeTarget{target: t})
		defer func() {
			_ = execute(context.WithoutCancel(ctx), p.databaseURL("postgres"), "DROP DATABASE IF EXISTS metadata_"+mode+" WITH (FORCE)")
		}()
	}
	fmt.Fprintf(out, "\n%-28s %12s %12s %12s %7s\n", "database CPU µs", "custom", "generic", "auto", "ratio")
	worst, slow := 0.0, 0
	for _, c := range modeCases() {
		if len(o.Names) > 0 && !slices.Contains(o.Names, c.name) {
			continue
		}
		ratio, err := c.compare(ctx, targets, conn, o.Turns)
		if err == nil && ratio > slowestMode { // something else may have been at work
			ratio, err = c.compare(ctx, targets, conn, o.Turns)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		fmt.Fprintf(out, "%-28s %12.0f %12.0f %12.0f %7.2f\n", c.name,
			targets[0].mean()/1000, targets[1].mean()/1000, targets[2].mean()/1000, ratio)
		worst = max(worst, ratio)
		if ratio > slowestMode {
			slow++
		}
	}
	fmt.Fprintf(out, "worst ratio: %.2f\n", worst)
	if slow > 0 {
		return fmt.Errorf("%w: %d cost more than %g times the better mode", ErrSlow, slow, slowestMode)
	}
	return nil
}

// compare alternates between the modes with the same requests; the ratio is that of the last one to the
// better one of the others.
func (c *modeCase) compare(ctx context.Context, targets []*modeTarget, conn *pgx.Conn, turns int) (float64, error) {
	requests := 1
	for _, t := range targets {
		began, n := time.Now(), 0
		r := rand.New(rand.NewPCG(1, 1)) //nolint:gosec // the same requests for all
		for n < modeLearning && time.Since(began) < 4*modeWarmUp || time.Since(began) < modeWarmUp {
			if err := c.request(ctx, t, r); err != nil {
				return 0, err
			}
			n++
		}
		requests = max(requests, int(modeTurn*time.Duration(n)/time.Since(began)))
		t.spent, t.n = 0, 0
	}
	for turn := range turns {
		for _, t := range targets {
			r := rand.New(rand.NewPCG(2, uint64(turn))) //nolint:gosec // the same requests for all
			before, err := sessionTime(ctx, conn, t.name)
			if err != nil {
				return 0, err
			}
			began := time.Now()
			for i := 0; i < requests; i++ {
				if err := c.request(ctx, t, r); err != nil {
					return 0, err
				}
				if time.Since(began) > 20*modeTurn { // hopeless
					break
				}
				t.n++
			}
			after, err := sessionTime(ctx, conn, t.name)
			if err != nil {
				return 0, err
			}
			t.spent += after - before
		}
	}
	for _, t := range targets {
		t.n = max(t.n, 1)
	}
	return targets[2].mean() / min(targets[0].mean(), targets[1].mean()), nil
}

func (c *modeCase) request(ctx context.Context, t *modeTarget, r *rand.Rand) error {
	session := map[string]string{"X-Engine-Role": "admin"}
	if c.role != "" {
		session = map[string]string{
			"X-Engine-Role": c.role, "X-Engine-Customer-Id": strconv.Itoa(1 + r.IntN(20_000)), "X-Engine-Employee-Id": strconv.Itoa(1 + r.IntN(200)),
		}
	}
	var answer struct{ Errors any }
	err := t.post(ctx, "/v1/graphql", map[string]any{"query": c.query, "variables": c.variables(r)}, session, &answer)
	if err == nil && answer.Errors != nil {
		err = fmt.Errorf("%v", answer.Errors)
	}
	return err
}

// sessionTime is the CPU time so far of the sessions that a target has.
func sessionTime(ctx context.Context, conn *pgx.Conn, name string) (time.Duration, error) {
	rows, err := conn.Query(ctx, `SELECT pid FROM pg_stat_activity WHERE application_name = $1`, "plans_"+name)
	if err != nil {
		return 0, err
	}
	pids, err := pgx.CollectRows(rows, pgx.RowTo[int])
	if err != nil {
		return 0, err
	}
	var sum time.Duration
	for _, pid := range pids {
		text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "schedstat"))
		if err != nil {
			return 0, err
		}
		ns, _, _ := strings.Cut(string(text), " ")
		n, err := strconv.ParseInt(ns, 10, 64)
		if err != nil {
			return 0, errors.New("schedstat of Linux is needed")
		}
		sum += time.Duration(n)
	}
	return sum, nil
}
