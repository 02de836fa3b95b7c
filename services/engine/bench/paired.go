package bench

import (
	"fmt"
	"math"
	"slices"
)

// paired is how one series of measurements relates to another that was taken in turns with it.
type paired struct{ ratio, low, high float64 }

// ratioOf compares measurements that were taken one after the other, pair by pair: what slows the
// machine for a while slows both of a pair. The ratio is the median of the means of any two ratios of
// pairs (the estimate of Hodges and Lehmann), low and high are its limits with 95 % confidence by
// Wilcoxon's test, which asks of the ratios no more than that they scatter alike to both sides. With
// fewer than six pairs there is no such confidence; the limits are the extremes then.
func ratioOf(have, base []float64) paired {
	var logs []float64
	for i := range min(len(have), len(base)) {
		if have[i] > 0 && base[i] > 0 {
			logs = append(logs, math.Log(have[i]/base[i]))
		}
	}
	if len(logs) == 0 {
		return paired{math.NaN(), math.NaN(), math.NaN()}
	}
	var means []float64
	for i, a := range logs {
		for _, b := range logs[i:] {
			means = append(means, (a+b)/2)
		}
	}
	slices.Sort(means)
	n := float64(len(logs))
	outside := 0 // of the means at each end
	if len(logs) > 5 {
		outside = int(n*(n+1)/4-1.96*math.Sqrt(n*(n+1)*(2*n+1)/24)) - 1
	}
	last := len(means) - 1
	middle := (means[last/2] + means[last-last/2]) / 2
	return paired{math.Exp(middle), math.Exp(means[outside]), math.Exp(means[last-outside])}
}

// String gives the ratio and half the width of its interval, where there is one.
func (p paired) String() string {
	if math.IsNaN(p.ratio) {
		return "-"
	}
	if p.low == p.high {
		return fmt.Sprintf("%.2f", p.ratio) // one pair, or the same target
	}
	return fmt.Sprintf("%.2f ±%.2f", p.ratio, (p.high-p.low)/2)
}
