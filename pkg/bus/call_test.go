package bus_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/apierror"
	"queryengine/pkg/bus"
	queryv1 "queryengine/proto/query/v1"
)

func TestCallAnswers(t *testing.T) {
	t.Parallel()
	h := func(ctx context.Context, req proto.Message, w bus.ResponseWriter) error {
		w.SetHead(&queryv1.ExecuteHead{Headers: []*queryv1.Header{{Name: "Set-Cookie", Value: "a=b"}}})
		return echo(ctx, req, w)
	}
	ways(t, h, func(t *testing.T, b *bus.Bus) {
		head, body, err := call(t.Context(), b, "{ artists { name } }")
		require.NoError(t, err)
		require.Equal(t, "{ artists { name } }", body)
		require.Len(t, head.GetHeaders(), 1)
		require.Equal(t, "Set-Cookie", head.GetHeaders()[0].GetName())
	})
}

func TestErrorsWithAHead(t *testing.T) {
	t.Parallel()
	h := func(_ context.Context, req proto.Message, w bus.ResponseWriter) error {
		if req.(*queryv1.ExecuteRequest).GetQuery() == "late" {
			_, _ = w.Write([]byte("x"))
		}
		return bus.WithHead(apierror.New(apierror.Unexpected, "session expired"), &queryv1.ExecuteHead{OperationName: "o"})
	}
	ways(t, h, func(t *testing.T, b *bus.Bus) {
		for _, c := range []struct{ query, operation string }{{"", "o"}, {"late", ""}} {
			sink := &recorder{}
			err := b.Call(t.Context(), bus.QueryExecute, &queryv1.ExecuteRequest{Query: c.query}, newHead, sink)
			require.Equal(t, "session expired", apierror.From(err).Message)
			require.Equal(t, c.query == "late", errors.Is(err, bus.ErrCutOff))
			var operation string
			for _, head := range sink.heads {
				operation += head.(*queryv1.ExecuteHead).GetOperationName()
			}
			require.Equal(t, c.operation, operation)
		}
	})
}

func TestCallHasOneHeadWhateverTheHandlerSets(t *testing.T) {
	t.Parallel()
	h := func(_ context.Context, req proto.Message, w bus.ResponseWriter) error {
		switch req.(*queryv1.ExecuteRequest).GetQuery() {
		case "late":
			_, _ = w.Write([]byte("x"))
			w.SetHead(&queryv1.ExecuteHead{Headers: []*queryv1.Header{{Name: "too", Value: "late"}}})
		case "empty":
			w.SetHead(&queryv1.ExecuteHead{})
		}
		return nil
	}
	ways(t, h, func(t *testing.T, b *bus.Bus) {
		for _, query := range []string{"none", "empty", "late"} {
			sink := &recorder{}
			require.NoError(t, b.Call(t.Context(), bus.QueryExecute, &queryv1.ExecuteRequest{Query: query}, newHead, sink))
			require.Len(t, sink.heads, 1, query)
			require.Empty(t, sink.heads[0].(*queryv1.ExecuteHead).GetHeaders(), query)
		}
		sink := &recorder{}
		require.NoError(t, b.Call(t.Context(), bus.QueryExecute, &queryv1.ExecuteRequest{}, nil, sink))
		require.Empty(t, sink.heads)
	})
}

func TestCallMessageRefusesMoreThanItsLimit(t *testing.T) {
	t.Parallel()
	ways(t, echo, func(t *testing.T, b *bus.Bus) {
		_, _, err := b.CallMessage(t.Context(), bus.QueryExecute, &queryv1.ExecuteRequest{Query: "12345"}, newHead, 4)
		require.ErrorContains(t, err, "more than 4 bytes")
	})
}

func TestErrorKeepsItsFields(t *testing.T) {
	t.Parallel()
	want := &apierror.Error{
		Code: apierror.ValidationFailed, Path: "$.selectionSet.artists", Message: "field 'x' not found",
		Status: http.StatusBadRequest, Internal: map[string]any{"a": 1}, RetryAfter: 7,
	}
	ways(t, func(context.Context, proto.Message, bus.ResponseWriter) error { return want }, func(t *testing.T, b *bus.Bus) {
		_, _, err := call(t.Context(), b, "")
		var got *apierror.Error
		require.ErrorAs(t, err, &got)
		require.NotErrorIs(t, err, bus.ErrCutOff)
		require.JSONEq(t, `{"a":1}`, string(got.InternalJSON()))
		plain := *got
		plain.Internal = want.Internal
		require.Equal(t, want, &plain)
	})
}

func TestErrorOfAnyKindIsAnAPIError(t *testing.T) {
	t.Parallel()
	h := func(_ context.Context, req proto.Message, _ bus.ResponseWriter) error {
		switch req.(*queryv1.ExecuteRequest).GetQuery() {
		case "panic":
			panic("secret")
		case "deadline":
			return context.DeadlineExceeded
		case "bytes":
			return apierror.New(apierror.DataException, "bad \xff byte")
		}
		return errors.New("secret")
	}
	ways(t, h, func(t *testing.T, b *bus.Bus) {
		want := map[string]string{
			"plain":    "unexpected at $: internal error",
			"panic":    "unexpected at $: internal error",
			"deadline": "timeout at $: the request took too long",
		}
		for query, text := range want {
			_, _, err := call(t.Context(), b, query)
			require.EqualError(t, err, text, query)
			require.Equal(t, text, apierror.From(err).Error(), query)
		}
		_, _, err := call(t.Context(), b, "bytes")
		require.Equal(t, apierror.DataException, apierror.From(err).Code)
	})
}

func TestErrorAfterTheFirstWriteCutsOff(t *testing.T) {
	t.Parallel()
	h := func(_ context.Context, req proto.Message, w bus.ResponseWriter) error {
		if _, err := w.Write([]byte(req.(*queryv1.ExecuteRequest).GetQuery())); err != nil {
			return err
		}
		return apierror.New(apierror.DataException, "division by zero")
	}
	ways(t, h, func(t *testing.T, b *bus.Bus) {
		for _, query := range []string{"small", strings.Repeat("x", 3<<20)} {
			_, _, err := call(t.Context(), b, query)
			require.ErrorIs(t, err, bus.ErrCutOff)
			require.Equal(t, "division by zero", apierror.From(err).Message)
		}
	})
}

func TestSinkErrorEndsTheCall(t *testing.T) {
	t.Parallel()
	gone := errors.New("client gone")
	ended := make(chan struct{}, 2)
	h := func(ctx context.Context, _ proto.Message, w bus.ResponseWriter) error {
		defer func() { ended <- struct{}{} }()
		for piece := make([]byte, 512<<10); ; {
			if _, err := w.Write(piece); err != nil {
				return err
			}
		}
	}
	ways(t, h, func(t *testing.T, b *bus.Bus) {
		sink := &recorder{write: func([]byte) error { return gone }}
		err := b.Call(t.Context(), bus.QueryExecute, &queryv1.ExecuteRequest{}, newHead, sink)
		require.ErrorIs(t, err, gone)
		awaitSignal(t, ended, "the handler goes on writing without a reader")
	})
}

// A cancellation that is as quick as its request still ends the handler.

func TestTraceContextCrosses(t *testing.T) {
	t.Parallel()
	spans := make(chan trace.SpanContext, 1)
	h := func(ctx context.Context, _ proto.Message, _ bus.ResponseWriter) error {
		spans <- trace.SpanContextFromContext(ctx)
		return nil
	}
	want := trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: trace.TraceID{1, 2, 3}, SpanID: trace.SpanID{4, 5}, TraceFlags: trace.FlagsSampled,
	})
	ways(t, h, func(t *testing.T, b *bus.Bus) {
		_, _, err := call(trace.ContextWithSpanContext(t.Context(), want), b, "")
		require.NoError(t, err)
		got := <-spans
		require.Equal(t, want.TraceID(), got.TraceID())
		require.Equal(t, want.SpanID(), got.SpanID())
		require.True(t, got.IsSampled())
	})
}

// hold is a handler that waits until it is let go.

// What is busy here is tried elsewhere.

// An answer of 50 MB arrives whole while neither end keeps more than its window.

// liveHeap is what is in use; what the collector has not come to yet depends on the tests

// that ran before.
