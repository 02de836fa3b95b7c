package postgres

import "encoding/hex"

// escapes says what to_json writes for a byte: 0 for itself, 'u' for \u00xx, else the
// letter after the backslash.
var escapes = func() (t [256]byte) {
	for c := range 0x20 {
		t[c] = 'u'
	}
	t['\b'], t['\f'], t['\n'], t['\r'], t['\t'] = 'b', 'f', 'n', 'r', 't'
	t['"'], t['\\'] = '"', '\\'
	return t
}()

// encodeText writes a string. Text in the binary format is its characters.
func encodeText(dst, value []byte) ([]byte, bool) { return appendString(dst, value), true }

// appendString appends s as a JSON string, byte for byte as the database does.
func appendString[T ~string | ~[]byte](dst []byte, s T) []byte {
	dst = append(dst, '"')
	start := 0
	for i := range len(s) {
		e := escapes[s[i]]
		if e == 0 {
			continue
		}
		dst = append(dst, s[start:i]...)
		start = i + 1
		if e == 'u' {
			dst = append(dst, '\\', 'u', '0', '0', "0123456789abcdef"[s[i]>>4], "0123456789abcdef"[s[i]&15])
		} else {
			dst = append(dst, '\\', e)
		}
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

func encodeBool(dst, value []byte) ([]byte, bool) {
	switch {
	case len(value) != 1:
		return dst, false
	case value[0] != 0:
		return append(dst, "true"...), true
	}
	return append(dst, "false"...), true
}

// encodeJSON writes json as it is stored.
func encodeJSON(dst, value []byte) ([]byte, bool) { return append(dst, value...), true }

// encodeJSONB writes jsonb: on the wire, the text behind a version.
func encodeJSONB(dst, value []byte) ([]byte, bool) {
	if len(value) < 1 || value[0] != 1 {
		return dst, false
	}
	return append(dst, value[1:]...), true
}

func encodeUUID(dst, value []byte) ([]byte, bool) {
	if len(value) != 16 {
		return dst, false
	}
	dst = append(dst, '"')
	dst = hex.AppendEncode(dst, value[:4])
	for _, section := range [][2]int{{4, 6}, {6, 8}, {8, 10}, {10, 16}} {
		dst = append(dst, '-')
		dst = hex.AppendEncode(dst, value[section[0]:section[1]])
	}
	return append(dst, '"'), true
}

func encodeBytea(dst, value []byte) ([]byte, bool) {
	dst = append(dst, `"\\x`...)
	dst = hex.AppendEncode(dst, value)
	return append(dst, '"'), true
}
