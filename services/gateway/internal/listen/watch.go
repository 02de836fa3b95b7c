package listen

import "time"

// watchAfter is how long a request takes before its connection is watched; for some it is up to twice
// as long.
const watchAfter = 10 * time.Millisecond

// watch puts off the read of one byte by which net/http watches, during each request, whether the client
// goes. Most requests are answered before that, and are spared a system call, waiting for the socket, and the
// deadline that ends it. It belongs to a readDeadline, whose mutex guards it.
type watch struct {
	waiting bool
	turn    int // counts the reads that were put off
	over    chan struct{}

	// The timer goes on from request to request: starting and stopping it for each would cost as much as is
	// saved. It ends a turn that it has seen before.
	timer   *time.Timer
	running bool
	seen    int
}

// begin puts off a read until something comes from over, at the latest when look has seen it.
func (w *watch) begin(look func()) {
	w.waiting = true
	w.turn++
	if w.running {
		return
	}
	w.running, w.seen = true, w.turn
	if w.timer == nil {
		w.over = make(chan struct{}, 1)
		w.timer = time.AfterFunc(watchAfter, look)
	} else {
		w.timer.Reset(watchAfter)
	}
}

// end ends what begin began.
func (w *watch) end() {
	if w.waiting {
		w.waiting = false
		w.over <- struct{}{}
	}
}

// look is for the timer.
func (w *watch) look() {
	if !w.waiting || w.seen == w.turn {
		w.running = false
		w.end()
		return
	}
	w.seen = w.turn
	w.timer.Reset(watchAfter)
}
