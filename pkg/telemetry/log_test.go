package telemetry_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/trace"

	"queryengine/pkg/apierror"
	"queryengine/pkg/logtype"
	"queryengine/pkg/telemetry"
)

// lines are the lines of a text without their timestamps, which are checked.
func lines(t *testing.T, text string) []string {
	t.Helper()
	var out []string
	for line := range strings.Lines(text) {
		var members map[string]json.RawMessage
		require.NoError(t, json.Unmarshal([]byte(line), &members), line)
		var stamp string
		require.NoError(t, json.Unmarshal(members["timestamp"], &stamp))
		_, err := time.Parse("2006-01-02T15:04:05.000-0700", stamp)
		require.NoError(t, err)
		out = append(out, strings.Replace(strings.TrimSuffix(line, "\n"), `"timestamp":"`+stamp+`",`, "", 1))
	}
	return out
}

func newLog(t *testing.T, w io.Writer, level string, types ...string) *telemetry.Log {
	t.Helper()
	l, err := telemetry.NewLog(w, level, types)
	require.NoError(t, err)
	return l
}

func TestLines(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := newLog(t, &out, "debug", "startup")
	l := log.Logger("gateway")
	ctx := telemetry.WithRequestID(trace.ContextWithSpanContext(t.Context(), trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: trace.TraceID{1, 2, 15: 0xab}, SpanID: trace.SpanID{3, 7: 0xff},
	})), "r-1")

	l.Warn("plain <text>", "error", errors.New(`a "fault"`), "n", 3, "took", 1500*time.Millisecond, "raw", json.RawMessage("{\n\"a\": 1}"))
	l.InfoContext(ctx, "within a request")
	l.With("source", "main").WithGroup("pool").With("size", 2).Debug("nested", "free", true, slog.Group("of", "x", 1.5))
	telemetry.Of(l, logtype.Startup).Info("", "kind", "server", "info", map[string]string{"port": "<8080>"})
	telemetry.Of(l, logtype.JWK).Error("", "message", "of a type that is off")
	telemetry.Of(l, logtype.JWK).Log(ctx, telemetry.LevelCritical, "off, too")
	telemetry.Of(l, logtype.HealthCheck).Log(ctx, telemetry.LevelCritical, "")
	require.Equal(t, []string{
		`{"level":"warn","type":"unstructured","detail":{"service":"gateway","message":"plain <text>","error":"a \"fault\"","n":3,"took":1.5,"raw":{"a":1}}}`,
		`{"level":"info","type":"unstructured","detail":{"service":"gateway","message":"within a request","request_id":"r-1"},` +
			`"trace_id":"010200000000000000000000000000ab","span_id":"03000000000000ff"}`,
		`{"level":"debug","type":"unstructured","detail":{"service":"gateway","message":"nested","source":"main","pool":{"size":2,"free":true,"of":{"x":1.5}}}}`,
		`{"level":"info","type":"startup","detail":{"kind":"server","info":{"port":"<8080>"}}}`,
		`{"level":"critical","type":"health-check-log","detail":{},"trace_id":"010200000000000000000000000000ab","span_id":"03000000000000ff"}`,
	}, lines(t, out.String()))
}

// TestErrorsAreForOperators: codes are for programs.
func TestErrorsAreForOperators(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := newLog(t, &out, "info")
	log.Logger("gateway").Warn("failed", "error", fmt.Errorf("load: %w", apierror.At(apierror.New(apierror.NotExists, "no such table"), "args")))
	log.Flush()
	require.Contains(t, out.String(), `"error":"load: no such table (at $.args)"`)
}

func TestLevels(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := newLog(t, &out, "error", "http-log")
	log.Logger("gateway").Warn("too fine")
	s := telemetry.StreamOf(log.Logger("gateway"), logtype.HTTP)
	require.False(t, s.Enabled(slog.LevelInfo))
	s.Write(t.Context(), time.Now(), slog.LevelInfo, text("too fine"))
	s.Write(t.Context(), time.Now(), slog.LevelError, text("kept"))
	log.Flush()
	require.Equal(t, []string{`{"level":"error","type":"http-log","detail":{"text":"kept"}}`}, lines(t, out.String()))

	_, err := telemetry.NewLog(&out, "loud", nil)
	require.Error(t, err)
}

// text is a detail.
type text string

func (d text) AppendDetail(b []byte) []byte {
	return append(append(append(b, `{"text":"`...), d...), `"}`...)
}

func TestTypesThatAreOff(t *testing.T) {
	t.Parallel()
	log := newLog(t, io.Discard, "debug", "validate-insert-input-log")
	l := log.Logger("query-executor")
	require.Nil(t, telemetry.StreamOf(l, logtype.Query))
	require.False(t, telemetry.Of(l, logtype.Query).Enabled(t.Context(), telemetry.LevelCritical))
	require.True(t, telemetry.Of(l, logtype.ValidateInput).Enabled(t.Context(), slog.LevelInfo), "it has two names")
	require.True(t, telemetry.Of(l, logtype.EventTrigger).Enabled(t.Context(), slog.LevelInfo), "it can't be switched off")

	var none *telemetry.Stream
	none.Write(t.Context(), time.Now(), slog.LevelError, text("nowhere"))
	require.Nil(t, telemetry.StreamOf(telemetry.Discard(), logtype.Query))
}

func TestTee(t *testing.T) {
	t.Parallel()
	log := newLog(t, io.Discard, "info", "http-log")
	l := log.Logger("gateway")
	var got []telemetry.Line
	log.SetTee(func(line telemetry.Line) {
		line.Detail = bytes.Clone(line.Detail)
		got = append(got, line)
	})
	l.Warn("one")
	now := time.Now()
	telemetry.StreamOf(l, logtype.HTTP).Write(t.Context(), now, slog.LevelInfo, text("two"))
	log.SetTee(nil)
	l.Warn("three")
	require.Len(t, got, 2)
	require.Equal(t, logtype.Unstructured, got[0].Type)
	require.Equal(t, telemetry.Line{Time: now, Level: slog.LevelInfo, Type: logtype.HTTP, Detail: []byte(`{"text":"two"}`)}, got[1])
}

func TestOutputThatCannotKeepUp(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	log := newLog(t, w, "info", "http-log")
	s := telemetry.StreamOf(log.Logger("gateway"), logtype.HTTP)
	big := text(strings.Repeat("x", 1<<20))
	for range 40 {
		s.Write(t.Context(), time.Now(), slog.LevelInfo, big) // without a reader, and yet it returns
	}
	var reading sync.WaitGroup
	var read, left int
	seen := make(chan struct{})
	reading.Go(func() {
		d := json.NewDecoder(r)
		for {
			var line struct {
				Type   string
				Detail struct{ Message string }
			}
			if d.Decode(&line) != nil {
				return
			}
			if read++; line.Type == "unstructured" && strings.HasSuffix(line.Detail.Message, "lines were left out because the output could not keep up") {
				if left++; left == 1 {
					close(seen)
				}
			}
		}
	})
	require.Eventually(t, func() bool {
		s.Write(t.Context(), time.Now(), slog.LevelInfo, text("small"))
		select {
		case <-seen:
			return true
		default:
			return false
		}
	}, 30*time.Second, 10*time.Millisecond, "the lines that were left out are counted")
	log.Flush()
	require.NoError(t, w.Close())
	reading.Wait()
	require.Greater(t, read, 8)
}

// BenchmarkLogger is a line of slog, of a type that is off and of one that is on.
func BenchmarkLogger(b *testing.B) {
	log, err := telemetry.NewLog(io.Discard, "info", []string{"action-handler-log"})
	require.NoError(b, err)
	l := log.Logger("query-executor")
	for name, typed := range map[string]*slog.Logger{
		"off": telemetry.Of(l, logtype.Poller), "on": telemetry.Of(l, logtype.ActionHandler),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				typed.LogAttrs(context.Background(), slog.LevelInfo, "", slog.String("action_name", "hello"), slog.Int("request_size", 100))
			}
		})
	}
}
