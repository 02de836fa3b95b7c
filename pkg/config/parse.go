package config

import (
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"queryengine/pkg/logtype"
	"queryengine/pkg/session"
)

// Secret is a text that doesn't print.
type Secret string

// String hides the secret from everything that formats it.
func (Secret) String() string { return "***" }

// GoString hides it from %#v.
func (Secret) GoString() string { return "***" }

// LogValue hides it from slog.
func (Secret) LogValue() slog.Value { return slog.StringValue("***") }

// MarshalJSON hides it from dumps.
func (Secret) MarshalJSON() ([]byte, error) { return []byte(`"***"`), nil }

// Reveal is the secret itself.
func (s Secret) Reveal() string { return string(s) }

func logTypesMessage() string {
	names, _ := json.Marshal(logtype.Selectable()) // texts always encode
	return "Valid list of comma-separated log types: " + string(names)
}

// The messages are those of the wire format.
var (
	errInteger  = errors.New("Expecting Int value")                        //nolint:staticcheck // wire text
	errPort     = errors.New("Only expecting a value between 0 and 65535") //nolint:staticcheck // wire text
	errNegative = errors.New("Only expecting a non negative numeric")      //nolint:staticcheck // wire text
	errPositive = errors.New("Only expecting a positive integer")          //nolint:staticcheck // wire text
	errEmpty    = errors.New("empty string not allowed")
	errBoolean  = errors.New(` Not a valid boolean text. True values are ["true","t","yes","y"] and  False values are ["false","f","no","n"]. All values are case insensitive`)
	errPath     = errors.New("expecting the path of a file, not what it holds")
	errSecrets  = errors.New("expecting a JSON array of texts that are not empty")
)

func parseText(s string) (string, error) { return s, nil }

// parsePath refuses what a file holds instead of its path: it may be a key, and would end up
// in messages about files.
func parsePath(s string) (string, error) {
	if strings.Contains(s, "\n") || strings.Contains(s, "-----BEGIN") {
		return "", errPath
	}
	return s, nil
}

func parseSecret(s string) (Secret, error) { return Secret(s), nil }

func parseNonEmptySecret(s string) (Secret, error) {
	text, err := parseNonEmpty(s)
	return Secret(text), err
}

func parseSecrets(s string) ([]Secret, error) {
	if s == "" {
		return nil, nil
	}
	var secrets []Secret
	if err := json.Unmarshal([]byte(s), &secrets); err != nil {
		return nil, errSecrets
	}
	if len(secrets) == 0 { // "null", too
		return nil, errors.New("empty list not allowed")
	}
	for _, secret := range secrets {
		if secret == "" {
			return nil, errSecrets
		}
	}
	return secrets, nil
}

// parseVendor takes the name of another engine in any case, "" for none.
func parseVendor(s string) (string, error) {
	s = strings.ToLower(s)
	if s == "" {
		return "", nil
	}
	return s, session.CheckVendor(s)
}

func parseNonEmpty(s string) (string, error) {
	if s == "" {
		return "", errEmpty
	}
	return s, nil
}

func parseBool(s string) (bool, error) {
	b, ok := Bool(s)
	if !ok {
		return false, errBoolean
	}
	return b, nil
}

// Bool reads a boolean as flags, variables and headers spell it; ok is false for any
// other text.
func Bool(s string) (value, ok bool) {
	switch strings.ToLower(s) {
	case "true", "t", "yes", "y":
		return true, true
	case "false", "f", "no", "n":
		return false, true
	}
	return false, false
}

func parseInt(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0, errInteger
	}
	return n, nil
}

func parseNonNegative(s string) (int, error) {
	n, err := parseInt(s)
	if err == nil && n < 0 {
		err = errNegative
	}
	return n, err
}

// nonNegative is parseNonNegative with another message.
func nonNegative(message string) func(string) (int, error) {
	return func(s string) (int, error) {
		n, err := parseInt(s)
		if err == nil && n < 0 {
			err = errors.New(message)
		}
		return n, err
	}
}

func parsePositive(s string) (int, error) {
	n, err := parseInt(s)
	if err == nil && n < 1 {
		err = errPositive
	}
	return n, err
}

func parsePort(s string) (int, error) {
	n, err := parseInt(s)
	if err != nil || n < 0 || n > math.MaxUint16 {
		return 0, errPort
	}
	return n, nil
}

// parseDirectPort reads a port, or -1 for none.
func parseDirectPort(s string) (int, error) {
	if s == "-1" {
		return -1, nil
	}
	return parsePort(s)
}

// parseDuration reads a number of units; the empty text is no duration at all.
func parseDuration(unit time.Duration) func(string) (time.Duration, error) {
	return func(s string) (time.Duration, error) {
		if s == "" {
			return 0, nil
		}
		n, err := parseNonNegative(s)
		return time.Duration(n) * unit, err
	}
}

func parseList(s string) ([]string, error) {
	var list []string
	for item := range strings.SplitSeq(s, ",") {
		if item = strings.TrimSpace(item); item != "" {
			list = append(list, item)
		}
	}
	return list, nil
}

// parseNetworks reads a list of networks and of names of networks.
func parseNetworks(s string) ([]string, error) {
	list, _ := parseList(s) // never fails
	for _, item := range list {
		if slices.Contains(networkNames, item) {
			continue
		}
		if _, err := netip.ParsePrefix(item); err != nil {
			return nil, errors.New("Only expecting list of comma separated networks, as in 10.1.0.0/16, or " + strings.Join(networkNames, ", ")) //nolint:staticcheck // like the other texts
		}
	}
	return list, nil
}

var networkNames = []string{"loopback", "private", "link-local", "metadata"}

func oneOf(message string, values ...string) func(string) (string, error) {
	return func(s string) (string, error) {
		for _, v := range values {
			if strings.EqualFold(s, v) {
				return v, nil
			}
		}
		return "", errors.New(message)
	}
}

// listOf reads a list of names out of values; message is the error for any other name.
func listOf(message string, values ...string) func(string) ([]string, error) {
	known := oneOf(message, values...)
	return func(s string) ([]string, error) {
		list, _ := parseList(s) // never fails
		for i, item := range list {
			value, err := known(item)
			if err != nil {
				return nil, err
			}
			list[i] = value
		}
		return list, nil
	}
}

// durationOf reads a number of units with another parser of numbers.
func durationOf(unit time.Duration, parse func(string) (int, error)) func(string) (time.Duration, error) {
	return func(s string) (time.Duration, error) {
		n, err := parse(s)
		return time.Duration(n) * unit, err
	}
}
