package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
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
	// rates are the requests per second of each turn.
	rates []float64
	// cpu of the target's processes, of the database and of the clients, and of what the machine did besides.
	cpu, databaseCPU, clientsCPU, othersCPU time.Duration
	err                                     error
}

func (f *figures) add(other figures) {
	f.requests += other.requests
	f.elapsed += other.elapsed
	f.latencies = append(f.latencies, other.latencies...)
	f.cpu += other.cpu
	f.databaseCPU += other.databaseCPU
	f.clientsCPU += other.clientsCPU
	f.othersCPU += other.othersCPU
	f.err = errors.Join(f.err, other.err)
}

func (f *figures) throughput() float64 {
	if f.elapsed == 0 {
		return 0
	}
	return float64(f.requests) / f.elapsed.Seconds()
}

// idle is how many processors had nothing to do.
func (f *figures) idle() float64 {
	if f.elapsed == 0 {
		return 0
	}
	busy := f.cpu + f.databaseCPU + f.clientsCPU + f.othersCPU
	return max(0, float64(runtime.NumCPU())-busy.Seconds()/f.elapsed.Seconds())
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

// slice sends a query to a target for a while.
func (m *measurer) slice(ctx context.Context, c *crew, warm, length time.Duration) (figures, error) {
	if err := c.load(ctx, warm, &figures{}); err != nil {
		return figures{}, err
	}
	var f figures
	before, err := m.used(c.target)
	if err != nil {
		return f, err
	}
	if err := c.load(ctx, length, &f); err != nil {
		return f, err
	}
	after, err := m.used(c.target)
	f.cpu, f.databaseCPU, f.clientsCPU = after.target-before.target, after.database-before.database, after.self-before.self
	f.othersCPU = max(0, after.machine-before.machine-f.cpu-f.databaseCPU-f.clientsCPU)
	return f, err
}

// crew are clients that send the same query to a target. Their connections last for all turns: in a short one
// it would matter to begin with new ones.
type crew struct {
	target      *target
	query       *query
	clients     []*client
	connections []*connection
}

// newCrew connects that many clients. It is closed by close.
func newCrew(t *target, q *query, clients int) (*crew, error) {
	c := &crew{target: t, query: q}
	for number := range clients {
		conn, err := t.dial(q)
		if err != nil {
			c.close()
			return nil, err
		}
		c.clients = append(c.clients, newClient(number, rand.Uint64()))
		c.connections = append(c.connections, conn)
	}
	return c, nil
}

func (c *crew) close() {
	for _, conn := range c.connections {
		conn.close()
	}
}

func (c *crew) load(ctx context.Context, length time.Duration, f *figures) error {
	var mu sync.Mutex
	var group sync.WaitGroup
	var failed error
	start := time.Now()
	for number := range c.clients {
		group.Go(func() {
			latencies, err := c.loop(ctx, number, start.Add(length))
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
func (c *crew) loop(ctx context.Context, number int, until time.Time) ([]time.Duration, error) {
	t, q := c.target, c.query
	var latencies []time.Duration
	for now := time.Now(); now.Before(until) && ctx.Err() == nil; {
		path, body := t.request(q, q.variables(c.clients[number]))
		sent := time.Now()
		answer, err := c.connections[number].post(path, body)
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
