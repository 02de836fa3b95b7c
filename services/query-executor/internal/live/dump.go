package live

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// PollerDump is a poller as developers see it.
type PollerDump struct {
	ID          string  `json:"poller_id"`
	Kind        string  `json:"kind"`
	Source      string  `json:"source"`
	Role        string  `json:"role"`
	Statement   string  `json:"generated_sql"`
	BatchSize   int     `json:"batch_size"`
	Refetch     float64 `json:"refetch_delay"` // s
	Pushed      bool    `json:"pushed"`
	Cohorts     int     `json:"cohort_count"`
	FromLog     int     `json:"from_log_count"` // cohorts that need no statement
	Subscribers int     `json:"subscriber_count"`
	// Details are the cohorts, when they are requested.
	Details []CohortDump `json:"cohorts,omitempty"`
}

// CohortDump is a cohort as developers see it. Its values are not shown: they may be secret.
type CohortDump struct {
	Subscribers int    `json:"subscriber_count"`
	Hash        string `json:"result_hash,omitempty"`
}

// Dump lists what runs, in a fixed order; extended adds the cohorts.
func (m *Manager) Dump(extended bool) []PollerDump {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := make([]PollerDump, 0, len(m.pollers))
	for _, p := range m.pollers {
		list = append(list, p.dump(extended))
	}
	slices.SortFunc(list, func(a, b PollerDump) int { return strings.Compare(a.ID, b.ID) })
	return list
}

// id names the poller for people.
func (p *poller) id() string {
	sum := sha256.Sum256([]byte(p.key))
	return hex.EncodeToString(sum[:8])
}

func (p *poller) dump(extended bool) PollerDump {
	p.mu.Lock()
	defer p.mu.Unlock()
	d := PollerDump{
		ID: p.id(), Kind: string(p.kind), Source: p.live.Source, Role: p.role,
		Statement: p.live.Statement.SQL(), BatchSize: p.options.Batch, Refetch: p.options.Interval.Seconds(),
		Pushed: p.pushed.Load(), Cohorts: len(p.cohorts), Subscribers: p.subscribers,
	}
	for _, c := range p.cohorts {
		if c.isCurrent() {
			d.FromLog++
		}
		if !extended {
			continue
		}
		cohort := CohortDump{Subscribers: len(c.subscribers)}
		if c.known {
			cohort.Hash = hex.EncodeToString(c.hash[:])
		}
		d.Details = append(d.Details, cohort)
	}
	return d
}
