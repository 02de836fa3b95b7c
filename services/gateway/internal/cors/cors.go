// Package cors lets browsers call from the configured origins.
package cors

import (
	"fmt"
	"net/http"
	"strings"
)

const (
	methods = "GET,POST,PUT,PATCH,DELETE,OPTIONS"
	exposed = "X-Engine-Query-Cache-Key,X-Engine-Query-Family-Cache-Key,Warning"
	maxAge  = "1728000"
)

// Policy decides which origins may call. It is immutable.
type Policy struct {
	off       bool
	all       bool
	exact     map[string]bool
	wildcards []wildcard
}

// wildcard is an origin whose left-most label may be any: https://*.shop.example:8443.
type wildcard struct{ scheme, rest string }

// New reads the list of allowed origins: "*", or scheme://host[:port] where the left-most
// label of the host may be "*".
func New(domains []string, disabled bool) (*Policy, error) {
	p := &Policy{off: disabled, exact: map[string]bool{}}
	for _, d := range domains {
		if d == "*" {
			p.all = true
			continue
		}
		scheme, host, ok := strings.Cut(d, "://")
		rest, wild := strings.CutPrefix(host, "*.")
		if !ok || !isScheme(scheme) || !isHost(rest) {
			return nil, fmt.Errorf("invalid domain: '%s'. All domains should have scheme + (optional wildcard) host + (optional port)", d)
		}
		if wild {
			p.wildcards = append(p.wildcards, wildcard{scheme + "://", "." + rest})
		} else {
			p.exact[d] = true
		}
	}
	return p, nil
}

func isScheme(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789+-.") == ""
}

func isHost(host string) bool {
	name, port, hasPort := strings.Cut(host, ":")
	if hasPort && (port == "" || strings.Trim(port, "0123456789") != "") {
		return false
	}
	return name != "" && !strings.ContainsAny(name, "*/?#@ ")
}

// Off reports whether CORS is switched off: no page of another origin may read an answer.
func (p *Policy) Off() bool { return p.off }

// Allows reports whether an origin may call.
func (p *Policy) Allows(origin string) bool {
	if p.off {
		return false
	}
	return p.all || p.lists(origin)
}

// lists reports whether an origin is one of those that are named, "*" left aside.
func (p *Policy) lists(origin string) bool {
	if p.exact[origin] {
		return true
	}
	for _, w := range p.wildcards {
		host, ok := strings.CutPrefix(origin, w.scheme)
		if !ok {
			continue
		}
		if label, ok := strings.CutSuffix(host, w.rest); ok && label != "" && !strings.ContainsAny(label, "./:@") {
			return true
		}
	}
	return false
}

// Trusts reports whether what a browser adds to r by itself, such as cookies, may count. Any page can
// make a browser send requests, so it has to be of the engine's own origin, or of a configured origin:
// "*" trusts none. Requests from other clients carry no origin, and are trusted; so is a person who
// follows a link.
func (p *Policy) Trusts(r *http.Request) bool {
	origin, site := r.Header.Get("Origin"), r.Header.Get("Sec-Fetch-Site")
	switch {
	case origin != "" && !p.off && p.lists(origin), site == "same-origin", site == "none":
		return true
	case origin == "" && site != "":
		return r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate"
	case origin == "":
		return true
	case site != "":
		return false
	}
	// Older browsers send the origin only.
	_, host, _ := strings.Cut(origin, "://")
	return strings.EqualFold(host, r.Host)
}

// Apply adds to h what the browser of r needs, and reports whether that is the whole answer: r is then
// a preflight request, answered with 204.
func (p *Policy) Apply(h http.Header, r *http.Request) bool {
	origins := r.Header["Origin"]
	if len(origins) == 0 || !p.Allows(origins[0]) {
		return false
	}
	h.Set("Access-Control-Allow-Origin", origins[0])
	h.Set("Access-Control-Allow-Credentials", "true")
	h.Set("Access-Control-Allow-Methods", methods)
	h.Set("Access-Control-Expose-Headers", exposed)
	h.Add("Vary", "Origin")
	if r.Method != http.MethodOptions {
		return false
	}
	h.Set("Access-Control-Max-Age", maxAge)
	h.Set("Access-Control-Allow-Headers", r.Header.Get("Access-Control-Request-Headers"))
	h.Set("Content-Type", "text/plain charset=UTF-8")
	return true
}
