package console

import (
	"cmp"
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"

	"queryengine/pkg/apierror"
)

// guard lets in the browser of the one who started the program, and of that the console's own page: other pages
// in it, other users of the machine and names that lead here are refused, since a client that is let in acts as
// admin.
type guard struct {
	// host is the one that the console listens at.
	host string
	// key is what the page sends with its requests. It keeps it in the storage of its origin: a cookie would go to the servers at all other
	// ports, too. page is the cookie that the page itself is shown for, and good for nothing else; permanent leads to both.
	key, page, permanent string

	mu sync.Mutex
	// once are links that were not used yet.
	once map[string]bool
}

const (
	tokenParameter = "token"
	cookiePrefix   = "engine-console-"
	// storageKey is where the page finds the key, which it sends in keyHeader, and to open a WebSocket in keyParameter.
	storageKey   = "query-engine-project-key"
	keyHeader    = "X-Engine-Console-Key"
	keyParameter = "console-key"
)

func newGuard(host string) *guard {
	return &guard{host: host, key: rand.Text(), page: rand.Text(), permanent: rand.Text(), once: map[string]bool{}}
}

func (g *guard) link(once bool) string {
	token := g.permanent
	if once {
		token = rand.Text()
		g.mu.Lock()
		g.once[token] = true
		g.mu.Unlock()
	}
	return "/?" + url.Values{tokenParameter: {token}}.Encode()
}

// admit reports whether a request may go on; else it has answered it.
func (g *guard) admit(w http.ResponseWriter, r *http.Request, page string) bool {
	name, port := split(r.Host)
	cookie := cookiePrefix + port // cookies are shared by the ports of a host
	switch token := r.URL.Query().Get(tokenParameter); {
	case !g.isOwn(name):
		forbid(w, fmt.Sprintf("the console isn't served at the host %q", r.Host))
	case !isOwnPage(r) && !opens(r, page):
		forbid(w, "the console takes requests of its own page alone")
	case r.URL.Path == "/" && r.Method == http.MethodGet && token != "":
		if !g.redeem(token) {
			forbid(w, "this address isn't valid any more: open the one that engine console has printed")
			return false
		}
		http.SetCookie(w, &http.Cookie{Name: cookie, Value: g.page, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode}) //nolint:gosec // G124: there is no TLS
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		nonce := rand.Text()
		w.Header().Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; script-src 'nonce-"+nonce+"'")
		w.Header().Set("Cache-Control", "no-store")
		// The cookie isn't sent with a redirection, when the link is on a page of another site.
		_, _ = fmt.Fprintf(w, `<!doctype html><title>Query Engine</title><script nonce="%s">localStorage.setItem("%s", "%s"); location.replace("%s")</script>`,
			nonce, storageKey, g.key, page)
	case r.URL.Path == "/" || isPage(r, page):
		if c, err := r.Cookie(cookie); err == nil && equal(c.Value, g.page) {
			return true
		}
		forbid(w, "open the address that engine console has printed")
	case !g.hasKey(r):
		forbid(w, "open the address that engine console has printed")
	default:
		return true
	}
	return false
}

func forbid(w http.ResponseWriter, reason string) {
	refuse(w, apierror.New(apierror.AccessDenied, reason).WithStatus(http.StatusForbidden), report{})
}

// isOwn reports whether the console is served at a host. Names of others may lead to an address of this
// machine, addresses can't.
func (g *guard) isOwn(name string) bool {
	address, err := netip.ParseAddr(name)
	switch {
	case strings.EqualFold(name, g.host), strings.EqualFold(name, "localhost"):
		return true
	case err != nil:
		return false
	case address.IsLoopback():
		return true
	}
	listening, err := netip.ParseAddr(g.host)
	return g.host == "" || err == nil && listening.IsUnspecified()
}

// isOwnPage reports whether a request comes from the console's page, or from no page.
func isOwnPage(r *http.Request) bool {
	if origin := r.Header.Get("Origin"); origin != "" && !strings.EqualFold(origin, "http://"+r.Host) {
		return false
	}
	site := r.Header.Get("Sec-Fetch-Site")
	return site == "" || site == "none" || site == "same-origin" // "" of older browsers, which send Origin with what changes something
}

// opens reports whether a request follows a link to the console on another page.
func opens(r *http.Request, page string) bool {
	return r.Method == http.MethodGet && (r.URL.Path == "/" || isPage(r, page)) &&
		r.Header.Get("Origin") == "" && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}

// isPage reports whether a request is for the page or what it loads.
func isPage(r *http.Request, page string) bool {
	return r.URL.Path == page || isBelow(r.URL.Path, page)
}

func (g *guard) redeem(token string) bool {
	if equal(token, g.permanent) {
		return true
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	known := g.once[token]
	delete(g.once, token)
	return known
}

// hasKey reports whether a request carries the key, and takes it out.
func (g *guard) hasKey(r *http.Request) bool {
	query := r.URL.Query()
	key := cmp.Or(r.Header.Get(keyHeader), query.Get(keyParameter))
	r.Header.Del(keyHeader)
	if query.Has(keyParameter) {
		query.Del(keyParameter)
		r.URL.RawQuery = query.Encode()
	}
	return equal(key, g.key)
}

func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// split splits the host of a request.
func split(host string) (name, port string) {
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		return strings.Trim(host, "[]"), ""
	}
	return name, port
}
