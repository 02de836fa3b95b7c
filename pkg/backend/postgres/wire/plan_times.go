package wire

import (
	"hash/crc32"
	"math"
)

// stratum holds the measurements of parameters with the same hash.
type stratum struct {
	// weight is how often they occur, in proportion to other strata.
	weight float32
	modes  [PlanModes]modeCost
}

// modeCost is the measured cost of a mode in a stratum.
type modeCost struct {
	// mean is in nanoseconds, squares the sum of the squares of the distances from it.
	mean, squares float32
	// logMean and logSquares are the same of the logarithms. Interruptions by other processes,
	// which make most of what runs of a short statement differ, move them little.
	logMean, logSquares float32
	runs                uint32
	// credit is the time that may be spent on trying it while another one is better.
	credit float32
}

func (c *modeCost) add(t float32) {
	if c.runs >= tries {
		t = min(t, outlier*c.mean)
	}
	c.runs++
	accumulate(&c.mean, &c.squares, t, c.runs)
	accumulate(&c.logMean, &c.logSquares, float32(math.Log(float64(max(t, 1)))), c.runs)
	if c.runs >= memory {
		c.runs, c.squares, c.logSquares = c.runs/2, c.squares/2, c.logSquares/2
	}
}

// accumulate adds the n-th value, by the algorithm of Welford.
func accumulate(mean, squares *float32, value float32, n uint32) {
	away := value - *mean
	*mean += away / float32(n)
	*squares += away * (value - *mean)
}

// spreads are the squares of how far runs of a mode in the same stratum differ, as a share of their
// mean and in the logarithm.
type spreads struct{ mean, log float64 }

// estimate is a value with the square of its standard error.
type estimate struct{ value, doubt float64 }

// average is the mean. usual is that of all runs of the statement: a few may be alike by chance.
func (c *modeCost) average(usual spreads) estimate {
	mean := float64(c.mean)
	return estimate{mean, mean * mean * c.relative(float64(c.squares)/(mean*mean), usual.mean)}
}

// typical is the logarithm of the geometric mean, which isn't exact where rare runs take most of
// the time, but is known sooner.
func (c *modeCost) typical(usual spreads) estimate {
	return estimate{float64(c.logMean), c.relative(float64(c.logSquares), usual.log)}
}

// spent is the time of all runs that count, in nanoseconds.
func (c *modeCost) spent() float32 { return float32(c.runs) * c.mean }

// typicalTime is that in nanoseconds.
func (c *modeCost) typicalTime() float32 { return float32(math.Exp(float64(c.logMean))) }

func (c *modeCost) relative(squares, usual float64) float64 {
	runs := float64(c.runs)
	return max((squares+spreadRuns*usual)/(runs-1+spreadRuns), leastSpread*leastSpread) / runs
}

// comparison is how much less a mode takes than the server's choice, over some strata.
type comparison struct{ gain, doubt, of float64 }

// add adds a stratum; of is what gain is a share of.
func (c *comparison) add(weight, of float64, auto, mode estimate) {
	c.gain += weight * (auto.value - mode.value)
	c.doubt += weight * weight * (auto.doubt + mode.doubt)
	c.of += weight * of
}

// exceeds reports whether the gain, or the loss if errors is negative, is more than so many
// standard errors.
func (c *comparison) exceeds(errors float64) bool {
	if errors < 0 {
		return c.gain < errors*math.Sqrt(c.doubt)
	}
	return c.gain > errors*math.Sqrt(c.doubt)
}

// verdict is what is known of a mode next to the server's choice, by the mean and by what is typical.
type verdict struct{ average, typical comparison }

// add adds a stratum in which both have run, by how often it occurs.
func (v *verdict) add(s *stratum, weight float64, m PlanMode, usual spreads) {
	auto, mode := &s.modes[PlanAuto], &s.modes[m]
	v.average.add(weight, float64(auto.mean), auto.average(usual), mode.average(usual))
	time := math.Exp(float64(s.modes[s.fastest()].logMean))
	v.typical.add(weight*time, 1, auto.typical(usual), mode.typical(usual))
}

// averageRatio is what a mode takes as a multiple of the server's choice by the mean, typicalRatio
// by what is typical.
func (v *verdict) averageRatio() float64 { return 1 - v.average.gain/max(v.average.of, 1) }

func (v *verdict) typicalRatio() float64 { return math.Exp(-v.typical.gain / max(v.typical.of, 1)) }

// gain is the share of time that is gained for certain, zero for none. What is typical counts as
// long as the mean, which is what matters in the end, doesn't tell otherwise.
func (v *verdict) gain(certain float64) float64 {
	if v.average.exceeds(certain) {
		return 1 - v.averageRatio()
	}
	if v.typical.exceeds(certain) && !v.average.exceeds(-contrary) {
		return 1 - v.typicalRatio()
	}
	return 0
}

// ratio is the one of both that tells less of a difference.
func (v *verdict) ratio() float64 {
	a, t := v.averageRatio(), v.typicalRatio()
	if math.Abs(math.Log(a)) < math.Abs(math.Log(t)) {
		return a
	}
	return t
}

// loses reports whether time is lost for certain.
func (v *verdict) loses(certain float64) bool {
	return v.average.exceeds(-certain) || v.typical.exceeds(-certain) && !v.average.exceeds(contrary)
}

// note notes the time of a run.
func (s *stratum) note(m PlanMode, t float32, unlikely [PlanModes]bool) {
	s.weight++
	s.modes[m].add(t)
	s.modes[m].credit = 0
	for other := range s.modes {
		if c := &s.modes[other]; other != int(m) {
			share := float32(budget)
			if c.runs < learned && unlikely[other] {
				share = reluctant
			} else if c.runs < learned {
				share = learning
			}
			c.credit += t / share
		}
	}
}

// fastest is the mode that typically takes the least time; some mode is known.
func (s *stratum) fastest() PlanMode {
	found := PlanAuto
	for m := range PlanModes {
		if c := &s.modes[m]; c.runs > 0 && (s.modes[found].runs == 0 || c.logMean < s.modes[found].logMean) {
			found = m
		}
	}
	return found
}

// hopeless reports whether a mode is out of the question next to the fastest one.
func (c *modeCost) hopeless(fastest *modeCost) bool {
	return c.spent() > patience && c.mean > hopeless*fastest.mean &&
		c.logMean-fastest.logMean > logHopeless
}

// spreadsOf are those of the runs so far.
func spreadsOf(list *[strata]stratum) spreads {
	const first = spreadRuns * usualSpread * usualSpread
	sum, runs := spreads{first, first}, float64(spreadRuns)
	for i := range list {
		for m := range list[i].modes {
			if c := &list[i].modes[m]; c.runs > 1 && c.mean > 0 {
				sum.mean += float64(c.squares) / float64(c.mean*c.mean)
				sum.log += float64(c.logSquares)
				runs += float64(c.runs - 1)
			}
		}
	}
	return spreads{sum.mean / runs, sum.log / runs}
}

// logHopeless is the logarithm of hopeless.
var logHopeless = float32(math.Log(hopeless))

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// StratumOf is the stratum of parameter values.
func StratumOf(values [][]byte) int {
	h := uint32(len(values))
	for _, v := range values {
		h = crc32.Update(h, castagnoli, v)
	}
	return int(h * 0x9E3779B1 >> 26) // Fibonacci hashing: the upper bits depend on all
}
