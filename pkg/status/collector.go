package status

import (
	"cmp"
	"context"
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
	// silence is for how long a service is listed that doesn't answer, from the first question on.
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
	// asked is the time of the first unanswered question, zero for none: as no request asks
	// for hours, its silence alone tells nothing.
	asked time.Time
	// reported is when the report came, zero for none yet.
	reported time.Time
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
		return nil, fmt.Errorf("discover instances: %w", err)
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
	l.asked = time.Time{}
	if len(r.GetBody()) == 0 {
		return // it has only announced itself
	}
	var report Report
	if err := json.Unmarshal(r.GetBody(), &report); err != nil {
		c.log.Warn("a status report cannot be read", "service", key.service, "instance", key.instance, "error", err)
		return
	}
	report.Service, report.Instance = key.service, key.instance
	l.Report, l.reported = report, c.now()
}

// Collect asks all services, and returns what they report by service and instance. It waits for those that are
// known, for a second at most: of one that doesn't answer it returns the last report, and nothing more once it
// has been silent for a while.
func (c *Collector) Collect(ctx context.Context) ([]Instance, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	began := c.now()
	c.ask(began)
	if err := c.topics.Publish(bus.StatusRollCall, &statusv1.RollCall{}); err != nil {
		return nil, fmt.Errorf("discover instances: %w", err)
	}
	early, stopEarly := context.WithTimeout(ctx, max(0, firstPatience-c.now().Sub(c.began)))
	defer stopEarly()
	waited := early.Done()
	for {
		c.mu.Lock()
		missing := c.missing(began)
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
	return c.list(began), nil
}

// ask notes that all services are queried, and forgets those that have been silent for too long.
func (c *Collector) ask(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, l := range c.known {
		switch {
		case l.asked.IsZero():
			l.asked = now
		case now.Sub(l.asked) > silence:
			delete(c.known, key)
		}
	}
}

// missing is how many of the known services haven't reported since a question, whichever one they answered.
func (c *Collector) missing(began time.Time) (n int) {
	for _, l := range c.known {
		if l.reported.Before(began) {
			n++
		}
	}
	return n
}

func (c *Collector) list(began time.Time) []Instance {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := []Instance{}
	for _, l := range c.known {
		if l.reported.IsZero() {
			continue // it has only announced itself
		}
		i := l.Instance
		i.ReportedAt, i.Responding = l.reported.UTC(), !l.reported.Before(began)
		list = append(list, i)
	}
	slices.SortFunc(list, func(a, b Instance) int {
		return cmp.Or(strings.Compare(a.Service, b.Service), strings.Compare(a.Instance, b.Instance))
	})
	return list
}
