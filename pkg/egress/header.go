package egress

import (
	"net/http"
	"net/textproto"
	"strings"

	"queryengine/pkg/session"
)

// describing are the client headers that describe the client and its body. They are not forwarded,
// unless the definition of an action lists them.
var describing = map[string]bool{
	"Content-Md5": true, "User-Agent": true, "Origin": true, "Referer": true, "Accept": true, "Accept-Language": true,
	"Accept-Datetime": true, "Cache-Control": true, "Dnt": true, "Content-Type": true,
}

// ofConnection are the headers of one connection and of how a body is written on it. They are
// meaningless to other hosts, and no definition forwards them: they would choose the virtual host of a
// call, or how its answer has to be read.
var ofConnection = map[string]bool{
	"Host": true, "Connection": true, "Proxy-Connection": true, "Keep-Alive": true, "Te": true, "Trailer": true,
	"Transfer-Encoding": true, "Upgrade": true, "Proxy-Authenticate": true, "Proxy-Authorization": true, "Expect": true,
	"Content-Length": true, "Content-Encoding": true, "Accept-Encoding": true, "Http2-Settings": true,
}

// isOfConnection reports whether a header is about the client's connection alone. connection is
// the client's header Connection, which names more of them.
func isOfConnection(name, connection string) bool {
	if ofConnection[name] || strings.HasPrefix(name, "Sec-Websocket-") { // of a WebSocket's handshake
		return true
	}
	for option := range strings.SplitSeq(connection, ",") {
		if strings.EqualFold(strings.TrimSpace(option), name) {
			return true
		}
	}
	return false
}

// PassesOn reports whether a client's header of that name, spelt canonically, is passed on.
// connection is the client's header Connection.
func PassesOn(name, connection string) bool {
	return !describing[name] && !isOfConnection(name, connection)
}

// Forwarded are the headers of a client that a call forwards when its definition asks for it, with
// X-Forwarded-* for those of which only the values are sent. Session variables are not among them. The
// names of client are in any case.
func Forwarded(client map[string]string) http.Header {
	return ForwardedBut(client, describing)
}

// ForwardedBut is Forwarded for a definition with a list of its own, by canonical name. Headers of the
// connection are omitted whatever the list contains.
func ForwardedBut(client map[string]string, ignored map[string]bool) http.Header {
	passed := make(http.Header, len(client))
	connection := ""
	for name, value := range client {
		if strings.EqualFold(name, "Connection") {
			connection = value
		}
	}
	for name, value := range client {
		name = textproto.CanonicalMIMEHeaderKey(name)
		if !ignored[name] && !isOfConnection(name, connection) && !strings.HasPrefix(strings.ToLower(name), session.Prefix) {
			passed.Set(name, value)
		}
	}
	// Last, and so overriding the client's own.
	for name, value := range client {
		switch name = textproto.CanonicalMIMEHeaderKey(name); name {
		case "Host", "User-Agent", "Origin":
			passed.Set("X-Forwarded-"+name, value)
		}
	}
	return passed
}

// Headers are those of a call with a JSON body: the forwarded ones, the engine's own, and the
// configured ones. Which take precedence depends on the configuration.
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
