package walreader

import (
	"errors"
	"strconv"
	"strings"
)

// snapshot is what transactions a statement that begins now sees. A commit is in the log, and is read
// there, before the transaction stops counting as one in progress; with synchronous replication that can
// be long before.
type snapshot struct {
	// All transactions before least have ended, none from next on has begun.
	least, next uint32
	// running are those in between that have not ended.
	running map[uint32]struct{}
}

// parseSnapshot reads what pg_current_snapshot gives: 10:20:10,14.
func parseSnapshot(text string) (snapshot, error) {
	parts := strings.Split(text, ":")
	if len(parts) != 3 {
		return snapshot{}, errors.New("not a snapshot: " + text)
	}
	s := snapshot{running: map[uint32]struct{}{}}
	var err error
	if s.least, err = parseXID(parts[0]); err != nil {
		return snapshot{}, err
	}
	if s.next, err = parseXID(parts[1]); err != nil {
		return snapshot{}, err
	}
	if parts[2] == "" {
		return s, nil
	}
	for _, p := range strings.Split(parts[2], ",") {
		xid, err := parseXID(p)
		if err != nil {
			return snapshot{}, err
		}
		s.running[xid] = struct{}{}
	}
	return s, nil
}

// parseXID reads a number of 64 bits, of which the log has the lower 32.
func parseXID(text string) (uint32, error) {
	n, err := strconv.ParseUint(text, 10, 64)
	return uint32(n), err //nolint:gosec // cut on purpose
}

// sees reports whether a committed transaction is visible.
func (s *snapshot) sees(xid uint32) bool {
	if before(xid, s.least) {
		return true
	}
	_, running := s.running[xid]
	return before(xid, s.next) && !running
}

// before compares numbers of transactions, which go round: never more than half of them are in use.
func before(a, b uint32) bool { return int32(a-b) < 0 } //nolint:gosec // the difference of the two halves
