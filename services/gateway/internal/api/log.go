package api

import (
	"log/slog"
	"net/http"
	"slices"
	"time"

	"queryengine/pkg/apierror"
	"queryengine/pkg/logtype"
	"queryengine/pkg/querylog"
	"queryengine/pkg/telemetry"
	"queryengine/services/gateway/internal/accesslog"
	"queryengine/services/gateway/internal/request"
	"queryengine/services/gateway/internal/websocket"
)

// LogSettings configure what the lines about requests show.
type LogSettings struct {
	// QueryOnlyOnError leaves GraphQL requests that succeed out, whatever is logged of them
	// elsewhere.
	QueryOnlyOnError bool
	// MetadataBodies shows requests for metadata in full.
	MetadataBodies bool
	// Masked are the variables whose values are not shown.
	Masked querylog.Mask
}

// logs are the lines that the API writes.
type logs struct {
	access  *telemetry.Stream // nil when requests are not logged
	calls   *telemetry.Stream // of assistants' tools; nil when they are not logged
	limits  *slog.Logger
	faults  *slog.Logger
	sockets websocket.Logging
	// queries reports whether GraphQL requests are shown although they succeed.
	queries bool
	// describe reports whether the hashes of operations are wanted.
	describe bool
}

func newLogs(l *slog.Logger, s LogSettings) logs {
	out := logs{
		access:  telemetry.StreamOf(l, logtype.HTTP),
		calls:   telemetry.StreamOf(l, logtype.Query),
		limits:  telemetry.Of(l, logtype.APILimit),
		faults:  telemetry.Of(l, logtype.Unhandled),
		queries: telemetry.StreamOf(l, logtype.Query) != nil && !s.QueryOnlyOnError,
	}
	out.sockets = websocket.Logging{
		Stream: telemetry.StreamOf(l, logtype.WebSocket), Queries: out.queries, Masked: s.Masked,
	}
	out.describe = out.access.Enabled(slog.LevelInfo) || out.sockets.Stream.Enabled(slog.LevelInfo)
	return out
}

// asks notes the GraphQL request of an exchange.
func (x *exchange) asks(r request.GraphQL) {
	x.request = r
	x.asked = accesslog.Query{GraphQL: &x.request, Mask: x.api.Logging.Masked}
}

// log writes the line of an exchange that has ended.
func (x *exchange) log() {
	a := x.api
	if a.logs.access == nil {
		return
	}
	now := time.Now()
	x.entry = accesslog.Entry{
		RequestID: x.requestID, Request: x.r, Status: x.stream.Status(), Encoding: x.stream.Encoding().String(),
		Mode: x.mode, Raw: x.unreadable, Sent: x.stream.Sent(), Size: x.stream.Size(),
		Read: x.received.Sub(x.started), Executed: now.Sub(x.received),
		Hash: x.hash(), Batch: x.batch, Error: x.failure,
	}
	if x.unreadable != nil && !a.Logging.Masked.Empty() {
		x.entry.Raw = []byte(querylog.Masked) // the places of values in it are unknown
	}
	if x.session != nil {
		x.entry.Variables = x.session.Variables
	}
	if x.failure != nil || x.mode == accesslog.ModeNonGraphQL || a.logs.queries {
		x.entry.Query = x.asked
	}
	a.logs.access.Write(x.ctx, now, x.level(), &x.entry)
	x.entry = accesslog.Entry{}
}

// level is the level of an exchange's line. Probes come every few seconds, and are news only when
// something is wrong.
func (x *exchange) level() slog.Level {
	if x.entry.Status == http.StatusOK && slices.Contains(Probes, x.r.URL.Path) {
		return slog.LevelDebug
	}
	return x.entry.Level()
}

// logOperation notes an operation of a batch for the line of the batch.
func (x *exchange) logOperation(r request.GraphQL, s *batchSink, started time.Time, failure *apierror.Error) {
	a := x.api
	if a.logs.access == nil {
		return
	}
	o := accesslog.Operation{Hash: s.about.Hash, Size: s.size, Executed: time.Since(started), Error: failure}
	if failure != nil || a.logs.queries {
		o.Query = accesslog.Query{GraphQL: &r, Mask: a.Logging.Masked}
	}
	x.batch = append(x.batch, o)
}
