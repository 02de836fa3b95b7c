package queryexecutor

import (
	"sync"

	"queryengine/services/query-executor/internal/live"
)

// replanner plans subscriptions again, one after the other.
type replanner struct {
	mu      sync.Mutex
	queue   []*live.Subscriber
	running bool
	done    sync.WaitGroup
}

// add has subscriptions planned again by again, after those that are queued already.
func (r *replanner) add(stale []*live.Subscriber, again func(*live.Subscriber)) {
	if len(stale) == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.queue = append(r.queue, stale...)
	if !r.running {
		r.running = true
		r.done.Go(func() { r.work(again) })
	}
}

// work ends when the queue is empty.
func (r *replanner) work(again func(*live.Subscriber)) {
	for {
		r.mu.Lock()
		batch := r.queue
		r.queue = nil
		r.running = len(batch) > 0
		r.mu.Unlock()
		if len(batch) == 0 {
			return
		}
		for _, s := range batch {
			again(s)
		}
	}
}

// wait returns when all that was added is done.
func (r *replanner) wait() { r.done.Wait() }
