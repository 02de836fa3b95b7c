package schedule

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestRuleOfSharing holds that statements share where they take less time then, or where more of them are run, whatever
// else changes how long they take, and go on to be compared.
func TestRuleOfSharing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name          string
		shared, apart time.Duration
		// faster is how many times as soon statements follow each other when they share.
		faster float64
		want   bool
	}{
		{"busy processors", 400 * time.Microsecond, 500 * time.Microsecond, 1.25, true},
		{"a server far away", 2 * time.Millisecond, time.Millisecond, 0.5, false},
		{"a server with processors to spare", 500 * time.Microsecond, 300 * time.Microsecond, 0.6, false},
		{"little difference", 105 * time.Microsecond, 100 * time.Microsecond, 0.97, true},
		{"processors that gateways need", 500 * time.Microsecond, 400 * time.Microsecond, 1.2, true},
		{"clients that ask when they like", 500 * time.Microsecond, 350 * time.Microsecond, 1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, random := rule{tolerated: tolerated}, rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same runs each time
			right, runs, load, now := 0, 0, 1.0, time.Now()
			const all = 1000 * window
			for i := range all {
				if i%(100*window) == 0 { // there is more to do, or less
					load = 0.5 + 3*random.Float64()
				}
				took, every := float64(c.shared), float64(c.apart)/c.faster
				if r.apart {
					took, every = float64(c.apart), float64(c.apart)
				}
				r.crowded++
				now = now.Add(time.Duration(load * random.ExpFloat64() * every / 4))
				r.took(time.Duration(load*random.ExpFloat64()*took), 1, now)
				if i > all/10 {
					runs++
					if r.apart != c.want {
						right++
					}
				}
			}
			share := float64(right) / float64(runs)
			require.Greater(t, share, 0.8)
			require.Less(t, share, 0.99, "the other way is tried now and then")
		})
	}
}

// TestRuleOfSharingInBursts holds that a time in which no request asks for anything says nothing about the way that is tried then.
func TestRuleOfSharingInBursts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name          string
		shared, apart time.Duration
		want          bool
	}{
		{"better together", 400 * time.Microsecond, 500 * time.Microsecond, true},
		{"better apart", 500 * time.Microsecond, 300 * time.Microsecond, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, random := rule{tolerated: tolerated}, rand.New(rand.NewPCG(5, 6)) //nolint:gosec // the same runs each time
			right, runs, now := 0, 0, time.Now()
			const bursts, size, pause = 300, 5 * window / 2, 300 * time.Millisecond
			for burst := range bursts {
				for range size {
					took := float64(c.shared)
					if r.apart {
						took = float64(c.apart)
					}
					r.crowded++
					now = now.Add(time.Duration(random.ExpFloat64() * took / 16))
					r.took(time.Duration(random.ExpFloat64()*took), 1, now)
					if burst > bursts/10 {
						runs++
						if r.apart != c.want {
							right++
						}
					}
				}
				now = now.Add(pause)
			}
			require.Greater(t, float64(right)/float64(runs), 0.8)
			require.GreaterOrEqual(t, r.compared, maxSamples)
		})
	}
}

// TestRuleOfSharingReturns holds that the other way, which is tried, isn't kept where a window tells nothing, as when statements
// that run apart find a free place.
func TestRuleOfSharingReturns(t *testing.T) {
	t.Parallel()
	r, now, together := rule{tolerated: tolerated}, time.Now(), 0
	const all = 100 * window
	for range all {
		if !r.apart {
			together++
			r.crowded++
		}
		now = now.Add(100 * time.Microsecond)
		r.took(time.Millisecond, 1, now)
	}
	require.GreaterOrEqual(t, together, all/2)
}

// TestRuleOfSharingNeedsCrowds holds that nothing is learnt while there is hardly anybody to share with.
func TestRuleOfSharingNeedsCrowds(t *testing.T) {
	t.Parallel()
	r := rule{tolerated: tolerated}
	for i := range 100 * window {
		if i%8 == 0 {
			r.crowded++
		}
		r.took(time.Millisecond, 1, time.Now())
		require.False(t, r.apart)
	}
	require.Zero(t, r.compared)
}

// TestWhatShares holds which statements are taken to be short.
func TestWhatShares(t *testing.T) {
	t.Parallel()
	now := time.Now()
	known := func(took time.Duration, size int) *Cost {
		s := &Cost{}
		for range knownAfter {
			s.Ran(took, size)
		}
		return s
	}
	require.True(t, known(100*time.Microsecond, 100).short(shortTime, now))
	require.False(t, (&Cost{}).short(shortTime, now), "nothing is known of it")
	require.False(t, known(time.Millisecond, 100).short(shortTime, now))
	require.True(t, known(time.Millisecond, 100).short(shortWrite, now))
	large := known(100*time.Microsecond, smallAnswer+1)
	require.False(t, large.short(shortTime, now))
	require.True(t, large.short(shortTime, now.Add(2*largeFor)))

	// A busy machine makes runs longer, not the shortest of them.
	busy, random := &Cost{}, rand.New(rand.NewPCG(3, 4)) //nolint:gosec // the same runs each time
	for range 1000 {
		busy.Ran(100*time.Microsecond+time.Duration(random.ExpFloat64()*float64(500*time.Microsecond)), 100)
	}
	require.True(t, busy.short(shortTime, now))
	for range 300 {
		busy.Ran(2*time.Millisecond, 100)
	}
	require.False(t, busy.short(shortTime, now), "it takes longer now")

	held := known(100*time.Microsecond, 100)
	held.held(heldUp)
	require.True(t, held.short(shortTime, now))
	held.held(25 * time.Millisecond)
	require.False(t, held.short(shortTime, now))
	require.True(t, held.short(shortTime, now.Add(time.Second)))
	samples := 0
	for range 10 * sampleEvery {
		if held.sample() {
			samples++
		}
	}
	require.Equal(t, 10, samples)
}
