package spool

import (
	"io"
	"sync"
)

// pump sends a part of an answer on a goroutine of its own.
type pump struct {
	spool *Spool
	to    io.Writer
	done  chan struct{} // closed when nothing is sent any more
	moved chan struct{} // gets a signal when something was sent

	mu     sync.Mutex
	more   sync.Cond
	chunks []*[]byte
	// queued is the number of bytes of chunks, kept how much of them is of the budget.
	queued, kept int64
	file         *file
	behind       bool // counts among Spool.behind
	ended        bool
	err          error
}

func newPump(s *Spool, to io.Writer) *pump {
	p := &pump{spool: s, to: to, done: make(chan struct{}), moved: make(chan struct{}, 1)}
	p.more.L = &p.mu
	go p.run()
	return p
}

// offer takes b when the reader keeps up.
func (p *pump) offer(b []byte) (bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil {
		return false, p.err
	}
	if p.file != nil || p.queued > 0 && p.queued+int64(len(b)) > window {
		return false, nil
	}
	p.push(b)
	return true, nil
}

// keep takes b although the reader is behind, if there is space.
func (p *pump) keep(b []byte) (bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil {
		return false, p.err
	}
	s, n := p.spool, int64(len(b))
	if !p.behind {
		if !take(&s.behind, int64(s.config.Answers), 1) {
			return false, errSlow
		}
		p.behind = true
	}
	if p.file == nil && take(&s.memory, s.config.Memory, n) {
		p.kept += n
		p.push(b)
		return true, nil
	}
	if !take(&s.disk, s.config.Disk, n) {
		return false, nil
	}
	if p.store(b) != nil { // there is no file system to write to, or it is full
		s.disk.Add(-n)
		return false, nil
	}
	p.more.Signal()
	return true, nil
}

func (p *pump) push(b []byte) {
	p.chunks = append(p.chunks, p.spool.chunk(b))
	p.queued += int64(len(b))
	p.more.Signal()
}

// store appends b to the file.
func (p *pump) store(b []byte) error {
	if p.file == nil {
		f, err := newFile(p.spool.config.Dir)
		if err != nil {
			return err
		}
		p.file = f
	}
	n, err := p.file.WriteAt(b, p.file.written)
	if err != nil {
		return err
	}
	p.file.written += int64(n)
	return nil
}

// finish waits until all was sent, and frees what the pump holds.
func (p *pump) finish() error {
	p.mu.Lock()
	p.ended = true
	p.more.Signal()
	p.mu.Unlock()
	<-p.done
	return p.err
}

// abandon has nothing more sent.
func (p *pump) abandon(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.err = err
	}
	p.more.Signal()
}

// run sends what there is until there won't be more.
func (p *pump) run() {
	defer close(p.done)
	defer p.free()
	for {
		c, err := p.next()
		if c == nil {
			p.fail(err)
			return
		}
		_, err = p.to.Write(*c)
		p.sent(c)
		if err != nil {
			p.fail(err)
			return
		}
	}
}

// next is the next piece to be sent, nil when there won't be more.
func (p *pump) next() (*[]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		switch {
		case p.err != nil:
			return nil, nil //nolint:nilnil // it is known already
		case len(p.chunks) > 0:
			c := p.chunks[0]
			p.chunks = p.chunks[1:]
			return c, nil
		case p.file != nil && p.file.read < p.file.written:
			return p.load()
		case p.ended:
			return nil, nil //nolint:nilnil // there is no more
		}
		p.more.Wait()
	}
}

// load reads the next chunk from the file.
func (p *pump) load() (*[]byte, error) {
	n := min(p.file.written-p.file.read, window/2)
	c := p.spool.chunk(nil)
	if int64(cap(*c)) < n {
		*c = make([]byte, n)
	}
	*c = (*c)[:n]
	if _, err := p.file.ReadAt(*c, p.file.read); err != nil {
		return nil, err
	}
	p.file.read += n
	p.queued += n // sent takes it away
	return c, nil
}

// sent frees a chunk that was sent.
func (p *pump) sent(c *[]byte) {
	n := int64(len(*c))
	p.mu.Lock()
	p.queued -= n
	free := min(p.kept, n)
	p.kept -= free
	p.mu.Unlock()
	p.spool.memory.Add(-free)
	p.spool.chunks.Put(c)
	select {
	case p.moved <- struct{}{}:
	default:
	}
}

func (p *pump) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.err = err
	}
	select { // wakes up writers that wait for space
	case p.moved <- struct{}{}:
	default:
	}
}

// free gives everything back that the pump took from the budgets.
func (p *pump) free() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.spool.memory.Add(-p.kept)
	p.kept, p.chunks = 0, nil
	if p.file != nil {
		p.spool.disk.Add(-p.file.written)
		_ = p.file.Close() // it is gone in any case
		p.file.written, p.file.read = 0, 0
	}
	if p.behind {
		p.spool.behind.Add(-1)
		p.behind = false
	}
}
