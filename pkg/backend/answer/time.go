package answer

import "strconv"

const (
	microsPerSecond = 1_000_000
	microsPerDay    = 86_400 * microsPerSecond
	// epochDays is 2000-01-01, the first day that times are counted from here, in days since 0000-03-01.
	epochDays = 730425
)

// AppendDate appends a date, given in days since 2000-01-01.
func AppendDate(dst []byte, days int64) []byte {
	dst, era := appendDay(append(dst, '"'), days)
	dst = append(dst, era...)
	return append(dst, '"')
}

// AppendTimestamp appends a date and a time of day, given in microseconds since 2000-01-01, with
// the text of its time zone, which may be empty.
func AppendTimestamp(dst []byte, micros int64, zone string) []byte {
	days, rest := micros/microsPerDay, micros%microsPerDay
	if rest < 0 {
		days, rest = days-1, rest+microsPerDay
	}
	dst, era := appendDay(append(dst, '"'), days)
	dst = AppendClock(append(dst, 'T'), rest)
	dst = append(dst, zone...)
	dst = append(dst, era...)
	return append(dst, '"')
}

// appendDay appends the day as year-month-day, and gives what stands behind dates before
// the year 1.
func appendDay(dst []byte, days int64) (_ []byte, era string) {
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
		dst = AppendFour(dst, uint16(year))
	} else {
		dst = strconv.AppendInt(dst, year, 10)
	}
	dst = AppendTwo(append(dst, '-'), month)
	return AppendTwo(append(dst, '-'), day), era
}

// AppendClock appends a time of day, in microseconds since midnight; the fraction has no trailing zeros.
func AppendClock(dst []byte, micros int64) []byte {
	seconds, fraction := micros/microsPerSecond, micros%microsPerSecond
	dst = AppendTwo(dst, seconds/3600)
	dst = AppendTwo(append(dst, ':'), seconds/60%60)
	dst = AppendTwo(append(dst, ':'), seconds%60)
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

// AppendTwo appends a number below 100 with two digits.
func AppendTwo(dst []byte, n int64) []byte {
	return append(dst, byte('0'+n/10%10), byte('0'+n%10))
}
