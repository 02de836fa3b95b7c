package encode

import (
	"encoding/hex"

	"queryengine/pkg/backend/answer"
)

func encodeBool(dst, value []byte) ([]byte, bool) {
	if len(value) != 1 {
		return dst, false
	}
	return answer.AppendBool(dst, value[0] != 0), true
}

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
