package egress

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/propagation"

	"queryengine/pkg/extension"
	"queryengine/pkg/telemetry"
)

// Client makes the calls. It is safe for concurrent use.
type Client struct {
	config Config
	// verified is for hosts whose certificates are verified, trusted for those of the allow
	// list. They share no connection, so that a host that leaves the list is verified from
	// its next call on.
	verified, trusted *http.Transport
	// sockets and trustedSockets are the same for WebSockets.
	sockets, trustedSockets *http.Transport
	allowed                 atomic.Pointer[[]Host]
}

// New makes a client. Errors are about the configuration.
func New(c Config) (*Client, error) {
	proxy, err := c.proxy()
	if err != nil {
		return nil, err
	}
	rule, err := c.rule()
	if err != nil {
		return nil, err
	}
	client := &Client{config: c.withDefaults()}
	if client.config.Propagator == nil {
		client.config.Propagator = telemetry.Propagator()
	}
	client.allowed.Store(&[]Host{})
	client.verified = client.transport(rule, proxy)
	client.trusted = client.transport(rule, proxy)
	client.trusted.TLSClientConfig = trustingTLS()
	client.sockets, client.trustedSockets = client.verified.Clone(), client.trusted.Clone()
	for _, t := range []*http.Transport{client.sockets, client.trustedSockets} {
		t.MaxConnsPerHost, t.ForceAttemptHTTP2 = 0, false
	}
	return client, nil
}

func (c *Client) transport(rule rule, proxy func(*http.Request) (*url.URL, error)) *http.Transport {
	dialer := &net.Dialer{Timeout: c.config.ConnectTimeout, ControlContext: rule.control}
	return &http.Transport{
		Proxy:                  proxy,
		DialContext:            dialer.DialContext,
		TLSHandshakeTimeout:    c.config.ConnectTimeout,
		ForceAttemptHTTP2:      true,
		MaxConnsPerHost:        c.config.Connections,
		MaxIdleConnsPerHost:    c.config.Connections,
		MaxIdleConns:           4 * c.config.Connections,
		IdleConnTimeout:        90 * time.Second,
		ExpectContinueTimeout:  time.Second,
		MaxResponseHeaderBytes: maxHeader,
	}
}

const maxHeader = 1 << 20

// Close closes idle connections.
func (c *Client) Close() {
	c.verified.CloseIdleConnections()
	c.trusted.CloseIdleConnections()
}

// Request is one call.
type Request struct {
	Method string
	URL    string
	Header http.Header
	Body   []byte
	// Timeout bounds the whole call, 0 to leave it to the context.
	Timeout time.Duration
	// MaxResponse is the largest answer in bytes, 0 for that of the configuration.
	MaxResponse int
	// Buffer is memory that the body of the answer may be put into.
	Buffer []byte
}

// Response is an answer, of any status.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// Do makes the call and reads the answer. Its errors are *Error.
func (c *Client) Do(ctx context.Context, r *Request) (*Response, error) {
	if r.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, r.Timeout)
		defer cancel()
	}
	if _, ok := extension.Name(r.URL); ok {
		return c.run(ctx, r)
	}
	var connected atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
	})
	request, err := c.request(ctx, r)
	if err != nil {
		return nil, err
	}
	client := http.Client{Transport: c, CheckRedirect: c.checkRedirect}
	response, err := client.Do(request)
	if err != nil {
		return nil, failure(ctx, err, connected.Load())
	}
	defer func() { _ = response.Body.Close() }()
	limit := r.MaxResponse
	if limit == 0 {
		limit = c.config.MaxResponse
	}
	if response.ContentLength > int64(limit) {
		return nil, &Error{Kind: TooLarge, limit: limit}
	}
	body, err := readBody(r.Buffer[:0], response, limit)
	if err != nil {
		return nil, failure(ctx, err, true)
	}
	if len(body) > limit {
		return nil, &Error{Kind: TooLarge, limit: limit}
	}
	return &Response{Status: response.StatusCode, Header: response.Header, Body: body}, nil
}

// largestGuess is how much of the size that an answer claims is believed before it has come.
const largestGuess = 4 << 20

// readBody reads up to one byte more than the limit.
func readBody(buf []byte, r *http.Response, limit int) ([]byte, error) {
	if size := min(r.ContentLength, largestGuess); size > 0 {
		buf = slices.Grow(buf, int(size)+1) // the end is found by reading on
	}
	from := io.LimitReader(r.Body, int64(limit)+1)
	for {
		if len(buf) == cap(buf) {
			buf = slices.Grow(buf, max(len(buf), minRead))
		}
		n, err := from.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if errors.Is(err, io.EOF) {
			return buf, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// minRead is how much of an answer of an unknown size is read first.
const minRead = 4 << 10

func (c *Client) request(ctx context.Context, r *Request) (*http.Request, error) {
	u, err := url.Parse(r.URL)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, &Error{Kind: InvalidURL, cause: err}
	}
	request, err := http.NewRequestWithContext(ctx, r.Method, r.URL, bytes.NewReader(r.Body))
	if err != nil {
		return nil, &Error{Kind: InvalidURL, cause: err}
	}
	if err := checkHeader(r.Header); err != nil {
		return nil, err
	}
	request.Header = r.Header.Clone()
	if request.Header == nil {
		request.Header = http.Header{}
	}
	if host := request.Header.Get("Host"); host != "" { // net/http takes it from elsewhere
		request.Host = host
	}
	if len(request.Header["User-Agent"]) == 0 {
		request.Header.Set("User-Agent", c.config.UserAgent)
	}
	c.config.Propagator.Inject(ctx, propagation.HeaderCarrier(request.Header))
	return request, nil
}

// RoundTrip sends one request of a call, which may be one that a redirect asked for. It is
// what net/http calls; others call Do.
func (c *Client) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme == "https" && allows(*c.allowed.Load(), r.URL) {
		return c.trusted.RoundTrip(r)
	}
	return c.verified.RoundTrip(r)
}

// checkRedirect ends a chain that is too long, and keeps configured headers, which may be
// secrets, from another host.
func (c *Client) checkRedirect(next *http.Request, before []*http.Request) error {
	if c.config.MaxRedirects == 0 {
		return http.ErrUseLastResponse
	}
	if len(before) > c.config.MaxRedirects {
		return &Error{Kind: TooManyRedirects, limit: c.config.MaxRedirects}
	}
	KeepSecrets(next, before[0].URL)
	return nil
}

// KeepSecrets takes the headers that may be secrets from a request that a redirect asked for,
// when it goes to another host than the first request went to, or leaves TLS. It reports whether
// it does.
func KeepSecrets(next *http.Request, first *url.URL) (foreign bool) {
	if next.URL.Hostname() == first.Hostname() && (next.URL.Scheme == "https" || first.Scheme == "http") {
		return false
	}
	for name := range next.Header {
		if !harmless[name] {
			delete(next.Header, name)
		}
	}
	return true
}

// harmless are the headers that reveal nothing about the caller.
var harmless = map[string]bool{
	"Accept": true, "Accept-Encoding": true, "Content-Type": true, "User-Agent": true,
	"Traceparent": true, "Tracestate": true,
	"X-B3-Traceid": true, "X-B3-Spanid": true, "X-B3-Parentspanid": true, "X-B3-Sampled": true,
}
