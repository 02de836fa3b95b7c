package answer

// escapes is the escape of a byte in a string: 0 for itself, 'u' for \u00xx, else the letter after the
// backslash.
var escapes = func() (t [256]byte) {
	for c := range 0x20 {
		t[c] = 'u'
	}
	t['\b'], t['\f'], t['\n'], t['\r'], t['\t'] = 'b', 'f', 'n', 'r', 't'
	t['"'], t['\\'] = '"', '\\'
	return t
}()

// AppendString appends s as a JSON string, byte for byte as PostgreSQL's own functions do: it escapes
// only what must be escaped.
func AppendString[T ~string | ~[]byte](dst []byte, s T) []byte {
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

// AppendBool appends true or false.
func AppendBool(dst []byte, b bool) []byte {
	if b {
		return append(dst, "true"...)
	}
	return append(dst, "false"...)
}

// AppendText is the Encoder of text.
func AppendText(dst, value []byte) ([]byte, bool) { return AppendString(dst, value), true }

// AppendJSON is the Encoder of JSON: it stays as it is.
func AppendJSON(dst, value []byte) ([]byte, bool) { return append(dst, value...), true }

// Quoted writes numbers as strings; special values that are strings already stay.
func Quoted(number Encoder) Encoder {
	return func(dst, value []byte) ([]byte, bool) {
		start := len(dst)
		dst, ok := number(append(dst, '"'), value)
		if len(dst) > start+1 && dst[start+1] == '"' {
			return append(dst[:start], dst[start+1:]...), ok
		}
		return append(dst, '"'), ok
	}
}
