// Package xid knows the numbers of transactions, and which of them a snapshot of a server sees. There is no I/O here.
package xid

import (
	"errors"
	"slices"
	"strconv"
	"strings"
)

// Snapshot is what transactions a statement sees. It is immutable and safe for concurrent use.
type Snapshot struct {
	// All transactions before least have ended, none from next on has begun.
	least, next uint64
	// running are those in between that have not ended, in ascending order.
	running []uint64
}

// Parse reads what pg_current_snapshot gives: 10:20:10,14.
func Parse(text string) (*Snapshot, error) {
	parts := strings.Split(text, ":")
	if len(parts) != 3 {
		return nil, errors.New("not a snapshot: " + text)
	}
	s := &Snapshot{}
	var err error
	if s.least, err = strconv.ParseUint(parts[0], 10, 64); err != nil {
		return nil, err
	}
	if s.next, err = strconv.ParseUint(parts[1], 10, 64); err != nil {
		return nil, err
	}
	if parts[2] == "" {
		return s, nil
	}
	for _, p := range strings.Split(parts[2], ",") {
		running, err := strconv.ParseUint(p, 10, 64)
		if err != nil {
			return nil, err
		}
		s.running = append(s.running, running)
	}
	slices.Sort(s.running)
	return s, nil
}

// Sees reports whether a transaction that was committed is visible.
func (s *Snapshot) Sees(transaction uint64) bool {
	if transaction < s.least {
		return true
	}
	if transaction >= s.next {
		return false
	}
	_, running := slices.BinarySearch(s.running, transaction)
	return !running
}

// Full is the number of a transaction of which the log has the lower 32 bits: they go round, and never more than half
// of them are in use.
func (s *Snapshot) Full(low uint32) uint64 {
	return s.next + uint64(int64(int32(low-uint32(s.next)))) //nolint:gosec // the difference of the two halves
}
