package program

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"

	"queryengine/pkg/config"
)

const (
	// mostGrowth is how much garbage may pile up before it is collected, in percent of what
	// is in use. A service holds a few tens of MB, so that Go's default of 100 would collect
	// many times a second under load.
	mostGrowth = 300
	// mostGarbage bounds the same in bytes: a heap that is large, as after a change of a large schema,
	// may not grow to four times its size. gatewayGarbage is the bound in a separate gateway, which
	// promises to hold little of a large answer: its frames become garbage as fast as they come.
	// rareGarbage is that of services with little to do once they have started: collecting costs them
	// nothing then, and what a large change has left behind would count for their peak.
	mostGarbage    = 128 << 20
	gatewayGarbage = 8 << 20
	rareGarbage    = 16 << 20
	// leastGrowth is Go's default.
	leastGrowth = 100
)

// tuneCollector lets small heaps grow more than large ones, where the operator has not
// decided otherwise with GOGC, until stop is called.
func tuneCollector(name config.Service) (stop func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	t := &collectorTuner{live: liveHeap, garbage: garbageOf(name), set: func(percent int) { debug.SetGCPercent(percent) }}
	t.start()
	return t.stop
}

// garbageOf is how much may pile up in a process of that service alone, in bytes.
func garbageOf(name config.Service) uint64 {
	switch name {
	case config.Gateway:
		return gatewayGarbage
	case config.Metadata, config.Scheduler:
		return rareGarbage
	default:
		return mostGarbage
	}
}

// collectorTuner sets the growth again after each collection.
type collectorTuner struct {
	live    func() uint64     // what the last collection has left, in bytes
	garbage uint64            // what may pile up, in bytes
	set     func(percent int) // the growth
	last    int               // the current setting; start and the cleanups run one after the other
	stopped atomic.Bool
}

func (t *collectorTuner) start() {
	t.last = mostGrowth
	t.set(t.last)
	t.await()
}

func (t *collectorTuner) stop() { t.stopped.Store(true) }

// await has the growth adjusted after the next collection: that is when an unreferenced object is
// found.
func (t *collectorTuner) await() {
	runtime.AddCleanup(new([64]byte), (*collectorTuner).adjust, t)
}

func (t *collectorTuner) adjust() {
	if t.stopped.Load() {
		return
	}
	if growth := growthFor(t.live(), t.garbage); growth != t.last {
		t.last = growth
		t.set(growth)
	}
	t.await()
}

// growthFor is the growth of a heap with so many bytes in use that may have so many of garbage, in
// steps of a tenth: to set it stops the program for a moment, and isn't worth it for less.
func growthFor(live, garbage uint64) int {
	const step = mostGrowth / 10
	percent := int(100 * garbage / max(live, 1))
	return min(max(percent/step*step, leastGrowth), mostGrowth)
}

// liveHeap is what the last collection has left.
func liveHeap() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
