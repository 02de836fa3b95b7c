package queryexecutor

import (
	"context"
	"log/slog"
	"slices"
	"strconv"
	"time"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/jsontext"
	"queryengine/pkg/logtype"
	"queryengine/pkg/querylog"
	"queryengine/pkg/telemetry"
	"queryengine/services/query-executor/internal/execute"
	"queryengine/services/query-executor/internal/live"
	"queryengine/services/query-executor/internal/parse"
)

// queryLog writes lines of the types query-log, one for each thing that an operation asks, and
// execution-log, one for each operation. What is off is nil.
type queryLog struct {
	queries   *telemetry.Stream
	execution *telemetry.Stream
	mask      querylog.Mask
}

func newQueryLog(l *slog.Logger, masked []string) *queryLog {
	out := &queryLog{mask: querylog.NewMask(masked)}
	if s := telemetry.StreamOf(l, logtype.Query); s.Enabled(slog.LevelInfo) {
		out.queries = s
	}
	if s := telemetry.StreamOf(l, logtype.Execution); s.Enabled(slog.LevelInfo) {
		out.execution = s
	}
	return out
}

// The kinds of lines of query-log.
const (
	kindDatabase      = "database"
	kindAction        = "action"
	kindRemoteSchema  = "remote-schema"
	kindCached        = "cached"
	kindIntrospection = "introspection"
)

// asked is a line of query-log. It is a telemetry.Detail.
type asked struct {
	mask querylog.Mask
	q    *request
	kind string
	// field is the root field that sql belongs to, "" when there is none.
	field, sql string
	arguments  [][]byte
	// hidden reports whether the arguments may be made of variables that are masked.
	hidden bool
}

func (a *asked) AppendDetail(b []byte) []byte {
	b = a.mask.AppendRequest(append(b, `{"query":`...), a.q.operation, a.q.text, a.q.variables)
	b = append(b, `,"generated_sql":`...)
	if a.sql == "" {
		b = append(b, "null"...)
	} else {
		b = jsontext.AppendString(append(b, '{'), a.field)
		b = querylog.AppendText(append(b, `:{"query":`...), a.sql)
		b = a.appendArguments(append(b, `,"prepared_arguments":[`...))
		b = append(b, "]}}"...)
	}
	b = jsontext.AppendString(append(b, `,"request_id":`...), a.q.id)
	b = jsontext.AppendString(append(b, `,"kind":`...), a.kind)
	return append(b, '}')
}

func (a *asked) appendArguments(b []byte) []byte {
	for i, argument := range a.arguments {
		if i > 0 {
			b = append(b, ',')
		}
		switch {
		case a.hidden:
			b = jsontext.AppendString(b, querylog.Masked)
		case argument == nil:
			b = append(b, "null"...)
		default:
			b = querylog.AppendText(b, string(argument))
		}
	}
	return b
}

// hides reports whether an operation has variables that are masked. Its arguments are then all
// hidden: what they are made of isn't known any more.
func (l *queryLog) hides(op *parse.Operation) bool {
	return slices.ContainsFunc(op.Variables, func(v *parse.Variable) bool { return l.mask.Hides(v.Name) })
}

func (l *queryLog) write(ctx context.Context, a *asked) {
	l.queries.Write(ctx, time.Now(), slog.LevelInfo, a)
}

// observer is what a run of an operation is to tell, nil for nobody.
func (l *queryLog) observer(q *request) execute.Observer {
	if l.queries == nil {
		return nil
	}
	return &observer{l, q}
}

// cached logs an operation whose answer came from the cache.
func (l *queryLog) cached(ctx context.Context, q *request) {
	if l.queries != nil {
		l.write(ctx, &asked{mask: l.mask, q: q, kind: kindCached})
	}
}

// subscribed logs a subscription that begins. Its polls have lines of their own.
func (l *queryLog) subscribed(ctx context.Context, q *request, s *live.Subscription) {
	if l.queries == nil || s.Live == nil {
		return
	}
	l.write(ctx, &asked{
		mask: l.mask, q: q, kind: kindDatabase,
		field: s.Live.Field, sql: s.Live.Statement.SQL(), arguments: s.Values, hidden: l.hides(q.parsed),
	})
}

// observer logs what one operation asks.
type observer struct {
	log *queryLog
	q   *request
}

// Statement implements execute.Observer.
func (o *observer) Statement(ctx context.Context, field string, s backend.Statement, a backend.Args) {
	line := asked{
		mask: o.log.mask, q: o.q, kind: kindDatabase,
		field: field, sql: s.SQL(), arguments: a.Variables, hidden: o.log.hides(o.q.parsed),
	}
	if p, ok := s.(backend.Parameterized); ok {
		values, err := p.Parameters(a)
		if err != nil {
			return // the statement fails of it, and isn't run
		}
		line.arguments = values
	}
	o.log.write(ctx, &line)
}

// Call implements execute.Observer.
func (o *observer) Call(ctx context.Context, to execute.Callee) {
	kind := kindRemoteSchema
	if to == execute.Action {
		kind = kindAction
	}
	o.log.write(ctx, &asked{mask: o.log.mask, q: o.q, kind: kind})
}

// Introspection implements execute.Observer.
func (o *observer) Introspection(ctx context.Context) {
	o.log.write(ctx, &asked{mask: o.log.mask, q: o.q, kind: kindIntrospection})
}

// executed is a line of execution-log. It is a telemetry.Detail.
type executed struct {
	q *request
	// planned is how long it took until there was a plan, ran how long that ran.
	planned, ran time.Duration
	size         int64
	err          error
}

func (e *executed) AppendDetail(b []byte) []byte {
	b = jsontext.AppendString(append(b, `{"request_id":`...), e.q.id)
	b = append(b, `,"statistics":{"operation_type":`...)
	if e.q.parsed == nil {
		b = append(b, "null"...)
	} else {
		b = jsontext.AppendString(b, string(e.q.parsed.Kind))
	}
	b = strconv.AppendFloat(append(b, `,"planning_time":`...), e.planned.Seconds(), 'f', -1, 64)
	b = strconv.AppendFloat(append(b, `,"execution_time":`...), e.ran.Seconds(), 'f', -1, 64)
	b = strconv.AppendInt(append(b, `,"response_size":`...), e.size, 10)
	if e.err != nil {
		b = jsontext.AppendString(append(b, `,"error_code":`...), string(apierror.From(e.err).Code))
	}
	return append(b, "}}"...)
}

// done logs an operation that has ended.
func (l *queryLog) done(ctx context.Context, q *request, started time.Time, size int64, err error) {
	if l.execution == nil {
		return
	}
	now := time.Now()
	line := executed{q: q, planned: now.Sub(started), size: size, err: err}
	if !q.planned.IsZero() {
		line.planned, line.ran = q.planned.Sub(started), now.Sub(q.planned)
	}
	l.execution.Write(ctx, now, slog.LevelInfo, &line)
}
