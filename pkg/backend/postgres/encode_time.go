package postgres

import (
	"encoding/binary"
	"math"
	"strconv"
)

const (
	microsPerSecond = 1_000_000
	microsPerDay    = 86_400 * microsPerSecond
	// epochDays is 2000-01-01, where PostgreSQL counts from, in days since 0000-03-01.
	epochDays = 730425
)

func encodeDate(w *rowWriter, value []byte) {
	if len(value) != 4 {
		w.fail("malformed date")
		return
	}
	days := int32(binary.BigEndian.Uint32(value))
	switch days {
	case math.MaxInt32:
		w.buf = append(w.buf, `"infinity"`...)
		return
	case math.MinInt32:
		w.buf = append(w.buf, `"-infinity"`...)
		return
	}
	w.buf = append(w.buf, '"')
	before := w.date(int64(days))
	w.era(before)
	w.buf = append(w.buf, '"')
}

func encodeTimestamp(w *rowWriter, value []byte) { w.timestamp(value, "") }

// encodeTimestamptz writes the instant as a session whose time zone is UTC prints it; a
// statement for any other session asks the database for the text.
func encodeTimestamptz(w *rowWriter, value []byte) { w.timestamp(value, "+00:00") }

func (w *rowWriter) timestamp(value []byte, zone string) {
	if len(value) != 8 {
		w.fail("malformed timestamp")
		return
	}
	micros := int64(binary.BigEndian.Uint64(value))
	switch micros {
	case math.MaxInt64:
		w.buf = append(w.buf, `"infinity"`...)
		return
	case math.MinInt64:
		w.buf = append(w.buf, `"-infinity"`...)
		return
	}
	days, rest := micros/microsPerDay, micros%microsPerDay
	if rest < 0 {
		days, rest = days-1, rest+microsPerDay
	}
	w.buf = append(w.buf, '"')
	before := w.date(days)
	w.buf = append(w.buf, 'T')
	w.clock(rest)
	w.buf = append(w.buf, zone...)
	w.era(before)
	w.buf = append(w.buf, '"')
}

// date appends the day as year-month-day and says whether it lies before the year 1.
func (w *rowWriter) date(days int64) (before bool) {
	// The civil calendar from a count of days, in eras of 400 years that begin in March.
	days += epochDays
	era := days / 146097
	if days < 0 {
		era = (days - 146096) / 146097
	}
	dayOfEra := days - era*146097
	yearOfEra := (dayOfEra - dayOfEra/1460 + dayOfEra/36524 - dayOfEra/146096) / 365
	dayOfYear := dayOfEra - (365*yearOfEra + yearOfEra/4 - yearOfEra/100)
	shifted := (5*dayOfYear + 2) / 153
	day := dayOfYear - (153*shifted+2)/5 + 1
	month := shifted + 3
	year := yearOfEra + era*400
	if month > 12 {
		month, year = month-12, year+1
	}
	if year <= 0 {
		before, year = true, 1-year
	}
	if year < 10000 {
		w.buf = appendFour(w.buf, uint16(year))
	} else {
		w.buf = strconv.AppendInt(w.buf, year, 10)
	}
	w.buf = append(w.buf, '-', byte('0'+month/10), byte('0'+month%10), '-', byte('0'+day/10), byte('0'+day%10))
	return before
}

func (w *rowWriter) era(before bool) {
	if before {
		w.buf = append(w.buf, " BC"...)
	}
}

// clock appends the time of day; the fraction has no trailing zeros.
func (w *rowWriter) clock(micros int64) {
	seconds, fraction := micros/microsPerSecond, micros%microsPerSecond
	w.two(seconds / 3600)
	w.buf = append(w.buf, ':')
	w.two(seconds / 60 % 60)
	w.buf = append(w.buf, ':')
	w.two(seconds % 60)
	if fraction == 0 {
		return
	}
	w.buf = append(w.buf, '.')
	for unit := int64(100_000); fraction > 0; unit /= 10 {
		w.buf = append(w.buf, byte('0'+fraction/unit))
		fraction %= unit
	}
}

func (w *rowWriter) two(n int64) {
	w.buf = append(w.buf, byte('0'+n/10%10), byte('0'+n%10))
}

func encodeTime(w *rowWriter, value []byte) {
	if len(value) != 8 {
		w.fail("malformed time")
		return
	}
	w.buf = append(w.buf, '"')
	w.clock(int64(binary.BigEndian.Uint64(value)))
	w.buf = append(w.buf, '"')
}

// encodeTimetz writes a time with its zone; minutes and seconds of the zone only when they
// aren't 0. The wire counts zones westward, the text eastward.
func encodeTimetz(w *rowWriter, value []byte) {
	if len(value) != 12 {
		w.fail("malformed timetz")
		return
	}
	w.buf = append(w.buf, '"')
	w.clock(int64(binary.BigEndian.Uint64(value)))
	zone := -int64(int32(binary.BigEndian.Uint32(value[8:])))
	sign := byte('+')
	if zone < 0 {
		sign, zone = '-', -zone
	}
	w.buf = append(w.buf, sign)
	w.two(zone / 3600)
	if zone%3600 != 0 {
		w.buf = append(w.buf, ':')
		w.two(zone / 60 % 60)
	}
	if zone%60 != 0 {
		w.buf = append(w.buf, ':')
		w.two(zone % 60)
	}
	w.buf = append(w.buf, '"')
}
