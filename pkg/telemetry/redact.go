package telemetry

import "strings"

// Redacted takes the place of a header's value that is not shown.
const Redacted = "<REDACTED>"

// Redact is the value of a header as lines show it.
func Redact(name, value string) string {
	lower := strings.ToLower(name)
	switch lower {
	case "authorization", "proxy-authorization", "access-token", "cookie", "set-cookie":
		return Redacted
	}
	// Those of other engines are as secret as our own.
	if strings.HasPrefix(lower, "x-") && (strings.HasSuffix(lower, "-admin-secret") || strings.HasSuffix(lower, "-access-key")) {
		return Redacted
	}
	return value
}
