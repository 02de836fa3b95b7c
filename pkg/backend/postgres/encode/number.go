package encode

import (
	"encoding/binary"
	"math"
	"strconv"

	"queryengine/pkg/backend/answer"
)

func encodeInt2(dst, value []byte) ([]byte, bool) {
	if len(value) != 2 {
		return dst, false
	}
	return strconv.AppendInt(dst, int64(int16(binary.BigEndian.Uint16(value))), 10), true
}

func encodeInt4(dst, value []byte) ([]byte, bool) {
	if len(value) != 4 {
		return dst, false
	}
	return strconv.AppendInt(dst, int64(int32(binary.BigEndian.Uint32(value))), 10), true
}

func encodeInt8(dst, value []byte) ([]byte, bool) {
	if len(value) != 8 {
		return dst, false
	}
	return strconv.AppendInt(dst, int64(binary.BigEndian.Uint64(value)), 10), true
}

// encodeOID writes a string: for to_json an object identifier is no number.
func encodeOID(dst, value []byte) ([]byte, bool) {
	if len(value) != 4 {
		return dst, false
	}
	dst = append(dst, '"')
	dst = strconv.AppendUint(dst, uint64(binary.BigEndian.Uint32(value)), 10)
	return append(dst, '"'), true
}

func encodeFloat4(dst, value []byte) ([]byte, bool) {
	if len(value) != 4 {
		return dst, false
	}
	return answer.AppendFloat(dst, float64(math.Float32frombits(binary.BigEndian.Uint32(value))), 32), true
}

func encodeFloat8(dst, value []byte) ([]byte, bool) {
	if len(value) != 8 {
		return dst, false
	}
	return answer.AppendFloat(dst, math.Float64frombits(binary.BigEndian.Uint64(value)), 64), true
}

// The signs of a numeric.
const (
	numericNegative    = 0x4000
	numericNaN         = 0xC000
	numericInfinity    = 0xD000
	numericNegInfinity = 0xF000
)

// encodeNumeric writes a numeric with its stored scale. Its binary form is: number of
// digits (each from 0 to 9999), weight of the first one, sign, scale, digits.
func encodeNumeric(dst, value []byte) ([]byte, bool) {
	if len(value) < 8 {
		return dst, false
	}
	n := int(binary.BigEndian.Uint16(value))
	weight := int(int16(binary.BigEndian.Uint16(value[2:])))
	sign := binary.BigEndian.Uint16(value[4:])
	scale := int(binary.BigEndian.Uint16(value[6:]))
	digits := value[8:]
	if len(digits) != 2*n {
		return dst, false
	}
	switch sign {
	case numericNaN:
		return append(dst, `"NaN"`...), true
	case numericInfinity:
		return append(dst, `"Infinity"`...), true
	case numericNegInfinity:
		return append(dst, `"-Infinity"`...), true
	case numericNegative:
		dst = append(dst, '-')
	}
	digit := func(i int) uint16 {
		if i < 0 || i >= n {
			return 0
		}
		return binary.BigEndian.Uint16(digits[2*i:])
	}
	if weight < 0 {
		dst = append(dst, '0')
	} else {
		dst = strconv.AppendUint(dst, uint64(digit(0)), 10)
		for i := 1; i <= weight; i++ {
			dst = answer.AppendFour(dst, digit(i))
		}
	}
	if scale == 0 {
		return dst, true
	}
	dst = append(dst, '.')
	end := len(dst) + scale
	for i := weight + 1; len(dst) < end; i++ {
		dst = answer.AppendFour(dst, digit(i))
	}
	return dst[:end], true
}
