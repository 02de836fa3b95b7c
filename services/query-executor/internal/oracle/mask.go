package oracle

import (
	"crypto/sha256"
	"fmt"
	"strings"
)

// mask is what is shown instead of values: by name, or a constant.
type mask struct {
	name     string
	constant any
}

var maskNames = []string{"null", "redact", "hash", "last4", "email"}

func (k mask) shows(v any) any {
	text, isText := v.(string)
	switch k.name {
	case "":
		return k.constant
	case "null":
		return nil
	case "redact":
		return "***"
	}
	if !isText {
		return nil
	}
	characters := []rune(text)
	switch at := strings.LastIndex(text, "@"); {
	case k.name == "hash":
		return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
	case k.name == "last4" && len(characters) > 4:
		return "****" + string(characters[len(characters)-4:])
	case k.name == "last4":
		return "****"
	case at >= 0:
		return string(characters[:1]) + "***" + text[at:]
	}
	return "***"
}
