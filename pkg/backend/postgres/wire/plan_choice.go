package wire

import (
	"errors"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// PlanMode is how the server plans a prepared statement.
type PlanMode uint8

const (
	// PlanAuto leaves it to the server, which compares what it takes the costs to be.
	PlanAuto PlanMode = iota
	// PlanGeneric takes a plan that was made once, for any parameters.
	PlanGeneric
	// PlanCustom makes a plan for these parameters.
	PlanCustom
	// PlanModes is the number of modes.
	PlanModes
)

// setting is the command that chooses the mode, for the round trip that it is sent in: behind it
// nothing of the choice is left in the session, not even in that of a pooler.
func (m PlanMode) setting() Command {
	const sql = "SELECT CASE WHEN pg_catalog.current_setting('plan_cache_mode', true) IS NOT NULL" +
		" THEN pg_catalog.set_config('plan_cache_mode', $1, true) END"
	plans := PlansCustom
	if m == PlanGeneric {
		plans = PlansGeneric
	}
	return Command{SQL: sql, Values: [][]byte{[]byte(plans.setting())}}
}

// How the modes of a statement are compared.
const (
	// strata is how many groups of parameter values are told apart.
	strata = 64
	// tries is how often each mode is tried before credit decides, stratumTries how often in each
	// stratum, unless it turns out to be hopeless times as slow as the best one.
	tries, stratumTries = 40, 3
	FirstTries          = 4
	// earlyRuns is how many runs are compared also without regard to their parameters.
	earlyRuns = 3 * tries
	hopeless  = 3
	// patience is what a hopeless mode takes in all, in nanoseconds, before it counts as such.
	patience = 10e6
	// Later the others are given a share of the stratum's time: 1/learning each until they have run
	// learned times, then 1/budget, since data changes. A mode that is known to be unlikely times as
	// slow over all strata isn't tried in each first, and is given 1/reluctant for 1/learning.
	learning, learned, unlikely, reluctant, budget = 20, 12, 1.4, 50, 100
	// advantage is what a mode other than the server's choice must gain, as a share of the time,
	// since to ask for it costs something.
	advantage = 0.08
	// certain is how many standard errors such a gain must be over all strata, stratumCertain in
	// one of them, where chance has more occasions.
	certain, stratumCertain = 2.5, 3
	// contrary is how many standard errors of the mean are enough to doubt what is typical.
	contrary = 2
	// usualSpread is how far runs of a mode with the same parameters are taken to differ, as a share
	// of their mean, before enough of them are known; it counts for as much as spreadRuns runs.
	usualSpread, spreadRuns = 0.3, 2
	// leastSpread is how far they differ at least.
	leastSpread = 0.1
	// outlier bounds what one run counts for, as a multiple of the mean: it may have waited for a lock.
	outlier = 64
	// memory is how many runs of a mode in a stratum count. Beyond, all weigh half.
	memory = 1024
	// overview is after how many runs the strata are compared as a whole, at first and once each
	// mode has been tried.
	overview, laterOverview = 16, 128
	// settled is how often a connection runs a statement before the server has compared its costs.
	settled = 6
)

// PlanChoice decides by the time that a statement has taken which mode it is run in. It is shared by
// all connections of a process.
//
// Parameters may be of very different weight: if runs with other parameters are compared, their
// spread hides what the mode costs. So runs are told apart by a hash of the parameters, and modes
// are compared within such a stratum only. A stratum that is certain decides for itself: rare
// values may want another plan than frequent ones. All others follow what is certain of the
// statement as a whole, and the server's choice until then. On a busy machine interruptions hide
// what short statements cost; so what is typical counts, too, unless the mean contradicts.
type PlanChoice struct {
	// slots hold for each stratum the mode of the next run, and that of the runs after it.
	slots [strata]atomic.Uint32

	mu sync.Mutex
	// strata is nil before the first run that counts.
	strata *[strata]stratum
	Runs   [PlanModes]int
	total  int
	// early are the first runs, whatever their parameters are: before these have come twice.
	early stratum
	// overall is the best mode over all strata, certain whether it is not only the server's choice,
	// ratio what each mode takes as a multiple of the best one. What is hopeless isn't tried in
	// strata where nothing is known of it. usual is the result of spreadsOf.
	overall            PlanMode
	certain            bool
	ratio              [PlanModes]float32
	unlikely, hopeless [PlanModes]bool
	usual              spreads
	// ended are the modes in which the statement has failed, and not in the server's choice.
	ended [PlanModes]bool
}

// Next is the mode of the next run in a stratum.
func (p *PlanChoice) Next(number int) PlanMode {
	slot := &p.slots[number]
	v := slot.Load()
	now, then := PlanMode(v>>8), PlanMode(v&0xff)
	if now != then && !slot.CompareAndSwap(v, uint32(then)<<8|uint32(then)) {
		return then // another run tries it
	}
	return now
}

// settled is the mode of a stratum's runs where no other one is to be tried.
func (p *PlanChoice) settled(number int) (m PlanMode, ok bool) {
	v := p.slots[number].Load()
	return PlanMode(v & 0xff), v>>8 == v&0xff
}

// Took notes the time of a run.
func (p *PlanChoice) Took(number int, m PlanMode, t time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.strata == nil {
		p.strata = new([strata]stratum)
	}
	s := &p.strata[number]
	s.note(m, float32(t), p.unlikely)
	if p.total < earlyRuns {
		p.early.note(m, float32(t), p.unlikely)
	}
	p.Runs[m]++
	if p.total++; p.total < overview || p.total < 10*laterOverview && p.total%overview == 0 || p.total%laterOverview == 0 {
		p.compare()
	}
	if p.total%(strata*memory) == 0 {
		for i := range p.strata {
			p.strata[i].weight /= 2
		}
	}
	then := p.best(s)
	p.slots[number].Store(uint32(p.try(s, then))<<8 | uint32(then))
}

// end ends a mode that the statement fails in: no run is planned so any more.
func (p *PlanChoice) end(m PlanMode) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended[m] = true
	if p.overall == m {
		p.overall, p.certain = PlanAuto, false
	}
	for i := range p.slots {
		p.slots[i].Store(uint32(PlanAuto)<<8 | uint32(PlanAuto))
	}
}

// best is the mode for a stratum: the certain one there, and else the best one of all strata.
func (p *PlanChoice) best(s *stratum) PlanMode {
	auto, found := &s.modes[PlanAuto], PlanAuto
	if auto.runs < FirstTries {
		return p.overall
	}
	most, decided := advantage, false
	for m := PlanGeneric; m < PlanModes; m++ {
		c := &s.modes[m]
		if c.runs < FirstTries || p.ended[m] {
			continue
		}
		v := verdict{}
		v.add(s, 1, m, p.usual)
		if gain := v.gain(stratumCertain); gain > most {
			found, most, decided = m, gain, true
		}
		decided = decided || m == p.overall && v.loses(stratumCertain)
	}
	if decided {
		return found
	}
	return p.overall
}

// try is the mode of the next run in a stratum: the best one, or one of which too little is known.
func (p *PlanChoice) try(s *stratum, best PlanMode) PlanMode {
	fastest := s.fastest()
	found, fewest := best, uint32(math.MaxUint32)
	for m := range PlanModes {
		c := &s.modes[m]
		slow := p.hopeless[m] || p.ended[m] || c.hopeless(&s.modes[fastest])
		// A few short runs that were interrupted must not decide how soon there are more: they would
		// stay what is known of the mode.
		cost := s.modes[fastest].typicalTime() * max(p.ratio[m], 1)
		if own := c.typicalTime(); c.runs >= stratumTries || c.runs > 0 && (own < cost || c.spent() > patience) {
			cost = own
		}
		wanted := !slow && (c.runs < stratumTries && p.Runs[m] < 2*tries && !p.unlikely[m] || p.Runs[m] < tries && !p.certain) || c.credit > cost
		if wanted && m != best && c.runs < fewest {
			found, fewest = m, c.runs
		}
	}
	if s.modes[best].runs < min(fewest, FirstTries) {
		return best
	}
	return found
}

// compare compares the modes over all strata, each by as much as it occurs.
func (p *PlanChoice) compare() {
	p.usual = spreadsOf(p.strata)
	var verdicts [PlanModes]verdict
	var spent [PlanModes]float64
	for i := range p.strata {
		s := &p.strata[i]
		for m := range PlanModes {
			c := &s.modes[m]
			spent[m] += float64(c.spent())
			if c.runs > 0 && s.modes[PlanAuto].runs > 0 {
				verdicts[m].add(s, float64(s.weight), m, p.usual)
			}
		}
	}
	p.overall, p.certain = PlanAuto, false
	most := advantage
	for m := PlanGeneric; m < PlanModes; m++ {
		gain := verdicts[m].gain(certain)
		if early := (verdict{}); p.total <= earlyRuns && p.Runs[m] >= FirstTries && p.Runs[PlanAuto] >= FirstTries {
			early.add(&p.early, 1, m, spreads{usualSpread * usualSpread, usualSpread * usualSpread})
			gain = max(gain, early.gain(stratumCertain))
		}
		if p.Runs[m] >= FirstTries && gain > most && !p.ended[m] {
			p.overall, p.certain, most = m, true, gain
		}
	}
	fastest := min(verdicts[PlanGeneric].ratio(), verdicts[PlanCustom].ratio(), 1)
	for m := range PlanModes {
		p.ratio[m] = float32(verdicts[m].ratio() / fastest)
		p.unlikely[m] = p.certain && p.ratio[m] > unlikely
		p.hopeless[m] = p.ratio[m] > hopeless && spent[m] > patience
	}
}

// PlannedRun is a run of a statement whose mode is a choice; the zero value is any other run.
type PlannedRun struct {
	choice  *PlanChoice
	stratum int
	Mode    PlanMode
	Known   *prepared
	began   time.Time
	// counts is false for the first runs of a connection, which make plans that later ones have.
	counts bool
	// failed is the mode in which the run has failed before; PlanAuto for none.
	failed PlanMode
}

// Plan chooses the mode of a run. failed is the mode in which this run has failed before, PlanAuto for none.
func (c *Conn) Plan(text *Text, values [][]byte, failed PlanMode) PlannedRun {
	if failed != PlanAuto {
		return PlannedRun{choice: text.Choice, failed: failed}
	}
	if text.Choice == nil || !c.Prepares(text) || c.Pool.plansFixed.Load() {
		return PlannedRun{}
	}
	p := c.statements.find(text.SQL)
	if p == nil {
		return PlannedRun{}
	}
	number := StratumOf(values)
	r := PlannedRun{choice: text.Choice, stratum: number, Known: p, Mode: text.Choice.Next(number), began: time.Now()}
	if p.runs[r.Mode] < settled {
		p.runs[r.Mode]++
	}
	r.counts = p.runs[r.Mode] == settled || r.Mode == PlanGeneric && p.runs[r.Mode] > 1 || r.Mode == PlanCustom
	return r
}

// Done notes that the run has come to its end.
func (r *PlannedRun) Done() {
	if r.failed != PlanAuto {
		r.choice.end(r.failed)
	}
	if r.counts {
		r.choice.Took(r.stratum, r.Mode, time.Since(r.began))
	}
}

// Fails reports whether an error may come from the mode alone: the statement runs again in the server's choice then.
func (m PlanMode) Fails(err error) bool {
	var pg *pgconn.PgError
	return m != PlanAuto && errors.As(err, &pg) && pg.Severity == "ERROR" && !strings.HasPrefix(pg.Code, "57") && !outdated(err) // 57: it was ended
}

// settledMode is the mode of a run that isn't measured; ok is false where it has to be.
func (p *Pool) settledMode(text *Text, values [][]byte) (m PlanMode, ok bool) {
	if text.Choice == nil || p.plansFixed.Load() {
		return PlanAuto, true
	}
	return text.Choice.settled(StratumOf(values))
}
