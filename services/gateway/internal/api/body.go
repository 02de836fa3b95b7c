package api

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"queryengine/pkg/apierror"
	"queryengine/pkg/jsontext"
)

const (
	// firstRead is the size of the first buffer for a body.
	firstRead = 4 << 10
	// keepBody is the largest buffer that is kept for the next request.
	keepBody = 1 << 20
	// trustLength is the largest body whose buffer is allocated at once, by the length that the client
	// declares.
	trustLength = 1 << 20
)

// readBody reads the body of the request into the exchange. A client that sends slowly has
// Timeout for it.
func (x *exchange) readBody() ([]byte, error) {
	a := x.api
	if x.r.ContentLength > int64(a.MaxRequestSize) {
		return nil, a.tooLarge()
	}
	x.setReadDeadline(time.Now().Add(a.Timeout))
	size := min(max(firstRead, int(x.r.ContentLength)+1), trustLength)
	x.body = slices.Grow(x.body[:0], size)
	for {
		n, err := x.r.Body.Read(x.body[len(x.body):cap(x.body)])
		x.body = x.body[:len(x.body)+n]
		switch {
		case len(x.body) > a.MaxRequestSize:
			return nil, a.tooLarge()
		case errors.Is(err, io.EOF):
			x.received = time.Now()
			// Left in place, it would end requests that take longer than that to answer.
			x.setReadDeadline(time.Time{})
			return x.body, nil
		case errors.Is(err, os.ErrDeadlineExceeded):
			return nil, apierror.New(apierror.Timeout, "the request took too long to come").WithStatus(http.StatusRequestTimeout)
		case err != nil:
			return nil, apierror.New(apierror.BadRequest, "the request could not be read").WithInternal(err.Error())
		case len(x.body) == cap(x.body):
			x.body = slices.Grow(x.body, len(x.body))
		}
	}
}

// setReadDeadline bounds the reading of the body, where the server can.
func (x *exchange) setReadDeadline(t time.Time) {
	if d, ok := x.w.(interface{ SetReadDeadline(t time.Time) error }); ok && x.api.Timeout > 0 {
		_ = d.SetReadDeadline(t) // fails on a connection that is gone: reading says so
	}
}

func (a *API) tooLarge() error {
	return apierror.Newf(apierror.BadRequest, "the request body is larger than %d bytes", a.MaxRequestSize).
		WithStatus(http.StatusRequestEntityTooLarge)
}

// maxRequestID is how many bytes of a client's id are kept: it is in every line of the log.
const maxRequestID = 128

// requestID is the beginning of the id that the client gave its request, else a new one.
func requestID(r *http.Request) string {
	if v := r.Header["X-Request-Id"]; len(v) > 0 && v[0] != "" {
		return jsontext.Cut(strings.ToValidUTF8(v[0], "\uFFFD"), maxRequestID)
	}
	return newUUID()
}

// newUUID is a random UUID, version 4.
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	var s [36]byte
	hex.Encode(s[:8], b[:4])
	hex.Encode(s[9:13], b[4:6])
	hex.Encode(s[14:18], b[6:8])
	hex.Encode(s[19:23], b[8:10])
	hex.Encode(s[24:], b[10:])
	s[8], s[13], s[18], s[23] = '-', '-', '-', '-'
	return string(s[:])
}
