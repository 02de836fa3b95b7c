package bench

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRatioOfPairs takes two series whose common disturbances are larger than what they differ by.
func TestRatioOfPairs(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // no secret
	const rounds, tries = 16, 200
	within := 0
	for range tries {
		have, base := make([]float64, rounds), make([]float64, rounds)
		for i := range rounds {
			machine := 1000 * (0.5 + random.Float64())
			base[i] = machine * (1 + 0.03*random.NormFloat64())
			have[i] = 0.9 * machine * (1 + 0.03*random.NormFloat64())
		}
		p := ratioOf(have, base)
		require.InDelta(t, 0.9, p.ratio, 0.05)
		require.Less(t, p.high-p.low, 0.1)
		if p.low <= 0.9 && 0.9 <= p.high {
			within++
		}
	}
	require.Greater(t, within, tries*9/10, "the interval is to have the ratio in it 95 times of 100")
	require.Less(t, within, tries, "an interval that always has it is too wide")
}

func TestRatioOfFewPairs(t *testing.T) {
	t.Parallel()
	p := ratioOf([]float64{50, 200}, []float64{100, 100})
	require.InDelta(t, 1, p.ratio, 1e-9)
	require.InDelta(t, 0.5, p.low, 1e-9)
	require.InDelta(t, 2, p.high, 1e-9)
	require.Equal(t, "1.00 ±0.75", p.String())
	require.Equal(t, "-", ratioOf(nil, []float64{1}).String())
	require.Equal(t, "2.00", ratioOf([]float64{2, 0}, []float64{1, 1}).String(), "a turn without answers is no pair")
}
