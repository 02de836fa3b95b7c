package session

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/textproto"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// vendorNames are the names of another engine that are accepted and sent alongside our own.
type vendorNames struct {
	name   string // acme
	prefix string // x-acme-
	header string // X-Acme-, as net/http spells it
}

// vendor is nil without a vendor. It belongs to the process, as the wire format does: rules,
// tokens, headers and SQL read it where nothing of a request or of a service is at hand.
var vendor atomic.Pointer[vendorNames]

// users counts the engines in the process that use the vendor, or that use none.
var users struct {
	sync.Mutex
	n int
}

// reservedVendors are words between x- and the next hyphen that proxies use in headers of their
// own, which would become session variables.
var reservedVendors = []string{"engine", "forwarded", "real", "request", "original", "envoy", "amzn", "b3"}

var errVendor = errors.New("expected a name of lower-case letters and digits that begins with a letter")

// CheckVendor refuses what can't be the name of another engine: it is a part of headers, of
// settings of PostgreSQL and of environment variables.
func CheckVendor(name string) error {
	if name == "" || name[0] >= '0' && name[0] <= '9' || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
		return errVendor
	}
	if slices.Contains(reservedVendors, name) {
		return errors.New("headers x-" + name + "-* have another meaning")
	}
	return nil
}

// UseVendor has the process accept and send the names of another engine alongside its own, until release is called: for acme,
// x-acme-* alongside x-engine-*. "" is no other engine. The name has passed CheckVendor. It is called
// before the services are made. Its error is about an engine in the same process that uses another name.
func UseVendor(name string) (release func(), err error) {
	users.Lock()
	defer users.Unlock()
	if users.n > 0 && name != Vendor() {
		return nil, fmt.Errorf("an engine in this process has %q, this one %q: engines in one process share their vendor names", Vendor(), name)
	}
	users.n++
	vendor.Store(namesOf(name))
	return sync.OnceFunc(func() {
		users.Lock()
		defer users.Unlock()
		if users.n--; users.n == 0 {
			vendor.Store(nil)
		}
	}), nil
}

func namesOf(name string) *vendorNames {
	if name == "" {
		return nil
	}
	prefix := "x-" + name + "-"
	return &vendorNames{name: name, prefix: prefix, header: textproto.CanonicalMIMEHeaderKey(prefix)}
}

// Vendor is the name of the engine whose names are used alongside our own, "" for none.
func Vendor() string {
	if v := vendor.Load(); v != nil {
		return v.name
	}
	return ""
}

// Canonical is our name, in lower case, of what a name in any case means; ok is false when it is
// not that of a session variable.
func Canonical(name string) (own string, ok bool) {
	if hasPrefix(name, Prefix) {
		return strings.ToLower(name), true
	}
	if v := vendor.Load(); v != nil && hasPrefix(name, v.prefix) {
		return Prefix + strings.ToLower(name[len(v.prefix):]), true
	}
	return "", false
}

// hasPrefix reports whether name begins with a prefix in lower case, and goes on.
func hasPrefix(name, prefix string) bool {
	return len(name) > len(prefix) && strings.EqualFold(name[:len(prefix)], prefix)
}

// Own are the session variables of an object that a token, a webhook or a request holds, by our
// names. Of several that mean the same one, ours wins over the vendor's, and the spelling with more
// small letters over the other: what a caller gets never depends on the order of a map.
func Own[T any](given map[string]T) map[string]T {
	own := make(map[string]T, len(given))
	names := slices.Sorted(maps.Keys(given)) // small letters sort last
	for _, ours := range [...]bool{false, true} {
		for _, name := range names {
			if lower, ok := Canonical(name); ok && hasPrefix(name, Prefix) == ours {
				own[lower] = given[name]
			}
		}
	}
	return own
}

// OwnHeaders gives a request's headers with the vendor's names our names. Where both are given
// ours is kept and the vendor's is dropped, so that nothing later can see two values.
func OwnHeaders(h http.Header) {
	v := vendor.Load()
	if v == nil {
		return
	}
	for name, values := range h {
		rest, ok := strings.CutPrefix(name, v.header)
		if !ok {
			continue
		}
		own := textproto.CanonicalMIMEHeaderKey(Prefix + rest)
		if _, given := h[own]; !given && rest != "" {
			h[own] = values
		}
		delete(h, name)
	}
}

// VendorHeaders adds the vendor's names to headers that have ours, for a server that was written
// for that engine.
func VendorHeaders(h http.Header) {
	v := vendor.Load()
	if v == nil {
		return
	}
	own := textproto.CanonicalMIMEHeaderKey(Prefix)
	for name, values := range maps.Clone(h) {
		if rest, ok := strings.CutPrefix(name, own); ok {
			h[v.header+rest] = values
		}
	}
}

// addVendor adds the vendor's names to variables that have ours.
func addVendor(variables map[string]string) {
	v := vendor.Load()
	if v == nil {
		return
	}
	for name, value := range maps.Clone(variables) {
		if rest, ok := strings.CutPrefix(name, Prefix); ok {
			variables[v.prefix+rest] = value
		}
	}
}
