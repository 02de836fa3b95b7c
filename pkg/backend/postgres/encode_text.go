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
func encodeText(w *rowWriter, value []byte) {
	w.buf = appendString(w.buf, value)
}

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

func encodeBool(w *rowWriter, value []byte) {
	switch {
	case len(value) != 1:
		w.fail("malformed bool")
	case value[0] != 0:
		w.buf = append(w.buf, "true"...)
	default:
		w.buf = append(w.buf, "false"...)
	}
}

// encodeJSON writes json as it is stored.
func encodeJSON(w *rowWriter, value []byte) { w.buf = append(w.buf, value...) }

// encodeJSONB writes jsonb: on the wire, the text behind a version.
func encodeJSONB(w *rowWriter, value []byte) {
	if len(value) < 1 || value[0] != 1 {
		w.fail("malformed jsonb")
		return
	}
	w.buf = append(w.buf, value[1:]...)
}

func encodeUUID(w *rowWriter, value []byte) {
	if len(value) != 16 {
		w.fail("malformed uuid")
		return
	}
	w.buf = append(w.buf, '"')
	w.buf = hex.AppendEncode(w.buf, value[:4])
	for _, section := range [][2]int{{4, 6}, {6, 8}, {8, 10}, {10, 16}} {
		w.buf = append(w.buf, '-')
		w.buf = hex.AppendEncode(w.buf, value[section[0]:section[1]])
	}
	w.buf = append(w.buf, '"')
}

func encodeBytea(w *rowWriter, value []byte) {
	w.buf = append(w.buf, `"\\x`...)
	w.buf = hex.AppendEncode(w.buf, value)
	w.buf = append(w.buf, '"')
}
