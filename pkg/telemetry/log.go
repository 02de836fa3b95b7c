package telemetry

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/trace"

	"queryengine/pkg/jsontext"
	"queryengine/pkg/logtype"
)

const (
	// gather is how long frequent lines wait for others.
	gather = 50 * time.Millisecond
	// enough is how many bytes of lines are written without waiting for more.
	enough = 256 << 10
	// capacity is how many bytes of lines may wait.
	capacity = 8 << 20
	// keepLines is the largest buffer that is kept for the next lines.
	keepLines = 1 << 20
)

// Log is where all lines of a process pass, on their way to one output. It is safe for
// concurrent use.
type Log struct {
	out   io.Writer
	level slog.Level
	// text is set before the first line.
	text  bool
	types []string
	tee   atomic.Pointer[func(Line)]

	mu      sync.Mutex
	lines   []byte
	dropped int
	waiting bool // the timer will come
	hurried bool // it has to come at once
	timer   *time.Timer

	writing sync.Mutex // never taken while mu is held
	spare   []byte
}

// Line is what a tee gets. Detail is the line's detail as JSON; it is valid during the call only.
type Line struct {
	Time   time.Time
	Level  slog.Level
	Type   logtype.Type
	Detail []byte
	// Span is that of the work which the line is about; it may be invalid.
	Span trace.SpanContext
}

// Detail is the content of a line.
type Detail interface {
	// AppendDetail appends a JSON object without line breaks.
	AppendDetail(b []byte) []byte
}

// NewLog returns a Log that writes to w. level is debug, info, warn or error; of the types
// that the settings select only those in types are written.
func NewLog(w io.Writer, level string, types []string) (*Log, error) {
	l := &Log{out: w, types: types}
	if err := l.level.UnmarshalText([]byte(level)); err != nil {
		return nil, fmt.Errorf("log level: %w", err)
	}
	l.timer = time.AfterFunc(time.Hour, l.Flush)
	l.timer.Stop()
	return l, nil
}

// SetFormat chooses how lines are written, before the first one. It is JSON by default.
func (l *Log) SetFormat(f Format) { l.text = f.For(l.out) == FormatText }

// Logger returns the logger of a service of the process.
func (l *Log) Logger(service string) *slog.Logger {
	return slog.New(&handler{log: l, kind: logtype.Unstructured, service: service})
}

// SetTee passes every line that is written to f as well, nil for none. f must not block, nor log.
func (l *Log) SetTee(f func(Line)) {
	if f == nil {
		l.tee.Store(nil)
		return
	}
	l.tee.Store(&f)
}

// enabled reports whether lines of a type are written at all.
func (l *Log) enabled(t logtype.Type) bool {
	row := logtype.Of(t)
	if !row.Selectable {
		return true
	}
	return slices.Contains(l.types, string(t)) || row.Alias != "" && slices.Contains(l.types, row.Alias)
}

// add adds a line to those that wait.
func (l *Log) add(ctx context.Context, now time.Time, level slog.Level, t logtype.Type, d Detail) {
	line := Line{Time: now, Level: level, Type: t, Span: trace.SpanContextFromContext(ctx)}
	l.append(&line, d)
	if !logtype.Of(t).Frequent {
		l.Flush()
	}
}

func (l *Log) append(line *Line, d Detail) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.lines) > capacity {
		l.dropped++
		return
	}
	if l.dropped > 0 {
		dropped := leftOut(l.dropped)
		l.dropped = 0
		l.encode(&Line{Time: line.Time, Level: slog.LevelWarn, Type: logtype.Unstructured}, dropped)
	}
	l.encode(line, d)
	switch {
	case !l.waiting:
		l.waiting = true
		l.timer.Reset(gather)
	case !l.hurried && len(l.lines) > enough:
		l.hurried = true
		l.timer.Reset(0)
	}
}

func (l *Log) encode(line *Line, d Detail) {
	if l.text {
		l.encodeText(line, d)
		return
	}
	b := l.lines
	b = append(b, `{"timestamp":"`...)
	b = line.Time.AppendFormat(b, "2006-01-02T15:04:05.000-0700")
	b = append(append(b, `","level":"`...), levelName(line.Level)...)
	b = append(append(append(b, `","type":"`...), line.Type...), `","detail":`...)
	start := len(b)
	b = d.AppendDetail(b)
	line.Detail = b[start:len(b):len(b)]
	l.teeTo(line)
	if line.Span.IsValid() {
		trace, span := line.Span.TraceID(), line.Span.SpanID()
		b = appendHex(append(b, `,"trace_id":"`...), trace[:])
		b = appendHex(append(b, `","span_id":"`...), span[:])
		b = append(b, '"')
	}
	b = append(b, "}\n"...)
	l.lines = b
}

// encodeText is encode for people.
func (l *Log) encodeText(line *Line, d Detail) {
	line.Detail = d.AppendDetail(nil)
	l.teeTo(line)
	if !hidden(line, l.level) {
		l.lines = appendText(l.lines, line)
	}
}

func (l *Log) teeTo(line *Line) {
	if tee := l.tee.Load(); tee != nil {
		(*tee)(*line)
	}
}

// Flush writes the lines that wait.
func (l *Log) Flush() {
	l.writing.Lock()
	defer l.writing.Unlock()
	l.mu.Lock()
	lines := l.lines
	l.lines, l.spare, l.waiting, l.hurried = l.spare[:0], nil, false, false
	l.mu.Unlock()
	if len(lines) > 0 {
		_, _ = l.out.Write(lines) // there is nowhere to report it
	}
	if cap(lines) <= keepLines {
		l.spare = lines
	}
}

// LevelCritical is for faults that persist.
const LevelCritical = slog.LevelError + 4

func levelName(l slog.Level) string {
	switch {
	case l >= LevelCritical:
		return "critical"
	case l >= slog.LevelError:
		return "error"
	case l >= slog.LevelWarn:
		return "warn"
	case l >= slog.LevelInfo:
		return "info"
	}
	return "debug"
}

func appendHex(b, id []byte) []byte {
	const digits = "0123456789abcdef"
	for _, c := range id {
		b = append(b, digits[c>>4], digits[c&15])
	}
	return b
}

// leftOut is the number of lines that were left out.
type leftOut int

func (n leftOut) AppendDetail(b []byte) []byte {
	b = append(b, `{"message":`...)
	b = jsontext.AppendString(b, strconv.Itoa(int(n))+" lines were left out because the output could not keep up")
	return append(b, '}')
}
