package api

import (
	"context"
	"log/slog"
	"maps"
	"net/http"
	"runtime/debug"
	"slices"
	"time"

	"google.golang.org/protobuf/proto"

	"queryengine/pkg/apierror"
	"queryengine/pkg/session"
	metadatav1 "queryengine/proto/metadata/v1"
	queryv1 "queryengine/proto/query/v1"
	"queryengine/services/gateway/internal/accesslog"
	"queryengine/services/gateway/internal/reply"
	"queryengine/services/gateway/internal/request"
)

// jsonType is the content type of every answer that is not text.
const jsonType = "application/json; charset=utf-8"

// exchange is one request and its answer. It is the bus.Sink of the answer. Exchanges are
// used again, with their buffers.
type exchange struct {
	api     *API
	w       http.ResponseWriter
	r       *http.Request
	ctx     context.Context //nolint:containedctx // an exchange lives as long as its context
	errors  errorShape
	stream  *reply.Stream
	body    []byte
	session *session.Session
	// expires is when the session ends, zero for never.
	expires time.Time

	requestID string
	mode      accesslog.Mode
	failure   *apierror.Error
	// operations are the answered ones: one, or all of a batch.
	operations []request.Description
	aborted    bool
	caching    caching

	// The rest is for the log. asked is logged as the query, unreadable is a body that is not a
	// request.
	asked      accesslog.Query
	request    request.GraphQL
	unreadable []byte
	batch      []accesslog.Operation
	entry      accesslog.Entry

	started  time.Time
	received time.Time // when the body was complete
}

func newExchange(a *API) *exchange {
	return &exchange{api: a, stream: reply.NewStream(&a.compressor)}
}

func (x *exchange) begin(w http.ResponseWriter, r *http.Request, shape errorShape) {
	body, operations := x.body[:0], x.operations[:0]
	if cap(body) > keepBody {
		body = nil
	}
	*x = exchange{api: x.api, w: w, r: r, errors: shape, stream: x.stream, body: body, operations: operations, mode: accesslog.ModeNonGraphQL, started: time.Now()}
	x.received = x.started
	x.requestID = requestID(r)
	x.ctx = r.Context()
	x.stream.Reset(w, reply.Accept(r.Header["Accept-Encoding"]))
}

// run answers the request with h.
func (x *exchange) run(h handler) {
	a := x.api
	header := x.w.Header()
	if a.CORS.Apply(header, x.r) {
		x.w.WriteHeader(http.StatusNoContent)
		x.stream.SetStatus(http.StatusNoContent)
		return
	}
	a.secure(header, x.r)
	header["X-Request-Id"] = []string{x.requestID}
	header["Content-Type"] = jsonTypes
	if end := x.trace(); end != nil {
		defer end()
	}
	defer x.recover()
	if err := h(x); err != nil {
		x.fail(err)
		return
	}
	x.validate()
	if err := x.stream.Close(); err != nil {
		x.abort(err)
	}
}

// jsonTypes is shared by all answers, and never written to.
var jsonTypes = []string{jsonType}

// end frees what the exchange holds, and reports it.
func (x *exchange) end() {
	x.stream.Abandon()
	a := x.api
	a.Metrics.add(x)
	x.log()
	x.w, x.r, x.ctx, x.session, x.batch = nil, nil, nil, nil, nil
	clear(x.operations)
	a.exchanges.Put(x)
}

// authenticate authenticates the caller. body is the GraphQL request, nil where there is none.
func (x *exchange) authenticate(body []byte) error {
	header := x.r.Header
	if x.api.Authenticator.AsksWebhook() && x.r.Host != "" {
		header = maps.Clone(header)
		header["Host"] = []string{x.r.Host} // net/http keeps it elsewhere
	}
	identity, err := x.api.Authenticator.Authenticate(x.ctx, header, body)
	if err != nil {
		return err
	}
	x.session, x.expires = identity.Session, identity.Expires
	for _, cookie := range slices.Backward(identity.Cookies) {
		x.w.Header().Add("Set-Cookie", cookie) // the last first, as the wire format has it
	}
	return nil
}

// authenticateAndRead does both in the order that refuses unauthenticated callers at the least cost.
func (x *exchange) authenticateAndRead() ([]byte, error) {
	if !x.api.Authenticator.WantsBody(x.r.Header) {
		if err := x.authenticate(nil); err != nil {
			return nil, err
		}
		return x.readBody()
	}
	body, err := x.readBody()
	if err != nil {
		return nil, err
	}
	return body, x.authenticate(request.Canonical(body, x.api.stored))
}

// authenticateAdmin is authenticate for endpoints that only admin may use.
func (x *exchange) authenticateAdmin() error {
	if err := x.authenticate(nil); err != nil {
		return err
	}
	if !x.session.IsAdmin() {
		return apierror.New(apierror.AccessDenied, "You have to be an admin to access this endpoint").WithStatus(http.StatusBadRequest)
	}
	return nil
}

// Head takes what comes in front of an answer.
func (x *exchange) Head(m proto.Message) error {
	switch h := m.(type) {
	case *queryv1.ExecuteHead:
		x.describe(request.Describe(h))
		age := ""
		for _, f := range h.GetHeaders() {
			if x.caching.on && f.GetName() == "Cache-Control" {
				age = f.GetValue()
				continue
			}
			x.w.Header().Add(f.GetName(), f.GetValue())
		}
		if x.caching.on {
			x.setCaching(h, age)
		}
	case *metadatav1.ApplyHead:
		if h.GetModified() {
			return x.awaitChange(h.GetResourceVersion())
		}
	case *metadatav1.DumpHead:
		x.w.Header().Set("Content-Type", dumpType)
	}
	return nil
}

// describe notes the executor's description of the operation that is answered, or of the next one of a
// batch.
func (x *exchange) describe(d request.Description) { x.operations = append(x.operations, d) }

// hash is the parameterized query hash of an exchange with one operation, "" for none.
func (x *exchange) hash() string {
	if len(x.operations) != 1 || x.mode == accesslog.ModeBatched {
		return ""
	}
	return x.operations[0].Hash
}

// Write takes the next piece of an answer.
func (x *exchange) Write(p []byte) (int, error) { return x.stream.Write(p) }

// send makes body the answer.
func (x *exchange) send(contentType string, status int, body []byte) {
	x.w.Header().Set("Content-Type", contentType)
	x.stream.SetStatus(status)
	x.stream.Hold(append(x.stream.Held()[:0], body...))
}

// fail answers with an error, as long as nothing else was sent.
func (x *exchange) fail(err error) {
	e := apierror.From(err)
	// net/http takes a client that sends too slowly for one that is gone; it may still
	// read.
	gone := x.r.Context().Err() != nil && e.Status != http.StatusRequestTimeout
	if x.stream.Started() || gone {
		x.abort(err)
		return
	}
	x.failure = e
	if x.caching.on {
		x.w.Header().Set("Cache-Control", noStore)
	}
	setRetryAfter(x.w.Header(), e)
	x.stream.SetStatus(x.api.status(x.errors, e))
	body := x.stream.Held()[:0]
	if x.errors == apiErrors {
		body = reply.AppendAPIError(body, e, x.seesInternal())
	} else {
		body = reply.AppendGraphQLError(body, e, x.seesInternal())
	}
	x.stream.Hold(body)
	if err := x.stream.Close(); err != nil {
		x.abort(err)
	}
}

// limitTime gives what follows the time that a request may take, until stop is called.
func (x *exchange) limitTime() (stop func()) {
	if x.api.RequestTimeout == 0 {
		return func() {}
	}
	outer := x.ctx
	limited, cancel := x.api.deadlines.WithTimeout(outer, x.api.RequestTimeout)
	x.ctx = limited
	return func() {
		x.ctx = outer
		cancel(nil)
	}
}

// seesInternal reports whether the caller may see the internal part of errors.
func (x *exchange) seesInternal() bool {
	if x.session == nil {
		return false // authentication failed
	}
	return x.api.DevMode || x.api.AdminInternalErrors && x.session.IsAdmin()
}

// abort gives up an answer of which a part was sent, or whose client is gone.
func (x *exchange) abort(err error) {
	x.aborted = true
	x.failure = apierror.From(err)
	level := slog.LevelWarn
	if x.r.Context().Err() != nil {
		level = slog.LevelDebug // the client's own doing
	}
	x.api.Log.Log(x.ctx, level, "answer was truncated", "request_id", x.requestID, "error", err)
}

// recover turns a crash of a handler into an error of its request.
func (x *exchange) recover() {
	fault := recover()
	if fault == nil {
		return
	}
	x.api.logs.faults.ErrorContext(x.ctx, "a request crashed", "request_id", x.requestID, "fault", fault, "stack", string(debug.Stack()))
	x.session = nil // nothing internal leaves
	x.fail(apierror.New(apierror.Unexpected, "Internal Server Error"))
}
