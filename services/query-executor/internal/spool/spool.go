// Package spool buffers answers that their readers don't take in time, so that the writer of an answer
// needn't wait for its reader while it holds a connection to a database.
//
// A reader that keeps up costs nothing but a copy. The backlog of a slow one is kept in memory, then in
// a file that has no name, both bounded for the whole process; past that, the answer is cut off.
package spool

import (
	"context"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"queryengine/pkg/apierror"
)

// Config bounds a Spool. Zero values are bounds, not defaults.
type Config struct {
	// Memory and Disk are the most bytes that are kept for readers that are behind.
	Memory, Disk int64
	// Answers is how many answers may be behind at once; one more is cut off.
	Answers int
	// Patience is how long, in all, one answer waits for its reader before the rest of it is buffered,
	// and once more before it is cut off when the buffer is full.
	Patience time.Duration
	// Dir is where files are made, the system's directory for temporary files by default.
	Dir string
}

// window is how many bytes of an answer may be under way to a reader that keeps up.
const window = 1 << 20

// Spool is what the answers of a process share. It is safe for concurrent use.
type Spool struct {
	config       Config
	memory, disk atomic.Int64
	behind       atomic.Int64
	chunks       sync.Pool // of *[]byte
}

// New returns an empty Spool.
func New(c Config) *Spool { return &Spool{config: c} }

// Kept is how many bytes are kept in memory and in files.
func (s *Spool) Kept() (memory, disk int64) { return s.memory.Load(), s.disk.Load() }

// take takes n bytes from a budget, if there are as many.
func take(used *atomic.Int64, limit, n int64) bool {
	if used.Add(n) <= limit {
		return true
	}
	used.Add(-n)
	return false
}

func (s *Spool) chunk(p []byte) *[]byte {
	c, _ := s.chunks.Get().(*[]byte)
	if c == nil {
		c = new([]byte)
	}
	*c = append((*c)[:0], p...)
	return c
}

// errSlow cuts off an answer whose reader is too far behind.
var errSlow = apierror.New(apierror.Busy, "the answer was not taken in time, and there is no room to keep the rest of it")

// file holds the part of an answer that doesn't fit into memory. It has no name any more, so that it
// disappears with its process.
type file struct {
	*os.File
	read, written int64
}

func newFile(dir string) (*file, error) {
	f, err := os.CreateTemp(dir, "engine-answer-")
	if err != nil {
		return nil, fmt.Errorf("keep the rest of an answer: %w", err)
	}
	_ = os.Remove(f.Name()) // where open files can't be removed, it stays until the next cleaning
	return &file{File: f}, nil
}

// waiter is a timer that is only made when it is needed.
type waiter struct {
	left  time.Duration
	began time.Time
}

// wait waits for a signal as long as there is time left; it reports whether one came.
func (w *waiter) wait(ctx context.Context, signal <-chan struct{}) (bool, error) {
	if w.left <= 0 {
		return false, nil
	}
	w.began = time.Now()
	timer := time.NewTimer(w.left)
	defer timer.Stop()
	defer func() { w.left -= time.Since(w.began) }()
	select {
	case <-signal:
		return true, nil
	case <-timer.C:
		return false, nil
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
}
