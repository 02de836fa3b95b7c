package schedule

import "time"

// inflight are what may be under way at the same time: round trips, or transactions.
type inflight []trip

type trip struct {
	busy  bool
	began time.Time
	// number distinguishes it from those that had its place before.
	number uint64
}

// free is the place of one that isn't under way, of at most that many; negative when all are.
func (t *inflight) free(most int) int {
	for i := range min(len(*t), most) {
		if !(*t)[i].busy {
			return i
		}
	}
	if len(*t) < most {
		*t = append(*t, trip{})
		return len(*t) - 1
	}
	return -1
}

// begin takes a place.
func (t inflight) begin(place int, now time.Time) (number uint64) {
	at := &t[place]
	at.busy, at.began = true, now
	at.number++
	return at.number
}

// holds reports whether the one of that number is still under way, and counts; the place of one that never
// counted is negative.
func (t inflight) holds(place int, number uint64) bool {
	return place >= 0 && t[place].busy && t[place].number == number
}

// end makes a place free.
func (t inflight) end(place int) { t[place].busy = false }

// overdue has those no longer count that take longer than others wait for them.
func (t inflight) overdue(now time.Time, within time.Duration) {
	for i := range t {
		if t[i].busy && now.Sub(t[i].began) > within {
			t.end(i)
		}
	}
}
