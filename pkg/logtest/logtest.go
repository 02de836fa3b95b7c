// Package logtest collects what is written while a test reads it: log lines, and the output of
// processes.
package logtest

import (
	"bytes"
	"sync"
)

// tailSize is how much of the end a failing test shows, in bytes.
const tailSize = 8 << 10

// Buffer keeps all that is written to it. The zero value is empty. It is safe for concurrent use.
type Buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write adds p. It never fails.
func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

// String returns all that was written.
func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// Tail returns the end of it, for the messages of failing tests.
func (b *Buffer) Tail() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := b.b.Bytes()
	return string(all[max(0, len(all)-tailSize):])
}
