package telemetry

import "strings"

// Redacted takes the place of a header's value that is not shown.
const Redacted = "<REDACTED>"

// Redact is the value of a header as lines show it.
func Redact(name, value string) string {
	switch strings.ToLower(name) {
	case "authorization", "proxy-authorization", "access-token", "cookie", "set-cookie", "x-engine-admin-secret", "x-engine-access-key":
		return Redacted
	}
	return value
}
