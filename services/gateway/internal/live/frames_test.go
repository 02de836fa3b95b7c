package live

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	queryv1 "queryengine/proto/query/v1"
)

// spelled is a result as executors send it.
func spelled(t *testing.T, data []byte) []byte {
	t.Helper()
	body, err := proto.Marshal(&queryv1.LiveResult{Data: data})
	require.NoError(t, err)
	return append(binary.AppendUvarint(nil, uint64(len(body))), body...)
}

// TestFramesInPieces: results are found wherever the pieces of the answer end.
func TestFramesInPieces(t *testing.T) {
	t.Parallel()
	var text []byte
	sizes := []int{0, 1, 300, 0, 70_000, 5}
	for _, n := range sizes {
		text = append(text, spelled(t, bytes.Repeat([]byte("x"), n))...)
	}
	for _, piece := range []int{1, 2, 3, 7, 299, 1000, 65_536, len(text)} {
		var f frames
		var got []int
		for at := 0; at < len(text); at += piece {
			in := bytes.Clone(text[at:min(at+piece, len(text))])
			n, err := f.write(in, func(r *queryv1.LiveResult) error {
				got = append(got, len(r.Data))
				return nil
			})
			require.NoError(t, err)
			require.Equal(t, len(in), n)
			clear(in) // the caller may use it again
		}
		require.Equal(t, sizes, got, piece)
		require.Empty(t, f.rest)
	}
}

// TestFramesKeepALargeResultInPlace: the received part of a result is moved only when it needs a larger
// buffer.
func TestFramesKeepALargeResultInPlace(t *testing.T) {
	t.Parallel()
	const frame = 64 << 10
	text := spelled(t, make([]byte, 32<<20))
	var f frames
	var results, moved int
	for at := 0; at < len(text); at += frame {
		var before *byte
		if len(f.rest) > 0 {
			before = &f.rest[0]
		}
		_, err := f.write(text[at:min(at+frame, len(text))], func(*queryv1.LiveResult) error { results++; return nil })
		require.NoError(t, err)
		require.LessOrEqual(t, cap(f.rest), len(text)+frame, "no more room than the result needs")
		if len(f.rest) > 0 && before != &f.rest[0] {
			moved++
		}
	}
	require.Equal(t, 1, results)
	require.LessOrEqual(t, moved, 12, "the room is doubled")
}
