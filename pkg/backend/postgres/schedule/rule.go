package schedule

import (
	"math"
	"time"
)

// When statements share.
const (
	// window is after how many runs it may change whether they do.
	window = 256
	// crowd is how many of these have to find as many round trips under way as there may be, for the
	// window to tell anything.
	crowd = window / 4
	// pairs is how many are compared before the better way is kept, retry is after how many windows the other
	// one is tried again.
	pairs, retry = 6, 24
	// maxSamples is how many comparisons count.
	maxSamples = 16
	// priorGain is the gain that is assumed before any comparison, and priorWeight as how many comparisons it counts.
	priorGain, priorWeight = 0.1, 2
	// maxStep bounds what one comparison counts for: on a busy machine much happens in a window.
	maxStep = 0.7
	// tolerated and toleratedWrite are how much more statements may cost together, as rule.tolerated: it saves CPU time in
	// any case, of what writes a fourth of the server's.
	tolerated, toleratedWrite = 0.2, 0.3
	// pace is how much more it counts how soon statements follow each other than how long each takes.
	pace = 2
	// longest is what one run counts for at most: it may have waited for a lock.
	longest = 20 * time.Millisecond
	// pauses is the part of a window's time, a fourth, that may pass between the ends of two runs for the window to tell anything:
	// in a longer pause clients have asked for nothing, whatever they would have waited for. A shorter one adds 0.6 to the cost,
	// less than maxStep, and hardly ever comes by chance: that is four shared round trips of maxShared.
	pauses = 4
)

// rule decides by measuring whether to share is of use: where processors are busy, statements that
// share save more than they wait; where the server is far away, or has more processors than the
// engine, they may only wait. What is compared, from window to window, is a cost: how long statements take here, and how
// soon they follow each other. What is saved here may be of use elsewhere, as in a gateway on the same machine, and shows
// in clients that have their answers sooner and ask sooner for more; where they don't, only how long it takes differs.
type rule struct {
	// tolerated is how much higher the cost may be together.
	tolerated float64
	// apart is set in windows in which nothing is shared.
	apart bool
	// crowded counts those of the runs that found no place free, or shared one that was.
	runs, crowded int
	sum           time.Duration
	// began is when the window did, ended when the last run did, pause the longest time between the ends of two.
	began, ended time.Time
	pause        time.Duration
	// last is the cost in the last window that told anything, as a logarithm, lastApart of which kind
	// it was, known whether there is one.
	last             float64
	lastApart, known bool
	// gain is how much higher the cost is apart, compared how often that was
	// measured, kept how many windows there were since.
	gain           float64
	compared, kept int
}

// gathers reports whether it is of use to wait for others that come at the same time: there were some that found no place
// free, in this window or the one before it.
func (r *rule) gathers() bool { return !r.apart && (r.known || r.crowded > 0) }

// took notes the time of runs that ended now, each at most the longest.
func (r *rule) took(d time.Duration, runs int, now time.Time) {
	r.sum += d
	r.pause, r.ended = max(r.pause, now.Sub(r.ended)), now
	if r.runs += runs; r.runs >= window {
		r.next(now)
	}
}

// next ends a window.
func (r *rule) next(now time.Time) {
	each := func(d time.Duration) float64 { return math.Log(float64(max(d, 1)) / float64(r.runs)) }
	elapsed := now.Sub(r.began)
	cost := each(r.sum) + pace*each(elapsed)
	// Before the first run was the longest pause.
	tells := r.crowded >= crowd && r.pause <= elapsed/pauses
	r.runs, r.crowded, r.sum, r.began, r.pause = 0, 0, 0, now, 0
	if !tells {
		r.known = false // what comes next is at another time
		r.apart = r.worse()
		return
	}
	if r.known && r.lastApart != r.apart {
		gain := cost - r.last
		if !r.apart {
			gain = -gain
		}
		gain = max(-maxStep, min(gain, maxStep))
		if r.compared == 0 {
			r.gain = priorGain
		}
		r.gain += (gain - r.gain) / float64(min(r.compared+priorWeight+1, maxSamples))
		r.compared++
		r.kept = 0
	}
	r.last, r.lastApart, r.known = cost, r.apart, true
	switch r.kept++; {
	case r.compared < pairs, r.kept > retry:
		r.apart = !r.apart
	default:
		r.apart = r.worse()
	}
}

// worse reports whether the cost is too high together, by what was measured.
func (r *rule) worse() bool { return r.gain < -r.tolerated }
