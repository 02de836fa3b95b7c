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
}

// write takes the next piece of the answer.
func (f *frames) write(p []byte, take func(*queryv1.LiveResult) error) (int, error) {
	in := p
	if len(f.rest) > 0 {
		f.rest = append(f.rest, p...)
		in = f.rest
	}
	for {
		size, n := binary.Uvarint(in)
		if n < 0 || size > maxResult {
			return 0, errors.New("a result can't be read")
		}
		if n == 0 || uint64(len(in)-n) < size {
			break
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
	f.rest = append(f.rest[:0], in...)
	if len(f.rest) == 0 && cap(f.rest) > 1<<20 {
		f.rest = nil
	}
	return len(p), nil
}
