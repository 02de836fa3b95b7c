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

func encodeDate(dst, value []byte) ([]byte, bool) {
	if len(value) != 4 {
		return dst, false
	}
	days := int32(binary.BigEndian.Uint32(value))
	switch days {
	case math.MaxInt32:
		return append(dst, `"infinity"`...), true
	case math.MinInt32:
		return append(dst, `"-infinity"`...), true
	}
	dst, era := appendDate(append(dst, '"'), int64(days))
	dst = append(dst, era...)
	return append(dst, '"'), true
}

func encodeTimestamp(dst, value []byte) ([]byte, bool) { return appendTimestamp(dst, value, "") }

// encodeTimestamptz writes the instant as a session whose time zone is UTC prints it; a
// statement for any other session asks the database for the text.
func encodeTimestamptz(dst, value []byte) ([]byte, bool) {
	return appendTimestamp(dst, value, "+00:00")
}

func appendTimestamp(dst, value []byte, zone string) ([]byte, bool) {
	if len(value) != 8 {
		return dst, false
	}
	micros := int64(binary.BigEndian.Uint64(value))
	switch micros {
	case math.MaxInt64:
		return append(dst, `"infinity"`...), true
	case math.MinInt64:
		return append(dst, `"-infinity"`...), true
	}
	days, rest := micros/microsPerDay, micros%microsPerDay
	if rest < 0 {
		days, rest = days-1, rest+microsPerDay
	}
	dst, era := appendDate(append(dst, '"'), days)
	dst = appendClock(append(dst, 'T'), rest)
	dst = append(dst, zone...)
	dst = append(dst, era...)
	return append(dst, '"'), true
}

// appendDate appends the day as year-month-day, and gives what stands behind dates before
// the year 1.
func appendDate(dst []byte, days int64) (_ []byte, era string) {
	// The civil calendar from a count of days, in cycles of 400 years that begin in March.
	days += epochDays
	cycle := days / 146097
	if days < 0 {
		cycle = (days - 146096) / 146097
	}
	dayOfCycle := days - cycle*146097
	yearOfCycle := (dayOfCycle - dayOfCycle/1460 + dayOfCycle/36524 - dayOfCycle/146096) / 365
	dayOfYear := dayOfCycle - (365*yearOfCycle + yearOfCycle/4 - yearOfCycle/100)
	shifted := (5*dayOfYear + 2) / 153
	day := dayOfYear - (153*shifted+2)/5 + 1
	month := shifted + 3
	year := yearOfCycle + cycle*400
	if month > 12 {
		month, year = month-12, year+1
	}
	if year <= 0 {
		era, year = " BC", 1-year
	}
	if year < 10000 {
		dst = appendFour(dst, uint16(year))
	} else {
		dst = strconv.AppendInt(dst, year, 10)
	}
	dst = appendTwo(append(dst, '-'), month)
	return appendTwo(append(dst, '-'), day), era
}

// appendClock appends the time of day; the fraction has no trailing zeros.
func appendClock(dst []byte, micros int64) []byte {
	seconds, fraction := micros/microsPerSecond, micros%microsPerSecond
	dst = appendTwo(dst, seconds/3600)
	dst = appendTwo(append(dst, ':'), seconds/60%60)
	dst = appendTwo(append(dst, ':'), seconds%60)
	if fraction == 0 {
		return dst
	}
	dst = append(dst, '.')
	for unit := int64(100_000); fraction > 0; unit /= 10 {
		dst = append(dst, byte('0'+fraction/unit))
		fraction %= unit
	}
	return dst
}

func appendTwo(dst []byte, n int64) []byte {
	return append(dst, byte('0'+n/10%10), byte('0'+n%10))
}

func encodeTime(dst, value []byte) ([]byte, bool) {
	if len(value) != 8 {
		return dst, false
	}
	dst = appendClock(append(dst, '"'), int64(binary.BigEndian.Uint64(value)))
	return append(dst, '"'), true
}

// encodeTimetz writes a time with its zone; minutes and seconds of the zone only when they
// aren't 0. The wire counts zones westward, the text eastward.
func encodeTimetz(dst, value []byte) ([]byte, bool) {
	if len(value) != 12 {
		return dst, false
	}
	dst = appendClock(append(dst, '"'), int64(binary.BigEndian.Uint64(value)))
	zone := -int64(int32(binary.BigEndian.Uint32(value[8:])))
	sign := byte('+')
	if zone < 0 {
		sign, zone = '-', -zone
	}
	dst = appendTwo(append(dst, sign), zone/3600)
	if zone%3600 != 0 {
		dst = appendTwo(append(dst, ':'), zone/60%60)
	}
	if zone%60 != 0 {
		dst = appendTwo(append(dst, ':'), zone%60)
	}
	return append(dst, '"'), true
}
