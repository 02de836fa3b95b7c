// Package accesslog writes a line of JSON for each request, of the type http-log.
//
// A request only appends its line to a buffer; a goroutine writes what has gathered. When
// the output can't keep up, lines are left out and counted rather than requests delayed.
package accesslog

import (
	"io"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"queryengine/services/gateway/internal/jsonscan"
)

const (
	// gather is how long lines wait for others.
	gather = 50 * time.Millisecond
	// capacity is how many bytes may wait.
	capacity = 8 << 20
)

// Log takes the lines of many requests at once. A nil *Log takes nothing.
type Log struct {
	out   io.Writer
	level slog.Level
	wake  chan struct{}
	done  chan struct{}

	mu      sync.Mutex
	lines   []byte
	spare   []byte
	dropped int
	closed  bool
}

// New returns a Log that writes lines of at least level to out, until Close.
func New(out io.Writer, level slog.Level) *Log {
	l := &Log{out: out, level: level, wake: make(chan struct{}, 1), done: make(chan struct{})}
	go l.run()
	return l
}

// Close writes what has gathered and ends the Log.
func (l *Log) Close() {
	if l == nil {
		return
	}
	l.mu.Lock()
	closed := l.closed
	l.closed = true
	l.mu.Unlock()
	if !closed {
		close(l.wake)
	}
	<-l.done
}

// Write adds the line of a request.
func (l *Log) Write(e *Entry) {
	if l == nil || e.level() < l.level {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		return
	case len(l.lines) > capacity:
		l.dropped++
		return
	}
	if l.dropped > 0 {
		l.lines = appendDropped(l.lines, e.Time, l.dropped)
		l.dropped = 0
	}
	first := len(l.lines) == 0
	l.lines = e.append(l.lines)
	if first {
		select {
		case l.wake <- struct{}{}:
		default:
		}
	}
}

func (l *Log) run() {
	defer close(l.done)
	for range l.wake {
		time.Sleep(gather)
		l.flush()
	}
	l.flush()
}

func (l *Log) flush() {
	l.mu.Lock()
	lines := l.lines
	l.lines, l.spare = l.spare[:0], nil
	l.mu.Unlock()
	_, _ = l.out.Write(lines) // there is nowhere to report it
	l.mu.Lock()
	l.spare = lines
	l.mu.Unlock()
}

func appendDropped(b []byte, now time.Time, n int) []byte {
	b = appendStart(b, now, slog.LevelWarn)
	b = append(b, `{"message":`...)
	b = jsonscan.AppendString(b, strconv.Itoa(n)+" lines were left out because the output could not keep up")
	return append(b, "}}\n"...)
}

// Waiting is the number of bytes that wait to be written.
func (l *Log) Waiting() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.lines)
}
