package queryexecutor

import (
	"queryengine/pkg/backend"
	"queryengine/services/query-executor/internal/cache"
	"queryengine/services/query-executor/internal/execute"
)

// scratch is memory that requests take turns in using.
type scratch struct {
	run    execute.Run
	values [][]byte
	shape  []byte
	buffer []byte
	// responder is where the answer goes.
	responder cache.Responder
}

// largestBuffer is the largest buffer that is kept for the next request.
const largestBuffer = 2 * backend.DefaultFrame

func (e *Executor) borrow() *scratch {
	s, _ := e.scratch.Get().(*scratch)
	return s
}

// giveBack keeps the memory of a request for the next one, and nothing that belongs to the
// request.
func (e *Executor) giveBack(s *scratch) {
	if cap(s.buffer) > largestBuffer {
		s.buffer = nil
	}
	clear(s.values)
	clear(s.run.Bound)
	s.run = execute.Run{Bound: s.run.Bound[:0]}
	s.responder = cache.Responder{}
	e.scratch.Put(s)
}
