package encode

import (
	"encoding/binary"
	"math"

	"queryengine/pkg/backend/answer"
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
	return answer.AppendDate(dst, int64(days)), true
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
	return answer.AppendTimestamp(dst, micros, zone), true
}

func encodeTime(dst, value []byte) ([]byte, bool) {
	if len(value) != 8 {
		return dst, false
	}
	dst = answer.AppendClock(append(dst, '"'), int64(binary.BigEndian.Uint64(value)))
	return append(dst, '"'), true
}

// encodeTimetz writes a time with its zone; minutes and seconds of the zone only when they
// aren't 0. The wire counts zones westward, the text eastward.
func encodeTimetz(dst, value []byte) ([]byte, bool) {
	if len(value) != 12 {
		return dst, false
	}
	dst = answer.AppendClock(append(dst, '"'), int64(binary.BigEndian.Uint64(value)))
	zone := -int64(int32(binary.BigEndian.Uint32(value[8:])))
	sign := byte('+')
	if zone < 0 {
		sign, zone = '-', -zone
	}
	dst = answer.AppendTwo(append(dst, sign), zone/3600)
	if zone%3600 != 0 {
		dst = answer.AppendTwo(append(dst, ':'), zone/60%60)
	}
	if zone%60 != 0 {
		dst = answer.AppendTwo(append(dst, ':'), zone%60)
	}
	return append(dst, '"'), true
}
