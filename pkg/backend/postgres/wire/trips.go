package wire

import "time"

// trips are what may be under way at the same time: round trips, or transactions.
type trips []trip

type trip struct {
	busy  bool
	began time.Time
	// number distinguishes it from those that had its place before.
	number uint64
}

// free is the place of one that isn't under way, of at most that many; negative when all are.
func (t *trips) free(most int) int {
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
func (t trips) begin(place int, now time.Time) (number uint64) {
	at := &t[place]
	at.busy, at.began = true, now
	at.number++
	return at.number
}

// holds reports whether the one of that number is still under way, and counts; the place of one that never
// counted is negative.
func (t trips) holds(place int, number uint64) bool {
	return place >= 0 && t[place].busy && t[place].number == number
}

// end makes a place free.
func (t trips) end(place int) { t[place].busy = false }

// overdue has those no longer count that take longer than others wait for them.
func (t trips) overdue(now time.Time, within time.Duration) {
	for i := range t {
		if t[i].busy && now.Sub(t[i].began) > within {
			t.end(i)
		}
	}
}
