package backend

import (
	"strconv"
	"sync/atomic"

	"queryengine/pkg/apierror"
)

// Scan counts the bytes that the statements of one operation read of databases that charge for them, and bounds
// them. The zero value has no bound, and nil counts nothing. Statements may use it at the same time.
type Scan struct {
	bounded bool
	most    int64
	// expected is what databases say that statements will read; read is what they have read.
	expected, read int64
}

// Bound sets how many bytes may be read, before any statement runs.
func (s *Scan) Bound(most int64) { s.bounded, s.most = true, most }

// Bounded reports whether what a statement will read has to be known before it runs.
func (s *Scan) Bounded() bool { return s != nil && s.bounded }

// Admit refuses a statement that is expected to read n bytes when all statements of the operation together would read
// more than the bound.
func (s *Scan) Admit(n int64) error {
	if all := atomic.AddInt64(&s.expected, n); all > s.most {
		return apierror.New(apierror.BytesLimitExceeded, "bytes limit exceeded: the operation would scan "+
			strconv.FormatInt(all, 10)+" bytes, the limit is "+strconv.FormatInt(s.most, 10))
	}
	return nil
}

// Add counts n bytes that a statement has read.
func (s *Scan) Add(n int64) {
	if s != nil {
		atomic.AddInt64(&s.read, n)
	}
}

// Bytes is how many bytes were read so far.
func (s *Scan) Bytes() int64 { return atomic.LoadInt64(&s.read) }
