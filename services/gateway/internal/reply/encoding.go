package reply

import (
	"strconv"
	"strings"
)

// Encoding is how the bytes of a body are packed.
type Encoding int

// The encodings, with those that a client likes as much as others in the order of the choice. Brotli packs a little better than
// gzip and takes three times the work. Zstd takes the least work and packs best, but is the last: widely used libraries of
// Node.js name it and can't unpack it before Node.js 22.15.
const (
	Identity Encoding = iota
	Gzip
	Brotli
	Zstd
	encodings = iota
)

var encodingNames = [encodings]string{"", "gzip", "br", "zstd"}

// String is the name in Content-Encoding, "" for none.
func (e Encoding) String() string { return encodingNames[e] }

// Accepted is which encoding of a body a client gets.
type Accepted struct {
	// Encoding is the one that the client likes best.
	Encoding Encoding
	// Required reports whether the client refuses a body that is not packed; else small ones are
	// sent as they are.
	Required bool
}

// Plain is for clients that accept no encoding.
var Plain = Accepted{}

// Accept reads the Accept-Encoding fields of a request. An encoding has to be named: "*" alone
// asks for nothing, unless the client refuses plain bodies.
func Accept(fields []string) Accepted {
	if len(fields) == 0 {
		return Plain
	}
	weights, rest := weigh(fields)
	a := Accepted{Required: weights[Identity] == 0 || weights[Identity] == unnamed && rest == 0}
	best := 0.0
	for e := Gzip; e < encodings; e++ {
		if weights[e] > best {
			a.Encoding, best = e, weights[e]
		}
	}
	if a.Required && a.Encoding == Identity && rest > 0 && weights[Gzip] == unnamed {
		a.Encoding = Gzip // the one that every client knows
	}
	return a
}

// Takes reports whether the Accept-Encoding fields of a request name an encoding, and don't refuse it.
func Takes(fields []string, e Encoding) bool {
	weights, _ := weigh(fields)
	return weights[e] > 0
}

// unnamed is the weight of what no field names.
const unnamed = -1

// weigh reads the weights of all encodings, and that of "*".
func weigh(fields []string) (weights [encodings]float64, rest float64) {
	weights, rest = [encodings]float64{unnamed, unnamed, unnamed, unnamed}, unnamed
	for _, field := range fields {
		for field != "" {
			var item string
			item, field, _ = strings.Cut(field, ",")
			name, parameters, _ := strings.Cut(item, ";")
			if name = strings.TrimSpace(name); name == "*" {
				rest = weight(parameters)
			} else if e, ok := encodingOf(name); ok {
				weights[e] = weight(parameters)
			}
		}
	}
	return weights, rest
}

func encodingOf(name string) (Encoding, bool) {
	switch {
	case strings.EqualFold(name, "identity"):
		return Identity, true
	case strings.EqualFold(name, "gzip"), strings.EqualFold(name, "x-gzip"):
		return Gzip, true
	case strings.EqualFold(name, "br"):
		return Brotli, true
	case strings.EqualFold(name, "zstd"):
		return Zstd, true
	}
	return 0, false
}

// weight reads ";q=0.5"; 1 when it is missing or not a number.
func weight(parameters string) float64 {
	for parameters != "" {
		var p string
		p, parameters, _ = strings.Cut(parameters, ";")
		if name, value, ok := strings.Cut(strings.TrimSpace(p), "="); ok && strings.EqualFold(strings.TrimSpace(name), "q") {
			if q, err := strconv.ParseFloat(strings.TrimSpace(value), 64); err == nil {
				return q
			}
		}
	}
	return 1
}
