package egress

import (
	"net/http"
	"net/textproto"
	"strings"

	"queryengine/pkg/session"
)

// ignored are the client headers that are not passed on: they describe the client's
// connection and body.
var ignored = map[string]bool{
	"Content-Length": true, "Content-Md5": true, "User-Agent": true, "Host": true, "Origin": true, "Referer": true,
	"Accept": true, "Accept-Encoding": true, "Accept-Language": true, "Accept-Datetime": true, "Cache-Control": true,
	"Connection": true, "Dnt": true, "Content-Type": true,
}

// PassesOn reports whether a client's header of that name, spelt canonically, is passed on.
func PassesOn(name string) bool {
	return !ignored[name] && name != "Upgrade" && !strings.HasPrefix(name, "Sec-Websocket-") // of a WebSocket's handshake
}

// Forwarded are the headers of a client that a call passes on when its definition says so,
// with X-Forwarded-* for those of which only the values travel. Session variables are not
// among them. The names of client are in any case.
func Forwarded(client map[string]string) http.Header {
	passed := make(http.Header, len(client))
	for name, value := range client {
		name = textproto.CanonicalMIMEHeaderKey(name)
		switch name {
		case "Host", "User-Agent", "Origin":
			passed.Set("X-Forwarded-"+name, value)
		}
		if PassesOn(name) && !strings.HasPrefix(strings.ToLower(name), session.Prefix) {
			passed.Set(name, value)
		}
	}
	return passed
}

// Headers are those of a call with a JSON body: the ones of the client that are passed on, the
// client's own, and the configured ones. Which win depends on the configuration.
func (c *Client) Headers(configured, forwarded http.Header) http.Header {
	own := http.Header{"Content-Type": {"application/json"}, "User-Agent": {c.config.UserAgent}}
	if c.config.ConfiguredHeadersFirst {
		return Merge(configured, own, forwarded)
	}
	return Merge(forwarded, own, configured)
}

// Merge puts headers together; for a name that several have, the first wins.
func Merge(layers ...http.Header) http.Header {
	merged := http.Header{}
	for _, layer := range layers {
		for name, values := range layer {
			name = textproto.CanonicalMIMEHeaderKey(name)
			if _, ok := merged[name]; !ok {
				merged[name] = values
			}
		}
	}
	return merged
}
