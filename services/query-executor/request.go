package queryexecutor

import (
	"time"

	"google.golang.org/protobuf/proto"

	"queryengine/pkg/apierror"
	"queryengine/pkg/session"
	"queryengine/services/query-executor/internal/budget"
	"queryengine/services/query-executor/internal/parse"
	"queryengine/services/query-executor/internal/planned"
	"queryengine/services/query-executor/internal/querylog"
)

// request is one operation that a client asks for.
type request struct {
	session    *session.Session
	text       string
	operation  string
	variables  []byte
	minVersion int64
	relay      bool
	// readOnly refuses mutations, and what functions, native queries and views write.
	readOnly bool
	// writesNothing has queries run as readOnly that call no volatile functions. With readOnly, others are refused.
	writesNothing bool
	// clientHeaders are what webhooks may be shown of the client's request.
	clientHeaders map[string]string
	// id is the client's request ID.
	id string
	// anyQuery reports whether the allow list doesn't count.
	anyQuery bool
	// describe reports whether a description of the operation is wanted; prepare then sets hash. Others
	// use shapeHash.
	describe bool
	hash     string
	// planned is when there was a plan; only set when the operation is logged.
	planned time.Time
	// live reports whether the operation is a subscription.
	live bool
	// parsed is the operation, once it is known, and values those of its variables.
	parsed *parse.Operation
	values [][]byte
}

// shapeHash is the hash of the operation, which is parsed. It is made once.
func (q *request) shapeHash() string {
	if q.hash == "" {
		q.hash = q.parsed.Hash(q.values)
	}
	return q.hash
}

// budget is what may be done for the request: to plan it, and, with another one, to run it.
// Whether a plan is found or made is no matter of the request's.
func (q *request) budget() budget.Budget { return budget.New(len(q.text) + len(q.variables)) }

// logged describes the operation for the log.
func (q *request) logged() *querylog.Operation {
	return &querylog.Operation{ID: q.id, Name: q.operation, Text: q.text, Variables: q.variables, Parsed: q.parsed}
}

// ready is an operation that can be run.
type ready struct {
	state *state
	plan  *planned.Plan
	// cached is the directive of an operation whose answer may come from the cache, nil for
	// any other.
	cached *parse.Directive
}

func unexpectedRequest(m proto.Message) error {
	return apierror.Newf(apierror.Unexpected, "unexpected request %T", m)
}
