package egress

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
)

// Kind is what went wrong.
type Kind int

// The kinds.
const (
	// InvalidURL is an address that is no http or https URL.
	InvalidURL Kind = iota
	// InvalidHeader is a header that HTTP can't carry.
	InvalidHeader
	// Refused is an address that the configuration refuses.
	Refused
	// ConnectionTimeout is a connection that took too long.
	ConnectionTimeout
	// ConnectionFailed is any other fault of a connection, with a reason.
	ConnectionFailed
	// TLSFailed is a handshake or a certificate that is not in order.
	TLSFailed
	// ConnectionClosed is a connection that ended before the answer did.
	ConnectionClosed
	// ResponseTimeout is an answer that took too long.
	ResponseTimeout
	// TooManyRedirects is a chain that is too long.
	TooManyRedirects
	// TooLarge is an answer that is too long.
	TooLarge
	// NotWebSocket is a server that doesn't open a WebSocket.
	NotWebSocket
	// NoHandler is a URL that names code which this build doesn't have.
	NoHandler
	// Cancelled: the caller gave up.
	Cancelled
)

// Error is a call without an answer. Its text holds nothing of the address, of headers or of
// bodies.
type Error struct {
	Kind   Kind
	detail string
	limit  int
	cause  error
}

// Error is the message in the words of the wire format.
func (e *Error) Error() string {
	switch e.Kind {
	case InvalidURL:
		return "Invalid URL"
	case InvalidHeader:
		return "Invalid header"
	case Refused:
		return "Connection failure: the address is refused by the configuration of this server"
	case ConnectionTimeout:
		return "Connection timeout"
	case ConnectionFailed:
		return "Connection failure: " + e.detail
	case TLSFailed:
		return "Connection failure: TLS: " + e.detail
	case ConnectionClosed:
		return "No response data received"
	case ResponseTimeout:
		return "Response timeout"
	case TooManyRedirects:
		return "Too many redirects: " + strconv.Itoa(e.limit+1) + " redirects"
	case NotWebSocket:
		return "Connection failure: no WebSocket was opened, the server answered with status " + strconv.Itoa(e.limit)
	case NoHandler:
		return e.detail
	case TooLarge:
		return fmt.Sprintf("Internal error: the response is larger than %d bytes", e.limit)
	}
	return "Internal error: the call was cancelled"
}

// Unwrap is the cause. Its text may hold secrets: compare it, don't show it.
func (e *Error) Unwrap() error { return e.cause }

// Type is the kind of the error as the wire format spells it in transport errors.
func (e *Error) Type() string {
	if e.Kind == InvalidURL {
		return "invalid_url"
	}
	return "http_exception"
}

// failure translates an error of net/http. connected tells a slow answer from a slow connection.
func failure(ctx context.Context, err error, connected bool) *Error {
	var e *Error
	if errors.As(err, &e) { // of a redirect
		return e
	}
	kind, detail := classify(ctx, err, connected)
	return &Error{Kind: kind, detail: detail, cause: err}
}

func classify(ctx context.Context, err error, connected bool) (Kind, string) {
	if errors.Is(err, errRefused) {
		return Refused, ""
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return Cancelled, ""
	}
	if detail := tlsDetail(err); detail != "" {
		return TLSFailed, detail
	}
	var timeout net.Error
	if errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout() {
		if connected {
			return ResponseTimeout, ""
		}
		return ConnectionTimeout, ""
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) {
		return ConnectionClosed, ""
	}
	var dns *net.DNSError
	var errno syscall.Errno
	switch {
	case errors.As(err, &dns):
		return ConnectionFailed, "the name of the host can't be resolved"
	case errors.As(err, &errno):
		return ConnectionFailed, errno.Error()
	}
	return ConnectionFailed, "the answer is not HTTP, or the connection broke"
}

// tlsDetail is "" for errors unrelated to TLS. The texts of crypto/x509 name hosts, so they are not
// used.
func tlsDetail(err error) string {
	var (
		authority x509.UnknownAuthorityError
		name      x509.HostnameError
		invalid   x509.CertificateInvalidError
		record    tls.RecordHeaderError
		alert     tls.AlertError
		verify    *tls.CertificateVerificationError
	)
	switch {
	case errors.As(err, &authority):
		return "the certificate is signed by an unknown authority"
	case errors.As(err, &name):
		return "the certificate is for another host"
	case errors.Is(err, errExpired), errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "the certificate is out of its dates"
	case errors.As(err, &invalid), errors.As(err, &verify):
		return "the certificate is not valid"
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		return "the server doesn't speak TLS"
	case errors.As(err, &alert):
		return alert.Error()
	}
	return ""
}

// checkHeader finds headers that HTTP can't carry.
func checkHeader(header http.Header) error {
	for name, values := range header {
		if name == "" || strings.ContainsFunc(name, func(r rune) bool { return !isToken(r) }) {
			return &Error{Kind: InvalidHeader}
		}
		for _, value := range values {
			if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
				return &Error{Kind: InvalidHeader}
			}
		}
	}
	return nil
}

func isToken(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", r)
}
