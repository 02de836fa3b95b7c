package cors

import (
	"fmt"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// privateNames are top-level domains that public DNS doesn't resolve, so no attacker can point one of their names at this server.
var privateNames = []string{".localhost", ".local", ".internal", ".svc", ".test", ".lan", ".home.arpa"}

// formTypes are media types that any page can send to any server without asking it first.
var formTypes = []string{"", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data"}

// Refusal is why a request may be of a page of others.
type Refusal struct {
	// Host is the host of the request that isn't known to be the engine's, empty when From may not call.
	Host string
	// From is where the page comes from.
	From string
}

// Error implements error, for an engine without a secret.
func (r *Refusal) Error() string {
	if r.Host != "" {
		return fmt.Sprintf("no admin secret is set, so requests to the host %q are refused: set --admin-secret, or add \"http://%s\" to --cors-domain", r.Host, r.Host)
	}
	return fmt.Sprintf("no admin secret is set, so pages of %s may not call: set --admin-secret, or add the origin to --cors-domain", r.From)
}

// Always is the text for what is refused with a secret, too.
func (r *Refusal) Always() string {
	if r.Host != "" {
		return fmt.Sprintf("requests to the host %q are refused: add \"https://%s\" to --cors-domain", r.Host, r.Host)
	}
	return fmt.Sprintf("pages of %s may not call: add the origin to --cors-domain", r.From)
}

// Admit returns nil for a request that may do everything where no secret is set: of the engine's own page, of a page whose origin is
// listed, or of no page. Else it describes why not. "*" lists no origin.
func (p *Policy) Admit(r *http.Request) *Refusal {
	origin := r.Header.Get("Origin")
	switch {
	case origin != "" && !p.off && p.lists(origin):
		return nil
	case !p.isOwnHost(r.Host):
		// A name of another user may lead to this machine: its pages would be of the engine's own origin.
		return &Refusal{Host: r.Host}
	case !p.Trusts(r), !isSameHost(r.Header.Get("Referer"), r) && r.Method != http.MethodGet, isForm(r):
		from := origin
		if from == "" {
			from = "another origin"
		}
		return &Refusal{From: from}
	}
	return nil
}

// isOwnHost reports whether only this server can be meant by a host: pages of others have none of these.
func (p *Policy) isOwnHost(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.Trim(host, "[]")
	}
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	if _, err := netip.ParseAddr(name); err == nil || !strings.Contains(name, ".") {
		return true
	}
	if slices.ContainsFunc(privateNames, func(private string) bool { return strings.HasSuffix(name, private) }) {
		return true
	}
	// Browsers leave out the port that a scheme has by itself; proxies and programs may not.
	return !p.off && (p.lists("http://"+strings.TrimSuffix(host, ":80")) || p.lists("https://"+strings.TrimSuffix(host, ":443")))
}

// isSameHost reports whether a referrer, if there is one, is a page of the engine's own host.
func isSameHost(referrer string, r *http.Request) bool {
	if referrer == "" || r.Header.Get("Origin") != "" || r.Header.Get("Sec-Fetch-Site") != "" {
		return true // the others say more
	}
	u, err := url.Parse(referrer)
	return err == nil && strings.EqualFold(u.Host, r.Host)
}

// isForm reports whether a browser that is too old to say where a request comes from may have sent it for any page.
func isForm(r *http.Request) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead || r.Header.Get("Origin") != "" || r.Header.Get("Sec-Fetch-Site") != "" ||
		!strings.HasPrefix(r.Header.Get("User-Agent"), "Mozilla/") {
		return false
	}
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return slices.Contains(formTypes, kind)
}
