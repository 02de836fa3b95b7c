package cache

import (
	"sync"
	"time"
)

// refill is how many bytes a budget gets per second.
const refill = 10_000_000

// budget bounds how many bytes are written: a bucket that is full at first, and is filled again
// at a steady rate.
type budget struct {
	capacity float64

	mu   sync.Mutex
	left float64
	at   time.Time
}

func newBudget(capacity int64, now time.Time) *budget {
	return &budget{capacity: float64(capacity), left: float64(capacity), at: now}
}

// take takes n bytes, or nothing when there are fewer.
func (b *budget) take(n int, now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left = min(b.capacity, b.left+now.Sub(b.at).Seconds()*refill)
	b.at = now
	if b.left < float64(n) {
		return false
	}
	b.left -= float64(n)
	return true
}
