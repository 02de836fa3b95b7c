package program

import (
	"math"
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/config"
)

func TestGrowthOfHeaps(t *testing.T) {
	t.Parallel()
	for live, want := range map[uint64]int{
		0:               300,
		10 << 20:        300,
		mostGarbage / 3: 300,
		mostGarbage / 2: 180, // the step below
		mostGarbage:     100,
		1 << 30:         100,
		math.MaxUint64:  100,
	} {
		t.Run(strconv.FormatUint(live, 10), func(t *testing.T) {
			t.Parallel()
			require.Equal(t, want, growthFor(live, mostGarbage))
		})
	}
	require.Equal(t, 180, growthFor(gatewayGarbage/2, gatewayGarbage), "it is the garbage that counts")
}

func TestGarbageOfServices(t *testing.T) {
	t.Parallel()
	for name, want := range map[config.Service]uint64{
		config.Gateway:       8 << 20,
		config.Metadata:      16 << 20,
		config.Scheduler:     16 << 20,
		config.QueryExecutor: 128 << 20,
		config.Engine:        128 << 20,
	} {
		require.Equal(t, want, garbageOf(name), name)
	}
}

func TestGrowthFollowsTheHeap(t *testing.T) {
	t.Parallel()
	var live atomic.Uint64
	set := make(chan int, 8)
	tuner := &collectorTuner{live: live.Load, garbage: mostGarbage, set: func(percent int) { set <- percent }}
	tuner.start()
	t.Cleanup(tuner.stop)
	require.Equal(t, 300, <-set)
	for _, step := range []struct {
		live uint64
		want int
	}{{mostGarbage, 100}, {1 << 20, 300}} {
		live.Store(step.live)
		runtime.GC()
		select {
		case percent := <-set:
			require.Equal(t, step.want, percent)
		case <-time.After(10 * time.Second):
			t.Fatal("nothing was set after a collection")
		}
	}
}

func TestLiveHeapIsKnown(t *testing.T) {
	t.Parallel()
	runtime.GC()
	require.Positive(t, liveHeap())
}
