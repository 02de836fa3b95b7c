package backend

import (
	"bytes"
	"math"
	"net"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"queryengine/pkg/catalog"
	"queryengine/pkg/jsontext"
	"queryengine/pkg/jsonwalk"
)

// Key tells which values of other sources are equal to one of a type. Databases would refuse the others, and
// with them the whole statement, or round and cut them to values that they aren't.
type Key struct {
	fit   func(text string) (string, bool)
	array bool
}

// KeyOf is the key of a type, by the names that types have in the catalogs of all kinds. Of types that aren't
// known here, databases judge the values. version is that of the source's catalog, 0 where it isn't known.
func KeyOf(t catalog.Type, version int) Key {
	k := Key{array: t.IsArray()}
	switch {
	case t.Kind == catalog.TypeEnum:
		k.fit = func(text string) (string, bool) { return text, slices.Contains(t.Labels, text) }
	case t.Kind == "" || t.Kind == catalog.TypeBase:
		k.fit = keys[t.Name]
		if t.Name == "ltree" && version >= hyphenatedPaths { // dialect word: of one kind
			k.fit = matching(aHyphenatedPath)
		}
	}
	return k
}

// JSON is a JSON value as one that the database can compare, null when no value of the type is equal to it.
func (k Key) JSON(value []byte) []byte {
	kind := jsonwalk.KindOf(value)
	switch {
	case k.array:
		return k.list(value, kind)
	case kind == jsonwalk.Array, kind == jsonwalk.Object:
		if k.fit != nil || bytes.Contains(value, []byte(`\u0000`)) {
			return null
		}
		return value
	case kind == jsonwalk.Null:
		return value
	case kind != jsonwalk.String:
		return k.spelt(value, string(value))
	}
	text, err := jsonwalk.Text(value)
	if err != nil {
		return null
	}
	return k.spelt(value, text)
}

var null = []byte("null")

func (k Key) spelt(value []byte, text string) []byte {
	fitting, ok := k.Text(text)
	switch {
	case !ok:
		return null
	case fitting == text:
		return value
	}
	return jsontext.AppendString(nil, fitting)
}

// list is JSON of a value of an array type.
func (k Key) list(value []byte, kind jsonwalk.Kind) []byte {
	if kind != jsonwalk.Array {
		return null
	}
	items, fits := [][]byte{}, true
	err := jsonwalk.Items(value, func(_ int, item []byte) error {
		if jsonwalk.KindOf(item) != jsonwalk.Null {
			of := Key{fit: k.fit, array: jsonwalk.KindOf(item) == jsonwalk.Array}
			item = of.JSON(item)
			fits = fits && !bytes.Equal(item, null)
		}
		items = append(items, item)
		return nil
	})
	if err != nil || !fits {
		return null
	}
	return append(append([]byte{'['}, bytes.Join(items, []byte{','})...), ']')
}

// Text is a text as one that the database reads as the value that is equal to it; ok is false when the type
// has none. Texts of arrays are for the database to judge.
func (k Key) Text(text string) (fitting string, ok bool) {
	switch {
	case strings.IndexByte(text, 0) >= 0:
		return "", false // no database compares it with anything
	case k.fit == nil:
		return text, true
	}
	return k.fit(text)
}

// keys maps types to functions that accept or reject the text of a value.
var keys = map[string]func(string) (string, bool){
	"tinyint":     integer(0, math.MaxUint8),
	"int2":        integer(math.MinInt16, math.MaxInt16), // dialect word: of all kinds
	"int4":        integer(math.MinInt32, math.MaxInt32), // dialect word: of all kinds
	"int8":        integer(math.MinInt64, math.MaxInt64), // dialect word: of all kinds
	"float4":      float(32),                             // dialect word: of all kinds
	"float8":      float(64),                             // dialect word: of all kinds
	"numeric":     decimal,                               // dialect word: of all kinds
	"decimal":     decimal,
	"bignumeric":  decimal,
	"bool":        boolean,
	"uuid":        uuid,
	"date":        date,
	"time":        clock,
	"timetz":      clock, // dialect word: of all kinds
	"timestamp":   timestamp,
	"timestamptz": timestamp, // dialect word: of all kinds
	"interval":    interval,
	"money":       money,
	"oid":         integer(0, math.MaxUint32),
	"inet":        network(false),
	"cidr":        network(true),
	"macaddr":     hardware(6),
	"macaddr8":    hardware(8),
	"ltree":       matching(aPath), // dialect word: of one kind
	"bit":         matching(someBits),
	"varbit":      matching(someBits),  // dialect word: of all kinds
	"bytea":       matching(someBytes), // dialect word: of all kinds
	"name":        func(text string) (string, bool) { return text, len(text) < 64 },
}

var (
	aNumber = regexp.MustCompile(`^[+-]?([0-9]+)?(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]+))?$`)
	aUUID   = regexp.MustCompile(`^\{?(?:[0-9A-Fa-f]{4}-?){7}[0-9A-Fa-f]{4}\}?$`)
	aTime   = regexp.MustCompile(`^([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]+))?)? ?(Z|[+-][0-9]{2}(?::?[0-9]{2}){0,2})?$`)
	// Intervals as PostgreSQL writes them, and of ISO 8601.
	anInterval      = regexp.MustCompile(`^(?:[+-]?\d{1,8} (?:years?|mons?|months?|weeks?|days?|hours?|minutes?|mins?|seconds?|secs?)(?: |$))*(?:[+-]?\d{1,8}:\d{2}(?::\d{2}(?:\.\d{1,6}0*)?)?)?$`)
	anISOInterval   = regexp.MustCompile(`^P(?:-?\d{1,8}[YMWD])*(?:T(?:-?\d{1,8}[HM])*(?:-?\d{1,8}(?:\.\d{1,6}0*)?S)?)?$`)
	anAmount        = regexp.MustCompile(`^-?\$?(?:\d{1,16}|\d{1,3}(?:,\d{3}){1,4})(?:\.\d{1,2}0*)?$`)
	aHyphenatedPath = regexp.MustCompile(`^(?:[A-Za-z0-9_-]{1,255}(?:\.[A-Za-z0-9_-]{1,255})*)?$`)
	aPath           = regexp.MustCompile(`^(?:[A-Za-z0-9_]{1,255}(?:\.[A-Za-z0-9_]{1,255})*)?$`)
	someBits        = regexp.MustCompile(`^[01]*$`)
	someBytes       = regexp.MustCompile(`^(?:\\x(?:[0-9A-Fa-f]{2})*|[^\\]*)$`)
	aDate           = regexp.MustCompile(`^([0-9]{4,7})-([0-9]{2})-([0-9]{2})(?:[T ]([0-9].*?))?( BC)?$`)
)

// hyphenatedPaths is the version from which labels of paths may have hyphens.
const hyphenatedPaths = 160_000

// maxDigits is more digits than any number before or after the point.
const maxDigits = 1 << 14

// number takes a decimal number apart: its digits without zeros at the ends, and where the point is in them.
func number(text string) (digits string, point int, ok bool) {
	m := aNumber.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil || m[1] == "" && m[2] == "" {
		return "", 0, false
	}
	exponent := 0
	if m[3] != "" {
		var err error
		if exponent, err = strconv.Atoi(m[3]); err != nil || exponent > maxDigits || exponent < -maxDigits {
			return "", 0, false
		}
	}
	digits = strings.TrimLeft(m[1]+m[2], "0")
	point = exponent + len(digits) - len(m[2])
	return strings.TrimRight(digits, "0"), point, true
}

// integer takes whole numbers, however they are spelt.
func integer(least, most int64) func(string) (string, bool) {
	return func(text string) (string, bool) {
		text = strings.TrimSpace(text)
		digits, point, ok := number(text)
		switch {
		case !ok, digits != "" && (point < len(digits) || point > 19):
			return "", false
		case digits == "":
			return "0", least <= 0
		}
		if digits += strings.Repeat("0", point-len(digits)); text[0] == '-' {
			digits = "-" + digits
		}
		n, err := strconv.ParseInt(digits, 10, 64)
		return digits, err == nil && n >= least && n <= most
	}
}

// decimal takes the numbers that are written with so many digits as databases have at most.
func decimal(text string) (string, bool) {
	digits, point, ok := number(text)
	return text, strings.TrimSpace(text) == "NaN" || ok && point <= maxDigits && len(digits)-point < maxDigits
}

// float takes the numbers that aren't beyond what bits hold, and don't become zero there.
func float(bits int) func(string) (string, bool) {
	return func(text string) (string, bool) {
		switch strings.TrimSpace(text) {
		case "NaN", "Infinity", "-Infinity":
			return text, true
		}
		digits, _, ok := number(text)
		f, err := strconv.ParseFloat(strings.TrimSpace(text), bits)
		return text, ok && err == nil && (f != 0 || digits == "")
	}
}

// booleans are the words for truth values; their beginnings, of the least length, count as well.
var booleans = []struct {
	word  string
	least int
	value string
}{{"true", 1, "true"}, {"false", 1, "false"}, {"yes", 1, "true"}, {"no", 1, "false"}, {"on", 2, "true"}, {"off", 2, "false"}, {"1", 1, "true"}, {"0", 1, "false"}}

func boolean(text string) (string, bool) {
	word := strings.ToLower(strings.TrimSpace(text))
	for _, b := range booleans {
		if len(word) >= b.least && strings.HasPrefix(b.word, word) {
			return b.value, true
		}
	}
	return "", false
}

func uuid(text string) (string, bool) {
	if !aUUID.MatchString(text) || strings.HasPrefix(text, "{") != strings.HasSuffix(text, "}") {
		return "", false
	}
	d := strings.ToLower(strings.NewReplacer("-", "", "{", "", "}", "").Replace(text))
	return d[:8] + "-" + d[8:12] + "-" + d[12:16] + "-" + d[16:20] + "-" + d[20:], true
}

// clock takes times of a day.
func clock(text string) (string, bool) {
	_, ok := timeOfDay(text)
	return text, ok
}

// timeOfDay reads a time of a day; midnight reports whether that is its beginning.
func timeOfDay(text string) (midnight, ok bool) {
	m := aTime.FindStringSubmatch(text)
	if m == nil {
		return false, false
	}
	fraction := strings.TrimRight(m[4], "0")
	last := m[1] == "24"
	midnight = m[1] == "00" && m[2] == "00" && (m[3] == "" || m[3] == "00") && fraction == ""
	switch {
	case m[1] > "24", m[2] > "59", m[3] > "59", len(fraction) > 6:
		return false, false
	case last && (m[2] != "00" || m[3] > "00" || fraction != ""):
		return false, false
	}
	return midnight, true
}

// day reads a date, and a time behind it if there is one.
func day(text string, lastYear int) (date, clock, era string, ok bool) {
	text = strings.TrimSpace(text)
	if text == "infinity" || text == "-infinity" {
		return text, "", "", true
	}
	m := aDate.FindStringSubmatch(text)
	if m == nil {
		return "", "", "", false
	}
	year, _ := strconv.Atoi(m[1]) // at most seven digits
	month, _ := strconv.Atoi(m[2])
	of, _ := strconv.Atoi(m[3])
	era = m[5]
	if era != "" {
		lastYear = 4713
	}
	leap := year
	if era != "" {
		leap = 1 - year
	}
	at := time.Date(leap, time.Month(month), of, 0, 0, 0, 0, time.UTC)
	ok = year > 0 && year <= lastYear && at.Month() == time.Month(month) && at.Day() == of && of > 0
	return m[1] + "-" + m[2] + "-" + m[3], m[4], era, ok
}

// date takes days, and the points in time that are the beginning of one.
func date(text string) (string, bool) {
	d, clock, era, ok := day(text, 5_874_897)
	if ok && clock != "" {
		ok, _ = timeOfDay(clock)
	}
	return d + era, ok
}

// timestamp takes points in time, of which days are the beginning.
func timestamp(text string) (string, bool) {
	_, clock, _, ok := day(text, 294_276)
	if ok && clock != "" {
		_, ok = timeOfDay(clock)
	}
	return text, ok
}

// matching takes the texts of a form.
func matching(form *regexp.Regexp) func(string) (string, bool) {
	return func(text string) (string, bool) { return text, form.MatchString(text) }
}

func interval(text string) (string, bool) {
	ends := strings.TrimRight(text, "PT")
	return text, text != "" && text == strings.TrimSpace(text) && (anInterval.MatchString(text) || ends == text && anISOInterval.MatchString(text))
}

// money takes amounts with at most two digits behind the point.
func money(text string) (string, bool) {
	return text, anAmount.MatchString(text)
}

// network takes addresses, with how many bits of them are a network's. In only networks, the others are zero.
func network(only bool) func(string) (string, bool) {
	return func(text string) (string, bool) {
		if a, err := netip.ParseAddr(text); err == nil {
			return text, a.Zone() == ""
		}
		p, err := netip.ParsePrefix(text)
		return text, err == nil && (!only || p == p.Masked())
	}
}

// hardware takes addresses of so many bytes.
func hardware(bytes int) func(string) (string, bool) {
	return func(text string) (string, bool) {
		a, err := net.ParseMAC(text)
		return text, err == nil && len(a) == bytes
	}
}
