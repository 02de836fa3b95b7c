package api

import (
	"context"
	"net/http"
	"time"

	"google.golang.org/protobuf/proto"

	"queryengine/pkg/apierror"
	"queryengine/pkg/bus"
	"queryengine/pkg/session"
	queryv1 "queryengine/proto/query/v1"
	"queryengine/services/gateway/internal/accesslog"
	"queryengine/services/gateway/internal/limits"
	"queryengine/services/gateway/internal/reply"
	"queryengine/services/gateway/internal/request"
)

func newExecuteHead() proto.Message { return &queryv1.ExecuteHead{} }

// graphqlHandler answers GraphQL requests and batches of them.
func graphqlHandler(relay bool) handler {
	return func(x *exchange) error {
		x.mode = accesslog.ModeError
		if err := x.strictly(); err != nil {
			return err
		}
		text, err := x.authenticateAndRead()
		if err != nil {
			return err
		}
		body, err := request.ReadBody(text)
		if err != nil {
			x.unreadable = text
			return err
		}
		if body.IsBatch() {
			x.mode = accesslog.ModeBatched
			return x.executeBatch(body, relay)
		}
		r, err := body.Single()
		if err != nil {
			x.unreadable = text
			return err
		}
		x.mode = accesslog.ModeSingle
		err = x.api.findDocument(x.session, &r)
		x.asks(r)
		if err != nil {
			return err
		}
		if wantsEvents(x.r.Header, r) {
			return x.events(r, relay)
		}
		return x.execute(r, relay, x)
	}
}

// findDocument gives a request of a session the text of the document that it names.
func (a *API) findDocument(of *session.Session, r *request.GraphQL) error {
	if !r.Document.Named() {
		return nil
	}
	current, err := a.current()
	if err != nil {
		return err
	}
	return a.documents.Find(current.Document, of, r)
}

// stored is findDocument for the documents of collections, for a caller that isn't known yet.
func (a *API) stored(r *request.GraphQL) {
	if !r.Document.Named() {
		return
	}
	if current, err := a.current(); err == nil {
		a.documents.Stored(current.Document, r)
	}
}

func (x *exchange) execute(r request.GraphQL, relay bool, sink bus.Sink) error {
	if x.r.Method == http.MethodGet {
		// Any page may have a browser send it, with the browser's cookies: it must change nothing.
		r.ReadOnly = true
	}
	defer x.limitTime()()
	return x.api.limited(x.ctx, x.session, accesslog.ClientIP(x.r), r.OperationName, x.requestID, func(ctx context.Context) error {
		headers := x.api.clientHeaders(x.r.Header, x.r.Host)
		asked, err := x.api.executeRequest(x.session, r, relay, x.requestID, headers)
		if err != nil {
			return err
		}
		if err = x.api.Bus.Call(ctx, executeEndpoint(r), asked, newExecuteHead, sink); err == nil {
			x.api.documents.Keep(x.session, &r)
		}
		return err
	})
}

// executeEndpoint is where a request is sent to. Queries may be carried out twice: one whose
// executor is lost is tried elsewhere.
func executeEndpoint(r request.GraphQL) bus.Endpoint {
	if r.ReadOnly || request.Kind(r.Query, r.OperationName) == "query" {
		return bus.QueryExecute.Again()
	}
	return bus.QueryExecute
}

// executeRequest is the request to an executor. It fails as current does.
func (a *API) executeRequest(s *session.Session, r request.GraphQL, relay bool, id string, clientHeaders map[string]string) (*queryv1.ExecuteRequest, error) {
	version, err := a.MinVersion()
	if err != nil {
		return nil, err
	}
	return &queryv1.ExecuteRequest{
		Session:       s.Proto(),
		Query:         r.Query,
		OperationName: r.OperationName,
		Variables:     r.Variables,
		MinVersion:    version,
		Relay:         relay,
		RequestId:     id,
		ClientHeaders: clientHeaders,
		ReadOnly:      r.ReadOnly,
		WritesNothing: r.WritesNothing,
		Describe:      a.logs.describe || a.Tracing.On(),
	}, nil
}

// maxBatch is how many requests a batch may have, for every caller and whatever the metadata allows: a
// request of some megabytes could contain a million of them.
const maxBatch = 1000

// executeBatch runs the requests of a batch one after the other. One that fails takes
// nothing but its own place in the answer.
func (x *exchange) executeBatch(body request.Body, relay bool) error {
	size := body.Len()
	if size > maxBatch {
		return limits.BatchExceeded(size, maxBatch)
	}
	if err := x.api.limitsOf(x.session).Batch(size); err != nil {
		return x.api.refused(x.ctx, x.session, "", x.requestID, err)
	}
	// The members share the time of one request. Those that it doesn't last for fail alone:
	// what others have written is reported.
	defer x.limitTime()()
	ctx, finish := x.api.limitsOf(x.session).Time(x.ctx)
	defer func() { _ = finish(nil) }() // each member has its own error
	x.ctx = ctx
	_, _ = x.Write([]byte{'['}) // it is held back
	err := body.Batch(func(i int, r request.GraphQL, err error) error {
		if i > 0 {
			if _, err := x.Write([]byte{','}); err != nil {
				return err
			}
		}
		sink := &batchSink{x: x, start: len(x.stream.Held())}
		started := time.Now()
		if err == nil {
			err = x.api.findDocument(x.session, &r)
		}
		if err == nil {
			err = x.execute(r, relay, sink)
		}
		x.describe(sink.about)
		if err == nil {
			x.logOperation(r, sink, started, nil)
			return nil
		}
		x.logOperation(r, sink, started, apierror.From(err))
		return sink.fail(err)
	})
	if err != nil {
		return err
	}
	_, err = x.Write([]byte{']'})
	return err
}

// batchSink takes the answer of one request of a batch.
type batchSink struct {
	x     *exchange
	start int  // where the answer begins in what is held back
	wrote bool // a part of it has been written
	size  int64
	about request.Description
}

// Head leaves out the response headers of single requests.
func (s *batchSink) Head(m proto.Message) error {
	s.about = request.Describe(m)
	return nil
}

func (s *batchSink) Write(p []byte) (int, error) {
	s.wrote = true
	s.size += int64(len(p))
	return s.x.Write(p)
}

// fail replaces the answer by an error, unless a part of the answer was sent already or the client is
// gone.
func (s *batchSink) fail(err error) error {
	x := s.x
	if s.wrote && x.stream.Started() || x.r.Context().Err() != nil {
		return err
	}
	e := apierror.From(err)
	x.failure = e
	if !x.stream.Started() {
		x.stream.Hold(x.stream.Held()[:s.start])
	}
	_, err = x.Write(reply.AppendGraphQLError(nil, e, x.seesInternal()))
	return err
}
