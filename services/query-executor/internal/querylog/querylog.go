// Package querylog writes what an executor logs of operations: lines of the types query-log, one
// for each statement, call and introspection that an operation asks for, and execution-log, one
// for each operation.
package querylog

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
	"queryengine/services/query-executor/internal/parse"
)

// Operation is what is logged of an operation.
type Operation struct {
	// ID is the client's request ID.
	ID string
	// Name is the operationName of the request, "" for none.
	Name, Text string
	Variables  []byte
	// Parsed is nil for an operation that could not be parsed.
	Parsed *parse.Operation
}

// Log writes lines of both types. What is off is nil. It is safe for concurrent use.
type Log struct {
	queries   *telemetry.Stream
	execution *telemetry.Stream
	mask      querylog.Mask
}

// New returns a Log that hides the values of the variables with these names.
func New(l *slog.Logger, masked []string) *Log {
	out := &Log{mask: querylog.NewMask(masked)}
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
	op   *Operation
	kind string
	// field is the root field that sql belongs to, "" when there is none.
	field, sql string
	arguments  [][]byte
	// hidden is set when the arguments may be made of variables that are masked.
	hidden bool
}

func (a *asked) AppendDetail(b []byte) []byte {
	b = a.mask.AppendRequest(append(b, `{"query":`...), a.op.Name, a.op.Text, a.op.Variables)
	b = append(b, `,"generated_sql":`...)
	if a.sql == "" {
		b = append(b, "null"...)
	} else {
		b = jsontext.AppendString(append(b, '{'), a.field)
		b = querylog.AppendText(append(b, `:{"query":`...), a.sql)
		b = a.appendArguments(append(b, `,"prepared_arguments":[`...))
		b = append(b, "]}}"...)
	}
	b = jsontext.AppendString(append(b, `,"request_id":`...), a.op.ID)
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
func (l *Log) hides(op *parse.Operation) bool {
	return slices.ContainsFunc(op.Variables, func(v *parse.Variable) bool { return l.mask.Hides(v.Name) })
}

func (l *Log) write(ctx context.Context, a *asked) {
	l.queries.Write(ctx, time.Now(), slog.LevelInfo, a)
}

// LogsQueries reports whether there is a line for each thing that an operation asks for.
func (l *Log) LogsQueries() bool { return l.queries != nil }

// LogsExecution reports whether there is a line for each operation.
func (l *Log) LogsExecution() bool { return l.execution != nil }

// Observer logs what a run of an operation asks for; LogsQueries.
func (l *Log) Observer(op *Operation) execute.Observer { return &observer{log: l, op: op} }

// Cached logs an operation whose answer came from the cache; LogsQueries.
func (l *Log) Cached(ctx context.Context, op *Operation) {
	l.write(ctx, &asked{mask: l.mask, op: op, kind: kindCached})
}

// Subscribed logs a subscription that begins, with the values of its cohort; LogsQueries. Its
// polls have lines of their own.
func (l *Log) Subscribed(ctx context.Context, op *Operation, s *execute.Live, values [][]byte) {
	l.write(ctx, &asked{
		mask: l.mask, op: op, kind: kindDatabase,
		field: s.Field, sql: s.Statement.SQL(), arguments: values, hidden: l.hides(op.Parsed),
	})
}

// observer logs what one operation asks.
type observer struct {
	log *Log
	op  *Operation
}

// Statement implements execute.Observer.
func (o *observer) Statement(ctx context.Context, field string, s backend.Statement, a backend.Args) {
	line := asked{
		mask: o.log.mask, op: o.op, kind: kindDatabase,
		field: field, sql: s.SQL(), arguments: a.Variables, hidden: o.log.hides(o.op.Parsed),
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
	o.log.write(ctx, &asked{mask: o.log.mask, op: o.op, kind: kind})
}

// Introspection implements execute.Observer.
func (o *observer) Introspection(ctx context.Context) {
	o.log.write(ctx, &asked{mask: o.log.mask, op: o.op, kind: kindIntrospection})
}

// Execution is how an operation went.
type Execution struct {
	// Planning is how long it took until there was a plan, Running how long that ran.
	Planning, Running time.Duration
	// Size is the size of the answer, in bytes.
	Size int64
	// Scanned is how many bytes databases read that charge for them.
	Scanned int64
	Err     error
}

// executed is a line of execution-log. It is a telemetry.Detail.
type executed struct {
	op *Operation
	Execution
}

func (e *executed) AppendDetail(b []byte) []byte {
	b = jsontext.AppendString(append(b, `{"request_id":`...), e.op.ID)
	b = append(b, `,"statistics":{"operation_type":`...)
	if e.op.Parsed == nil {
		b = append(b, "null"...)
	} else {
		b = jsontext.AppendString(b, string(e.op.Parsed.Kind))
	}
	b = strconv.AppendFloat(append(b, `,"planning_time":`...), e.Planning.Seconds(), 'f', -1, 64)
	b = strconv.AppendFloat(append(b, `,"execution_time":`...), e.Running.Seconds(), 'f', -1, 64)
	b = strconv.AppendInt(append(b, `,"response_size":`...), e.Size, 10)
	if e.Scanned > 0 {
		b = strconv.AppendInt(append(b, `,"bytes_scanned":`...), e.Scanned, 10)
	}
	if e.Err != nil {
		b = jsontext.AppendString(append(b, `,"error_code":`...), string(apierror.From(e.Err).Code))
	}
	return append(b, "}}"...)
}

// Done logs an operation that ended at a time; LogsExecution.
func (l *Log) Done(ctx context.Context, op *Operation, at time.Time, of Execution) {
	l.execution.Write(ctx, at, slog.LevelInfo, &executed{op: op, Execution: of})
}
