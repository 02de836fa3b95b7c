package live

import (
	"encoding/binary"
	"errors"

	"google.golang.org/protobuf/proto"

	queryv1 "queryengine/proto/query/v1"
)

// maxResult bounds the size of one result.
const maxResult = 1 << 30

// frames finds results in the pieces of a long answer.
type frames struct {
	// rest is the part of a result that has come so far.
	rest []byte
	// whole is the size of that result, as far as it is known.
	whole int
}

// write takes the next piece of the answer.
func (f *frames) write(p []byte, take func(*queryv1.LiveResult) error) (int, error) {
	in := p
	if len(f.rest) > 0 {
		f.reserve(len(p))
		f.rest = append(f.rest, p...)
		in = f.rest
	}
	for taken := false; ; taken = true {
		size, n := binary.Uvarint(in)
		if n < 0 || size > maxResult {
			return 0, errors.New("a result can't be read")
		}
		if n == 0 || uint64(len(in)-n) < size {
			f.whole = n + int(size) //nolint:gosec // G115: bounded by maxResult
			f.keep(in, taken)
			return len(p), nil
		}
		end := n + int(size)
		m := &queryv1.LiveResult{}
		if err := proto.Unmarshal(in[n:end], m); err != nil {
			return 0, err
		}
		if err := take(m); err != nil {
			return 0, err
		}
		in = in[end:]
	}
}

// keep keeps what hasn't been taken. What was kept before, and is still without its end, stays
// where it is.
func (f *frames) keep(in []byte, taken bool) {
	switch {
	case len(in) == 0 && cap(f.rest) > 1<<20:
		f.rest = nil
	case taken || len(f.rest) == 0:
		f.rest = append(f.rest[:0], in...)
	}
}

// reserve grows the buffer for more bytes: doubled, but no larger than the result needs.
func (f *frames) reserve(more int) {
	if need := len(f.rest) + more; need > cap(f.rest) {
		room := max(need, min(f.whole, 2*cap(f.rest)))
		f.rest = append(make([]byte, 0, room), f.rest...)
	}
}
