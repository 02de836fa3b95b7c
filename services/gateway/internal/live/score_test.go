package live

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBest holds that subscriptions spread over the executors, and that one that goes moves
// only its own.
func TestBest(t *testing.T) {
	t.Parallel()
	instances := []string{"a", "b", "c", "d"}
	best := func(key uint64, without string) string {
		found, highest := "", uint64(0)
		for _, i := range instances {
			if n := score(key, i); i != without && n >= highest {
				found, highest = i, n
			}
		}
		return found
	}
	count := map[string]int{}
	for i := range 4000 {
		key := keyOf("user", fmt.Sprintf("subscription S%d { a }", i), "")
		at := best(key, "")
		count[at]++
		if at != "b" {
			require.Equal(t, at, best(key, "b"))
		}
	}
	for _, i := range instances {
		require.InDelta(t, 1000, count[i], 150, i)
	}
	require.NotEqual(t, keyOf("a", "b", ""), keyOf("a", "", "b"))
}
