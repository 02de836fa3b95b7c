package encode

import (
	"encoding/binary"

	"queryengine/pkg/backend/answer"
)

// maxDimensions is PostgreSQL's own limit.
const maxDimensions = 6

// arrayReader reads the binary form of an array: dimensions, element type, elements.
type arrayReader struct {
	element uint32
	dims    [maxDimensions]int
	ndims   int
	rest    []byte
}

func readArray(value []byte) (arrayReader, bool) {
	var a arrayReader
	if len(value) < 12 {
		return a, false
	}
	a.ndims = int(int32(binary.BigEndian.Uint32(value)))
	a.element = binary.BigEndian.Uint32(value[8:])
	a.rest = value[12:]
	if a.ndims < 0 || a.ndims > maxDimensions || len(a.rest) < 8*a.ndims {
		return a, false
	}
	elements := 1
	for i := range a.ndims {
		a.dims[i] = int(int32(binary.BigEndian.Uint32(a.rest))) // the lower bound isn't part of the JSON
		a.rest = a.rest[8:]
		elements *= a.dims[i]
		if a.dims[i] <= 0 || elements > len(a.rest)/4 { // each has at least its length
			return a, false
		}
	}
	return a, true
}

// size is the number of elements of an array of one dimension, 0 for an empty one.
func (a *arrayReader) size() int { return a.dims[0] }

// next is the next element, nil for NULL.
func (a *arrayReader) next() (element []byte, ok bool) {
	element, a.rest, ok = nextElement(a.rest)
	return element, ok
}

// nextElement is the first element of rest, nil for NULL, and what stands behind it.
func nextElement(rest []byte) (element, after []byte, ok bool) {
	if len(rest) < 4 {
		return nil, rest, false
	}
	size := int32(binary.BigEndian.Uint32(rest))
	rest = rest[4:]
	if size < 0 {
		return nil, rest, true
	}
	if int(size) > len(rest) {
		return nil, rest, false
	}
	return rest[:size:size], rest[size:], true
}

// arrayOf is the encoder of arrays whose elements are written by element, unless the server reports
// that they have another known type.
func arrayOf(element answer.Encoder) answer.Encoder {
	return func(dst, value []byte) ([]byte, bool) {
		a, ok := readArray(value)
		if !ok {
			return dst, false
		}
		encode := encoderOf(a.element, false)
		if encode == nil {
			encode = element
		}
		if a.ndims == 0 {
			return append(dst, "[]"...), true
		}
		return a.appendDimension(dst, 0, encode)
	}
}

// appendDimension appends one dimension of an array, in row-major order.
func (a *arrayReader) appendDimension(dst []byte, depth int, encode answer.Encoder) ([]byte, bool) {
	dst = append(dst, '[')
	for i := range a.dims[depth] {
		if i > 0 {
			dst = append(dst, ',')
		}
		var element []byte
		var ok bool
		if depth+1 < a.ndims {
			dst, ok = a.appendDimension(dst, depth+1, encode)
		} else if element, ok = a.next(); ok {
			if element == nil {
				dst = append(dst, "null"...)
			} else {
				dst, ok = encode(dst, element)
			}
		}
		if !ok {
			return dst, false
		}
	}
	return append(dst, ']'), true
}
