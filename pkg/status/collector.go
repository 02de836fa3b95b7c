package status

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	"queryengine/pkg/bus"
	statusv1 "queryengine/proto/status/v1"
)

const (
	// patience bounds how long a question waits for services that are known.
	patience = time.Second
	// firstPatience is how long the first questions wait for services that are not.
	firstPatience = 300 * time.Millisecond
	// silence is for how long a service is listed that doesn't answer.
	silence = 15 * time.Second
	// maxServices bounds the services that are known, in all processes.
	maxServices = 1000
)

// Collector knows the services that have reported, and asks them. It is safe for concurrent use.
type Collector struct {
	topics Topics
	log    *slog.Logger
	now    func() time.Time
	began  time.Time

	mu      sync.Mutex
	known   map[member]*last
	changed chan struct{}
}

// member is a service in a process.
type member struct{ service, instance string }

// last is what is known of a member.
type last struct {
	Instance
	// heard is when it was heard of; roll is the roll call that the report answers.
	heard time.Time
	roll  string
}

// NewCollector returns a Collector that hears nothing before Start.
func NewCollector(t Topics, logger *slog.Logger) *Collector {
	return &Collector{topics: t, log: logger, now: time.Now, known: map[member]*last{}, changed: make(chan struct{})}
}

// Start hears reports, until stop.
func (c *Collector) Start() (stop func(), err error) {
	stop, err = c.topics.Subscribe(bus.StatusReports, func() proto.Message { return &statusv1.Report{} }, c.hear)
	if err != nil {
		return nil, fmt.Errorf("hear status reports: %w", err)
	}
	c.began = c.now()
	if err := c.topics.Publish(bus.StatusRollCall, &statusv1.RollCall{}); err != nil {
		stop()
		return nil, fmt.Errorf("call the roll: %w", err)
	}
	return stop, nil
}

func (c *Collector) hear(m proto.Message) {
	r, ok := m.(*statusv1.Report)
	if !ok {
		return
	}
	key := member{r.GetService(), r.GetInstance()}
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.GetLeaving() {
		delete(c.known, key)
	} else {
		c.take(key, r)
	}
	close(c.changed)
	c.changed = make(chan struct{})
}

func (c *Collector) take(key member, r *statusv1.Report) {
	l := c.known[key]
	if l == nil {
		if len(c.known) >= maxServices {
			return
		}
		l = &last{}
		c.known[key] = l
	}
	l.heard = c.now()
	if len(r.GetBody()) == 0 {
		return // it has only announced itself
	}
	var report Report
	if err := json.Unmarshal(r.GetBody(), &report); err != nil {
		c.log.Warn("a status report cannot be read", "service", key.service, "instance", key.instance, "error", err)
		return
	}
	report.Service, report.Instance = key.service, key.instance
	l.Report, l.ReportedAt, l.roll = report, l.heard.UTC(), r.GetRollCall()
}

// Collect asks all services, and returns what they report by service and instance. It waits for those that are
// known, for a second at most: of one that doesn't answer it returns the last report, and nothing more once it
// has been silent for a while.
func (c *Collector) Collect(ctx context.Context) ([]Instance, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	roll := rand.Text()
	if err := c.topics.Publish(bus.StatusRollCall, &statusv1.RollCall{Id: roll}); err != nil {
		return nil, fmt.Errorf("call the roll: %w", err)
	}
	early, stopEarly := context.WithTimeout(ctx, max(0, firstPatience-c.now().Sub(c.began)))
	defer stopEarly()
	waited := early.Done()
	for {
		c.mu.Lock()
		missing := c.missing(roll)
		changed := c.changed
		c.mu.Unlock()
		if waited == nil && missing == 0 {
			break
		}
		select {
		case <-waited:
			waited = nil
			continue
		case <-changed:
			continue
		case <-ctx.Done():
		}
		break
	}
	return c.list(roll), nil
}

// missing is how many of the known services haven't answered yet.
func (c *Collector) missing(roll string) (n int) {
	now := c.now()
	for key, l := range c.known {
		switch {
		case now.Sub(l.heard) > silence:
			delete(c.known, key)
		case l.roll != roll:
			n++
		}
	}
	return n
}

func (c *Collector) list(roll string) []Instance {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := []Instance{}
	for _, l := range c.known {
		if l.ReportedAt.IsZero() {
			continue // it has only announced itself
		}
		i := l.Instance
		i.Responding = l.roll == roll
		list = append(list, i)
	}
	slices.SortFunc(list, func(a, b Instance) int {
		return cmp.Or(strings.Compare(a.Service, b.Service), strings.Compare(a.Report.Instance, b.Report.Instance))
	})
	return list
}
