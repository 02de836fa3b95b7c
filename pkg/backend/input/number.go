// Package input reads the JSON values of clients as the texts that databases take for them, with the
// error messages of the wire format. Which type takes what is the business of each dialect.
package input

import (
	"math/big"
	"strconv"
	"strings"

	"queryengine/pkg/apierror"
)

// Verbatim hands a number on as it was written; the database reads JSON's numbers.
func Verbatim(number string) (string, error) { return number, nil }

// Integer returns a parser of whole numbers that fit into bits. 3.0 and 1e2 are whole.
func Integer(bits int) func(string) (string, error) {
	return func(number string) (string, error) {
		if _, err := strconv.ParseInt(number, 10, bits); err == nil {
			return number, nil
		}
		whole, ok := DecimalOf(number).whole()
		if ok {
			_, err := strconv.ParseInt(whole, 10, bits)
			ok = err == nil
		}
		if !ok {
			return "", apierror.Newf(apierror.ParseFailed, "The value %s lies outside the bounds or is not an integer."+
				" Maybe it is a float, or is there integer overflow?", DecimalOf(number))
		}
		return whole, nil
	}
}

// Float returns a parser of numbers that are not beyond what the bits hold, nor so small
// that only zero is left of them.
func Float(bits int) func(string) (string, error) {
	return func(number string) (string, error) {
		f, err := strconv.ParseFloat(number, bits)
		if d := DecimalOf(number); err != nil || f == 0 && d.digits != "" {
			return "", apierror.Newf(apierror.ParseFailed,
				"The value %s lies outside the bounds. Is it overflowing the float bounds?", d)
		}
		return number, nil
	}
}

// maxCents is more digits than money holds; longer numbers are left to the database.
const maxCents = 24

// Cents writes a number with two decimals, the third one rounded half up, as money is sent.
func Cents(number string) (string, error) {
	d := DecimalOf(number)
	if d.point > maxCents {
		return number, nil
	}
	if d.point < -maxCents {
		d = Decimal{}
	}
	scaled, half := new(big.Int), false // number * 100
	if shift := d.point - len(d.digits) + 2; d.digits != "" {
		kept := d.digits
		if shift < 0 {
			cut := max(len(kept)+shift, 0)
			half = len(kept)+shift >= 0 && kept[cut] >= '5'
			kept = kept[:cut]
		} else {
			kept += strings.Repeat("0", shift)
		}
		scaled.SetString("0"+kept, 10)
	}
	if half {
		scaled.Add(scaled, big.NewInt(1))
	}
	text := scaled.String()
	if len(text) < 3 {
		text = strings.Repeat("0", 3-len(text)) + text
	}
	sign := ""
	if d.negative && scaled.Sign() != 0 {
		sign = "-"
	}
	return sign + text[:len(text)-2] + "." + text[len(text)-2:], nil
}

// Decimal is 0.digits * 10^point; digits has no zeros at its ends and is empty for zero.
type Decimal struct {
	negative bool
	digits   string
	point    int
}

// DecimalOf takes a JSON number apart. An exponent beyond an int is as good as any large
// one: nothing holds such a number.
func DecimalOf(number string) Decimal {
	var d Decimal
	number, d.negative = strings.CutPrefix(number, "-")
	mantissa, exponent := number, 0
	if i := strings.IndexAny(number, "eE"); i >= 0 {
		mantissa = number[:i]
		var err error
		if exponent, err = strconv.Atoi(number[i+1:]); err != nil {
			exponent = 1 << 30
			if number[i+1] == '-' {
				exponent = -exponent
			}
		}
		exponent = min(max(exponent, -1<<30), 1<<30)
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	d.point = len(whole) + exponent - (len(whole) + len(fraction) - len(digits))
	d.digits = strings.TrimRight(digits, "0")
	if d.digits == "" {
		return Decimal{}
	}
	return d
}

// maxWhole is more digits than any integer type holds.
const maxWhole = 20

// whole is the number as digits, when it is a whole number of a length worth writing.
func (d Decimal) whole() (string, bool) {
	switch {
	case d.digits == "":
		return "0", true
	case d.point < len(d.digits), d.point > maxWhole:
		return "", false
	}
	sign := ""
	if d.negative {
		sign = "-"
	}
	return sign + d.digits + strings.Repeat("0", d.point-len(d.digits)), true
}

// String is the number as messages show it: 12345.0 between 0.1 and 10^7, else 1.2345e-3.
func (d Decimal) String() string {
	sign := ""
	if d.negative {
		sign = "-"
	}
	switch {
	case d.digits == "":
		return "0.0"
	case d.point == 0:
		return sign + "0." + d.digits
	case d.point > 0 && d.point <= 7:
		whole, fraction := d.digits, "0"
		if len(whole) > d.point {
			whole, fraction = whole[:d.point], whole[d.point:]
		} else {
			whole += strings.Repeat("0", d.point-len(whole))
		}
		return sign + whole + "." + fraction
	}
	fraction := d.digits[1:]
	if fraction == "" {
		fraction = "0"
	}
	return sign + d.digits[:1] + "." + fraction + "e" + strconv.Itoa(d.point-1)
}
