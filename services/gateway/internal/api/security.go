package api

import (
	"net/http"
	"strconv"
	"time"
)

// The values are shared by all answers, and never written to.
var (
	// noSniff keeps browsers from guessing another type than the declared one.
	noSniff = []string{"nosniff"}
	// noReferrer keeps addresses, which may hold values of variables, from other servers.
	noReferrer = []string{"no-referrer"}
	// noFrame is for browsers that don't know frame-ancestors.
	noFrame = []string{"DENY"}
	// dataOnly is for answers that are no pages: if a browser is made to show one, nothing of
	// it loads or runs anything.
	dataOnly = []string{"default-src 'none'; frame-ancestors 'none'"}
)

// secure adds what browsers have to know of an answer. HSTS goes over TLS only, as browsers ask.
func (a *API) secure(h http.Header, r *http.Request) {
	h["X-Content-Type-Options"] = noSniff
	h["Referrer-Policy"] = noReferrer
	h["X-Frame-Options"] = noFrame
	h["Content-Security-Policy"] = dataOnly
	if r.TLS != nil && a.strictTransport != nil {
		h["Strict-Transport-Security"] = a.strictTransport
	}
}

// strictTransport is the header that tells browsers to use TLS for that long, nil for none.
func strictTransport(maxAge time.Duration) []string {
	if maxAge <= 0 {
		return nil
	}
	return []string{"max-age=" + strconv.Itoa(int(maxAge.Seconds()))}
}
