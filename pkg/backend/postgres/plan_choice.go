package postgres

import (
	"sync/atomic"
	"time"
)

// planMode is how the server plans a prepared statement.
type planMode uint8

const (
	// planAuto leaves it to the server, which compares what it takes the costs to be.
	planAuto planMode = iota
	// planGeneric takes a plan that was made once, for any parameters.
	planGeneric
	// planCustom makes a plan for these parameters.
	planCustom
	planModes
)

// setting is the command that chooses the mode, for the round trip that it is sent in: behind it
// nothing of the choice is left in the session, not even in that of a pooler.
func (m planMode) setting() command {
	const sql = "SELECT CASE WHEN pg_catalog.current_setting('plan_cache_mode', true) IS NOT NULL" +
		" THEN pg_catalog.set_config('plan_cache_mode', $1, true) END"
	if m == planGeneric {
		return command{sql: sql, values: [][]byte{[]byte("force_generic_plan")}}
	}
	return command{sql: sql, values: [][]byte{[]byte("force_custom_plan")}}
}

// How the modes of a statement are compared.
const (
	// tries is how often each mode is tried before one is chosen, unless the first few show that
	// it is out of the question.
	tries, firstTries = 40, 4
	hopeless          = 3
	// Later the others are given a share of the statement's time, 1/budget each: data changes, and
	// parameters are of different weight.
	budget = 100
	// advantage is what a mode other than the server's choice must gain, as a share of the time,
	// since to ask for it costs something.
	advantage = 0.08
	// certain is how many standard errors such a gain must be.
	certain = 2.5
	// longest is the longest run whose square is summed.
	longest = 10 * time.Second
	// outlier bounds what one run counts for, as a multiple of the mean: it may have waited for a lock.
	outlier = 64
	// memory is how many runs count. Beyond, all weigh half.
	memory = 1024
	// settled is how often a connection runs a statement before the server has compared its costs.
	settled = 6
)

// planChoice decides by the time that a statement has taken which mode it is run in. It is shared
// by all connections of a process; what it knows is approximate when many write at once.
type planChoice struct {
	modes [planModes]modeCost
}

// modeCost is what is known of one mode.
type modeCost struct {
	// spent is in nanoseconds, squares in square microseconds.
	runs, spent, squares atomic.Int64
	// credit is the time that may be spent on trying it while another one is better.
	credit atomic.Int64
}

func (c *modeCost) mean() float64 { return float64(c.spent.Load()) / float64(max(c.runs.Load(), 1)) }

// uncertainty is the square of the standard error of the mean.
func (c *modeCost) uncertainty() float64 {
	runs := float64(max(c.runs.Load(), 1))
	mean := c.mean()
	return max(float64(c.squares.Load())*1e6/runs-mean*mean, 0) / runs
}

// next is the mode of the next run.
func (p *planChoice) next() planMode {
	best, least := p.best()
	for m := range planModes {
		c := &p.modes[m]
		switch runs := c.runs.Load(); {
		case runs < firstTries,
			m != best && runs < tries && c.mean() < hopeless*least,
			m != best && float64(c.credit.Load()) > c.mean():
			return m
		}
	}
	return best
}

// best is the mode that has taken the least time on average, as far as that is certain: times differ
// for many reasons, and as long as these may be it, the server's choice holds.
func (p *planChoice) best() (best planMode, least float64) {
	auto := &p.modes[planAuto]
	best, least = planAuto, auto.mean()
	for m := planGeneric; m < planModes; m++ {
		c := &p.modes[m]
		mean, gain := c.mean(), auto.mean()-c.mean()
		if c.runs.Load() >= firstTries && mean < least && gain > advantage*auto.mean() &&
			gain*gain > certain*certain*(auto.uncertainty()+c.uncertainty()) {
			best, least = m, mean
		}
	}
	return best, least
}

// took notes the time of a run.
func (p *planChoice) took(m planMode, t time.Duration) {
	c := &p.modes[m]
	if runs := c.runs.Load(); runs >= tries {
		t = min(t, time.Duration(outlier*c.mean()))
	}
	for other := range planModes {
		if other != m {
			p.modes[other].credit.Add(int64(t) / budget)
		}
	}
	c.credit.Store(0)
	c.spent.Add(int64(t))
	square := min(t, longest).Microseconds()
	c.squares.Add(square * square)
	if c.runs.Add(1) >= memory {
		for _, sum := range []*atomic.Int64{&c.spent, &c.squares, &c.runs} {
			sum.Add(-sum.Load() / 2)
		}
	}
}

// planned is a run of a statement whose mode is a choice; the zero value is any other run.
type planned struct {
	choice *planChoice
	mode   planMode
	known  *prepared
	began  time.Time
	// counts is false for the first runs of a connection, which make plans that later ones have.
	counts bool
}

// plan chooses the mode of a run.
func (c *conn) plan(text *rendered) planned {
	if text.choice == nil || !c.prepares(text) || c.pool.plansFixed.Load() {
		return planned{}
	}
	p := c.statements.find(text.sql)
	if p == nil {
		return planned{}
	}
	r := planned{choice: text.choice, known: p, mode: text.choice.next(), began: time.Now()}
	if p.runs[r.mode] < settled {
		p.runs[r.mode]++
	}
	r.counts = p.runs[r.mode] == settled || r.mode == planGeneric && p.runs[r.mode] > 1 || r.mode == planCustom
	return r
}

// done notes that the run has come to its end.
func (r *planned) done() {
	if r.counts {
		r.choice.took(r.mode, time.Since(r.began))
	}
}
