package reply

import (
	"strconv"
	"strings"
)

// Accepted is which encodings of a body a client accepts.
type Accepted int

// What a client may accept.
const (
	Plain Accepted = iota
	// Either: small bodies go plain.
	Either
	// OnlyGzip: the client refuses a body that is not compressed.
	OnlyGzip
)

// Accept reads the Accept-Encoding fields of a request.
func Accept(fields []string) Accepted {
	if len(fields) == 0 {
		return Plain
	}
	gzip, identity, rest := -1.0, -1.0, -1.0 // weights; -1 is not named
	for _, field := range fields {
		for field != "" {
			var item string
			item, field, _ = strings.Cut(field, ",")
			name, parameters, _ := strings.Cut(item, ";")
			switch name = strings.TrimSpace(name); {
			case strings.EqualFold(name, "gzip"):
				gzip = weight(parameters)
			case strings.EqualFold(name, "identity"):
				identity = weight(parameters)
			case name == "*":
				rest = weight(parameters)
			}
		}
	}
	switch {
	case gzip <= 0:
		return Plain
	case identity == 0 || identity < 0 && rest == 0:
		return OnlyGzip
	}
	return Either
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
