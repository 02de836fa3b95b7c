package input

import "bytes"

// Arena keeps the texts of many operands together, in a few pieces of memory; nil keeps each by itself.
// A text holds all of its piece in memory.
type Arena struct{ piece []byte }

// How large a piece of memory is, in bytes: the first one, and the largest.
const (
	firstPiece = 64
	mostPiece  = 4 << 10
)

// copy keeps a text, which is not nil.
func (t *Arena) copy(text string) []byte {
	if t == nil || text == "" || len(text) > mostPiece/4 {
		return []byte(text)
	}
	return copyInto(t, text)
}

// Clone keeps a value as bytes.Clone does: nil stays nil.
func (t *Arena) Clone(value []byte) []byte {
	if len(value) == 0 || len(value) > mostPiece/4 {
		return bytes.Clone(value)
	}
	return copyInto(t, value)
}

// copyInto keeps a text that isn't empty.
func copyInto[T string | []byte](t *Arena, text T) []byte {
	if cap(t.piece)-len(t.piece) < len(text) {
		t.piece = make([]byte, 0, max(min(2*cap(t.piece), mostPiece), firstPiece, len(text)))
	}
	start := len(t.piece)
	t.piece = append(t.piece, text...)
	return t.piece[start:len(t.piece):len(t.piece)]
}
