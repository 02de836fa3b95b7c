package bus

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
)

// A replica that is frozen, or that the network has lost, stays in the queue group of its service until
// NATS drops its connection, and gets its share of the requests meanwhile. So replicas announce
// themselves twice per heartbeat, and callers send to one that they have heard from recently, by its
// own subject. The queue group is for callers that know of none.

// member is a replica of a service in another process.
type member struct {
	inbox string
	// heard is when it last gave a sign of life, in nanoseconds.
	heard atomic.Int64
	// calls is the number of pending requests from this process.
	calls atomic.Int64
	// lacks reports whether it lacks something that requests may need.
	lacks atomic.Bool
	line  line
}

// instance is the member's part of subjects.
func (m *member) instance() string { return instanceOf(m.inbox) }

func (m *member) silence(now time.Time) time.Duration {
	return now.Sub(time.Unix(0, m.heard.Load()))
}

// directory is the known replicas, by service.
type directory struct {
	mu       sync.Mutex
	services map[string][]*member
	next     int // round robin among those with the same number of pending requests
}

// onPresent handles the announcement of a replica. One that stops sends a message without content after
// its name.
func (b *Bus) onPresent(m *nats.Msg) {
	service := strings.TrimPrefix(m.Subject, presentSubject(""))
	inbox, leaves := strings.CutSuffix(string(m.Data), leaving)
	inbox, lacks := strings.CutSuffix(inbox, lacking)
	if !strings.HasPrefix(inbox, inboxPrefix) || inbox == b.inbox {
		return
	}
	d := &b.directory
	d.mu.Lock()
	defer d.mu.Unlock()
	var there *member
	defer func() {
		if there != nil && b.callsDirectly(service) && there.line.begin(time.Now()) {
			go b.connectDirectly(there)
		}
	}()
	list := d.services[service]
	i := slices.IndexFunc(list, func(m *member) bool { return m.inbox == inbox })
	switch {
	case leaves && i >= 0:
		list[i].line.end()
		d.services[service] = slices.Delete(list, i, i+1)
	case leaves:
	case i >= 0:
		there = list[i]
		there.heard.Store(time.Now().UnixNano())
		there.lacks.Store(lacks)
	default:
		there = &member{inbox: inbox}
		there.lacks.Store(lacks)
		there.heard.Store(time.Now().UnixNano())
		d.services[service] = append(list, there)
	}
}

// choose returns the replica with the fewest pending requests of those heard from recently, except
// tried and those that lack something while others don't. When there is none, which a pause of this process can cause too, it is the one heard from last:
// NATS would pick any, a frozen one included. It is nil when no other than tried is known.
func (b *Bus) choose(ep Endpoint, tried *member) *member {
	if ep.Replica {
		return nil
	}
	d := &b.directory
	now := time.Now()
	d.mu.Lock()
	defer d.mu.Unlock()
	list := d.services[ep.Service]
	if len(list) == 0 {
		return nil
	}
	d.next++
	var best, last *member
	for i := range list {
		m := list[(d.next+i)%len(list)]
		switch {
		case m == tried:
		case m.silence(now) < b.silent():
			if best == nil || m.better(best) {
				best = m
			}
		case last == nil || m.heard.Load() > last.heard.Load():
			last = m
		}
	}
	return cmp.Or(best, last)
}

// better reports whether requests are sent to m rather than to o.
func (m *member) better(o *member) bool {
	if lacks := m.lacks.Load(); lacks != o.lacks.Load() {
		return !lacks
	}
	return m.calls.Load() < o.calls.Load()
}

// lacksNothing reports whether a replica elsewhere that lacks nothing was heard from recently.
func (b *Bus) lacksNothing(service string) bool {
	d := &b.directory
	now := time.Now()
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.ContainsFunc(d.services[service], func(m *member) bool { return !m.lacks.Load() && m.silence(now) < b.silent() })
}

// Lacks reports whether a replica has announced that it lacks something that requests may need.
func (b *Bus) Lacks(service, instance string) bool {
	d := &b.directory
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.ContainsFunc(d.services[service], func(m *member) bool { return m.lacks.Load() && m.instance() == instance })
}

// drop forgets a replica that NATS does not know any more.
func (b *Bus) drop(service string, gone *member) {
	d := &b.directory
	d.mu.Lock()
	defer d.mu.Unlock()
	gone.line.end()
	d.services[service] = slices.DeleteFunc(d.services[service], func(m *member) bool { return m == gone })
}

// watchMembers forgets replicas that have been silent for long. The time for which this process itself
// paused doesn't count as their silence.
func (b *Bus) watchMembers(now time.Time, paused time.Duration) {
	d := &b.directory
	d.mu.Lock()
	defer d.mu.Unlock()
	for service, list := range d.services {
		if paused > 0 {
			for _, m := range list {
				m.heard.Add(int64(paused))
			}
		}
		d.services[service] = slices.DeleteFunc(list, func(m *member) bool {
			gone := m.silence(now) > 10*b.cfg.IdleTimeout
			if gone {
				m.line.end()
			}
			return gone
		})
	}
}

// silent is how long a replica may give no sign of life before it is left out.
func (b *Bus) silent() time.Duration { return 3 * b.cfg.Heartbeat / 2 }

// announce publishes that the service is there.
func (s *Service) announce() {
	text := s.bus.inbox
	if s.lacks() {
		text += lacking
	}
	_ = s.bus.nc.Publish(presentSubject(s.info.Name), []byte(text)) // the next one is due soon
}

func (s *Service) lacks() bool { return s.info.Lacks != nil && s.info.Lacks() }

// leave publishes that the service is going away.
func (s *Service) leave() {
	_ = s.bus.nc.Publish(presentSubject(s.info.Name), []byte(s.bus.inbox+leaving))
}

// Announce publishes which services are there, and what they lack. It happens by itself all the time.
func (b *Bus) Announce() {
	for _, e := range *b.endpoints.Load() {
		if e.announces {
			e.service.announce()
		}
	}
}
