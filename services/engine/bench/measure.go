package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
)

// figures are the measurements of one query on one target.
type figures struct {
	requests  int
	elapsed   time.Duration
	latencies []time.Duration
	// cpu of the target's processes and of the database, and of what the machine did besides.
	cpu, databaseCPU, othersCPU time.Duration
	err                         error
}

func (f *figures) add(other figures) {
	f.requests += other.requests
	f.elapsed += other.elapsed
	f.latencies = append(f.latencies, other.latencies...)
	f.cpu += other.cpu
	f.databaseCPU += other.databaseCPU
	f.othersCPU += other.othersCPU
	f.err = errors.Join(f.err, other.err)
}

func (f *figures) throughput() float64 {
	if f.elapsed == 0 {
		return 0
	}
	return float64(f.requests) / f.elapsed.Seconds()
}

// percentile needs sorted latencies.
func (f *figures) percentile(p int) time.Duration {
	if len(f.latencies) == 0 {
		return 0
	}
	return f.latencies[min(len(f.latencies)*p/100, len(f.latencies)-1)]
}

// measurer drives one target at a time.
type measurer struct {
	database func() (time.Duration, error) // CPU time of the database so far
}

// used is the CPU time so far of the processes in a measurement, and of the whole machine.
type used struct{ target, database, self, machine time.Duration }

func (m *measurer) used(t *target) (u used, err error) {
	if u.target, err = cpuTime(t.pids); err != nil {
		return u, fmt.Errorf("%s has ended: %w", t.name, err)
	}
	if u.database, err = m.database(); err != nil {
		return u, err
	}
	if u.self, err = cpuTime([]int{os.Getpid()}); err != nil {
		return u, err
	}
	u.machine, err = machineTime()
	return u, err
}

// slice sends q to t from that many clients, for a while.
func (m *measurer) slice(ctx context.Context, t *target, q *query, clients int, warm, length time.Duration) (figures, error) {
	if err := m.load(ctx, t, q, clients, warm, &figures{}); err != nil {
		return figures{}, err
	}
	var f figures
	before, err := m.used(t)
	if err != nil {
		return f, err
	}
	if err := m.load(ctx, t, q, clients, length, &f); err != nil {
		return f, err
	}
	after, err := m.used(t)
	f.cpu, f.databaseCPU = after.target-before.target, after.database-before.database
	f.othersCPU = max(0, after.machine-before.machine-f.cpu-f.databaseCPU-(after.self-before.self))
	return f, err
}

func (m *measurer) load(ctx context.Context, t *target, q *query, clients int, length time.Duration, f *figures) error {
	var mu sync.Mutex
	var group sync.WaitGroup
	var failed error
	start := time.Now()
	for number := range clients {
		group.Go(func() {
			latencies, err := t.loop(ctx, q, newClient(number, rand.Uint64()), start.Add(length))
			mu.Lock()
			defer mu.Unlock()
			f.latencies = append(f.latencies, latencies...)
			if failed == nil {
				failed = err
			}
		})
	}
	group.Wait()
	f.elapsed = time.Since(start)
	f.requests = len(f.latencies)
	return failed
}

// loop is one client's work until a time.
func (t *target) loop(ctx context.Context, q *query, by *client, until time.Time) ([]time.Duration, error) {
	c, err := t.dial(q)
	if err != nil {
		return nil, err
	}
	defer c.close()
	var latencies []time.Duration
	for now := time.Now(); now.Before(until) && ctx.Err() == nil; {
		path, body := t.request(q, q.variables(by))
		sent := time.Now()
		answer, err := c.post(path, body)
		now = time.Now()
		if err == nil {
			err = q.check(answer)
		}
		if err != nil {
			return latencies, fmt.Errorf("%s on %s: %w", q.name, t.name, err)
		}
		latencies = append(latencies, now.Sub(sent))
	}
	return latencies, ctx.Err()
}

// compare holds a target's answers to those of the reference. Answers to writes are only
// checked for what they have in common.
func compare(q *query, t, reference *target) error {
	const samples = 3
	by := newClient(0, 1)
	for range samples {
		variables := q.variables(by)
		have, err := t.ask(q, variables)
		if err != nil {
			return err
		}
		if q.write {
			continue
		}
		want, err := reference.ask(q, variables)
		if err != nil {
			return err
		}
		if !reflect.DeepEqual(have, want) {
			return fmt.Errorf("its answer to %s differs from that of %s", variables, reference.name)
		}
	}
	return nil
}

// ask gives the decoded answer to one request.
func (t *target) ask(q *query, variables string) (any, error) {
	c, err := t.dial(q)
	if err != nil {
		return nil, err
	}
	defer c.close()
	path, body := t.request(q, variables)
	answer, err := c.post(path, body)
	if err == nil {
		err = q.check(answer)
	}
	if err != nil {
		return nil, err
	}
	var decoded any
	decoder := json.NewDecoder(strings.NewReader(string(answer)))
	decoder.UseNumber()
	return decoded, decoder.Decode(&decoded)
}

func sortLatencies(f *figures) { slices.Sort(f.latencies) }
