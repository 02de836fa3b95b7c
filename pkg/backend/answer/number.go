package answer

import (
	"math"
	"math/bits"
	"strconv"
)

// AppendFloat appends the shortest decimal that reads back as f, which has size bits.
// The layout is that of PostgreSQL: plain digits for exponents from -4 up to what the type holds exactly, else
// 1e+20.
func AppendFloat(dst []byte, f float64, size int) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, `"NaN"`...)
	case math.IsInf(f, 1):
		return append(dst, `"Infinity"`...)
	case math.IsInf(f, -1):
		return append(dst, `"-Infinity"`...)
	}
	low, high := 1e-4, 1e15
	if size == 32 {
		low, high = float64(float32(1e-4)), 1e6
	}
	if a := math.Abs(f); a == 0 || a >= low && a < high {
		return strconv.AppendFloat(dst, f, 'f', -1, size)
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, f, 'e', -1, size)
	if math.Abs(f) >= high && betweenFloats(dst[start:], f, size) {
		dst = append(dst[:start], longerFloat(f, size)...)
	}
	return dst
}

// betweenFloats reports whether the decimal text lies exactly in the middle between f and a
// neighbour of it. Go takes such a text, because reading rounds it to f; PostgreSQL doesn't
// trust readers to do so and writes one that is nearer. Only large numbers have such texts.
func betweenFloats(text []byte, f float64, size int) bool {
	digits, exponent := uint64(0), 0
	point := -1
scan:
	for i, c := range text {
		switch c {
		case '-':
		case '.':
			point = 0
		case 'e':
			exponent, _ = strconv.Atoi(string(text[i+1:])) // strconv wrote it
			break scan
		default:
			digits = digits*10 + uint64(c-'0')
			if point >= 0 {
				point++
			}
		}
	}
	exponent -= max(point, 0)
	// The middle is an odd number of at most 55 bits times a power of two. For it to be
	// digits * 10^exponent, 5^exponent must divide the odd number.
	if exponent < 0 || exponent > 23 {
		return false
	}
	five := uint64(1)
	for range exponent {
		five *= 5
	}
	hi, lo := bits.Mul64(digits, five)
	shift := bits.TrailingZeros64(lo)
	if lo == 0 {
		return false
	}
	odd := lo>>shift | hi<<(64-shift)
	if shift > 0 && hi>>shift != 0 || shift == 0 && hi != 0 {
		return false
	}
	power := shift + exponent
	mantissa, e := mantissaOf(math.Abs(f), size)
	if mantissa&(mantissa-1) == 0 && power == e-2 && odd == 4*mantissa-1 {
		return true // below a power of two the neighbour is half as far
	}
	return power == e-1 && (odd == 2*mantissa+1 || odd == 2*mantissa-1)
}

// mantissaOf splits f into mantissa * 2^e with all bits that its size has.
func mantissaOf(f float64, size int) (mantissa uint64, e int) {
	if size == 32 {
		b := math.Float32bits(float32(f))
		return uint64(b&(1<<23-1) | 1<<23), int(b>>23&0xff) - 150
	}
	b := math.Float64bits(f)
	return b&(1<<52-1) | 1<<52, int(b>>52&0x7ff) - 1075
}

// longerFloat is the shortest text of f that isn't in the middle of two numbers.
func longerFloat(f float64, size int) []byte {
	var text []byte
	for precision := 1; precision <= 17; precision++ {
		text = strconv.AppendFloat(text[:0], f, 'e', precision, size)
		if back, err := strconv.ParseFloat(string(text), size); err == nil && back == f && !betweenFloats(text, f, size) {
			break
		}
	}
	return text
}

// AppendFour appends a number below 10,000 with four digits.
func AppendFour(dst []byte, d uint16) []byte {
	return append(dst, byte('0'+d/1000), byte('0'+d/100%10), byte('0'+d/10%10), byte('0'+d%10))
}
