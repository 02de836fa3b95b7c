package jwt

import (
	"bytes"
	"encoding/base64"
	"strings"
)

// normalBase64 turns padded or standard base64 into unpadded base64url, and takes zero
// bytes off the front of a number. Text that isn't base64 stays as it is.
func normalBase64(text string, number bool) string {
	text = strings.NewReplacer("+", "-", "/", "_").Replace(strings.TrimRight(text, "="))
	data, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return text
	}
	if number {
		data = bytes.TrimLeft(data, "\x00")
	}
	return base64.RawURLEncoding.EncodeToString(data)
}
