package postgres

import "hash/crc32"

// stratum holds the measurements of parameters with the same hash.
type stratum struct {
	// weight is how often they occur, in proportion to other strata.
	weight float32
	modes  [planModes]modeCost
}

// modeCost is the measured cost of a mode in a stratum: a mean and the sum of the squares of the
// distances from it, in nanoseconds.
type modeCost struct {
	mean, squares float32
	runs          uint32
	// credit is the time that may be spent on trying it while another one is better.
	credit float32
}

func (c *modeCost) add(t float32) {
	if c.runs >= tries {
		t = min(t, outlier*c.mean)
	}
	c.runs++
	away := t - c.mean
	c.mean += away / float32(c.runs)
	c.squares += away * (t - c.mean)
	if c.runs >= memory {
		c.runs, c.squares = c.runs/2, c.squares/2
	}
}

// uncertainty is the square of the standard error of the mean. spread is that of all runs of the
// statement: a few may be alike by chance.
func (c *modeCost) uncertainty(spread float64) float64 {
	mean, runs := float64(c.mean), float64(c.runs)
	usual := spread * mean * mean
	variance := (float64(c.squares) + spreadRuns*usual) / (runs - 1 + spreadRuns)
	return max(variance, leastSpread*leastSpread*mean*mean) / runs
}

// note notes the time of a run.
func (s *stratum) note(m planMode, t float32) {
	s.weight++
	s.modes[m].add(t)
	s.modes[m].credit = 0
	for other := range s.modes {
		if c := &s.modes[other]; other != int(m) {
			share := float32(budget)
			if c.runs < learned {
				share = learning
			}
			c.credit += t / share
		}
	}
}

// fastest is the least mean, zero when none is known.
func (s *stratum) fastest() float32 {
	least := float32(0)
	for m := range s.modes {
		if c := &s.modes[m]; c.runs > 0 && (least == 0 || c.mean < least) {
			least = c.mean
		}
	}
	return least
}

// spreadOf is the square of how far runs of a mode in the same stratum differ, as a share of their mean.
func spreadOf(list *[strata]stratum) float64 {
	sum, runs := spreadRuns*usualSpread*usualSpread, float64(spreadRuns)
	for i := range list {
		for m := range list[i].modes {
			if c := &list[i].modes[m]; c.runs > 1 && c.mean > 0 {
				sum += float64(c.squares) / float64(c.mean*c.mean)
				runs += float64(c.runs - 1)
			}
		}
	}
	return sum / runs
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// stratumOf is the stratum of parameter values.
func stratumOf(values [][]byte) int {
	h := uint32(len(values))
	for _, v := range values {
		h = crc32.Update(h, castagnoli, v)
	}
	return int(h * 0x9E3779B1 >> 26) // Fibonacci hashing: the upper bits depend on all
}
