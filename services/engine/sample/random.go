package sample

// seed is what all rows are made from.
const seed = 20260117

// table separates the random numbers of one table from those of another.
type table uint64

const (
	artistRows table = iota + 1
	albumRows
	albumSizes
	trackRows
	playlistRows
	employeeRows
	customerRows
	invoiceRows
	lineRows
)

// random makes the random numbers of one row (SplitMix64). It is spelt out here because
// the rows must not change with a version of Go.
type random struct{ state uint64 }

func rowRandom(t table, row int) *random {
	r := &random{state: seed ^ uint64(t)<<56 ^ uint64(row)}
	r.state = r.next() // neighbouring rows must not share their sequence
	return r
}

func (r *random) next() uint64 {
	r.state += 0x9e3779b97f4a7c15
	z := r.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below is a number from 0 to n-1.
func (r *random) below(n int) int { return int(r.next() % uint64(n)) }

// between is a number from low to high, both included.
func (r *random) between(low, high int) int { return low + r.below(high-low+1) }

// early is a number from 0 to n-1 that is more often small than large.
func (r *random) early(n int) int { return r.below(n) * r.below(n) / n }

// chance is true in percent of all cases.
func (r *random) chance(percent int) bool { return r.below(100) < percent }

// weigh is the index of one of the choices, by their weights.
func (r *random) weigh(choices []weighted) int {
	sum := 0
	for _, c := range choices {
		sum += c.weight
	}
	at := r.below(sum)
	for i, c := range choices {
		if at -= c.weight; at < 0 {
			return i
		}
	}
	return len(choices) - 1
}

func pick[T any](r *random, choices []T) T { return choices[r.below(len(choices))] }
