package bus

import "sync"

// idleWorkers is how many goroutines without a request a service keeps.
const idleWorkers = 64

// workers are the goroutines that answer the requests of a service. They are kept: a new
// goroutine has a small stack, which each request would have to grow again, in steps that
// copy it. The one that worked last works next, so that few stay in use under a light load.
type workers struct {
	mu     sync.Mutex
	idle   []chan work
	closed bool
}

// work is a request to an endpoint.
type work struct {
	endpoint *endpoint
	request  incoming
}

// start has a goroutine do w; it does not wait.
func (p *workers) start(w work) {
	p.mu.Lock()
	last := len(p.idle) - 1
	if last < 0 {
		p.mu.Unlock()
		go p.run(w)
		return
	}
	next := p.idle[last]
	p.idle = p.idle[:last]
	p.mu.Unlock()
	next <- w
}

// run does w and what comes after it.
func (p *workers) run(w work) {
	next := make(chan work, 1) // start never waits for a worker that has just become idle
	for {
		w.endpoint.serve(w.request)
		w = work{} // it is not to be kept in memory while nothing is to do
		if !p.rest(next) {
			return
		}
		var ok bool
		if w, ok = <-next; !ok {
			return
		}
	}
}

// rest reports whether a worker is free, and whether it is kept.
func (p *workers) rest(next chan work) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || len(p.idle) == idleWorkers {
		return false
	}
	p.idle = append(p.idle, next)
	return true
}

// close ends the idle workers; those at work end after it.
func (p *workers) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, next := range p.idle {
		close(next)
	}
	p.idle = nil
}
