package template

import (
	"cmp"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
)

// How many digits before the point, and how many zeros after it, a number may have to be
// written without an exponent.
const (
	maxPlain = 1024
	maxZeros = 16
)

// decimal is a number as 0.digits times ten to the power of exponent, without leading and
// trailing zeros in digits. Digits of a number that was written are exact, and a large
// exponent costs nothing.
type decimal struct {
	negative bool
	digits   string // "" for zero
	exponent int64
}

// parseDecimal reads a number of JSON or of the template language.
func parseDecimal(s string) decimal {
	var d decimal
	s, d.negative = strings.CutPrefix(s, "-")
	mantissa, power := s, ""
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa, power = s[:i], strings.TrimPrefix(s[i+1:], "+")
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	d.exponent = int64(len(digits) - len(fraction))
	d.digits = strings.TrimRight(digits, "0")
	if d.digits == "" {
		return decimal{}
	}
	// An exponent out of range is cut off at a bound that no other number comes near.
	const bound = 1 << 60
	e, err := strconv.ParseInt(power, 10, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		e = 0
	}
	d.exponent += max(-bound, min(bound, e))
	return d
}

// canonical writes a number so that equal ones read the same: without a fraction when it
// is integral, with an exponent only when it would be long.
func canonical(s string) json.Number {
	if isPlainInteger(s) {
		return json.Number(s)
	}
	d := parseDecimal(s)
	return json.Number(d.text())
}

// isPlainInteger reports whether s is canonical already, which most numbers are.
func isPlainInteger(s string) bool {
	digits := strings.TrimPrefix(s, "-")
	if digits == "" || len(digits) > maxPlain || digits[0] == '0' {
		return s == "0"
	}
	return digitsLength(digits) == len(digits)
}

func (d decimal) text() string {
	sign := ""
	if d.negative {
		sign = "-"
	}
	n := int64(len(d.digits))
	switch {
	case n == 0:
		return "0"
	case d.exponent > maxPlain || d.exponent < -maxZeros:
		text := sign + d.digits[:1]
		if n > 1 {
			text += "." + d.digits[1:]
		}
		return text + "e" + strconv.FormatInt(d.exponent-1, 10)
	case d.exponent >= n:
		return sign + d.digits + strings.Repeat("0", int(d.exponent-n))
	case d.exponent > 0:
		return sign + d.digits[:d.exponent] + "." + d.digits[d.exponent:]
	}
	return sign + "0." + strings.Repeat("0", int(-d.exponent)) + d.digits
}

func compareNumbers(a, b string) int {
	x, y := parseDecimal(a), parseDecimal(b)
	if order := cmp.Compare(x.sign(), y.sign()); order != 0 {
		return order
	}
	return x.sign() * cmp.Or(cmp.Compare(x.exponent, y.exponent), strings.Compare(x.digits, y.digits))
}

func (d decimal) sign() int {
	switch {
	case d.digits == "":
		return 0
	case d.negative:
		return -1
	}
	return 1
}

// integer is i as a value.
func integer(i int) json.Number { return json.Number(strconv.Itoa(i)) }

// index reads an index into a list of that length: -1 when it is outside, not ok when it
// is no integer.
func index(v any, length int) (i int, ok bool) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	d := parseDecimal(string(n))
	if d.digits != "" && int64(len(d.digits)) > d.exponent {
		return 0, false
	}
	i, err := strconv.Atoi(d.text())
	if err != nil || i < 0 || i >= length {
		return -1, true
	}
	return i, true
}

// reciprocal is 1/n with the precision of a 64-bit float; not ok for zero.
func reciprocal(n json.Number) (result json.Number, ok bool) {
	d := parseDecimal(string(n))
	if d.digits == "" {
		return "", false
	}
	if d.exponent > -300 && d.exponent < 300 {
		f, err := n.Float64()
		return canonical(strconv.FormatFloat(1/f, 'g', -1, 64)), err == nil
	}
	// Outside the range of a float the power of ten is kept apart.
	scaled, err := strconv.ParseFloat("0."+d.digits, 64)
	inverse := parseDecimal(strconv.FormatFloat(1/scaled, 'g', -1, 64))
	inverse.negative = d.negative
	inverse.exponent -= d.exponent
	return json.Number(inverse.text()), err == nil
}
