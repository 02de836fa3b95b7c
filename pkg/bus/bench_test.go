package bus_test

import (
	"context"
	"testing"

	"google.golang.org/protobuf/proto"

	"queryengine/pkg/bus"
	queryv1 "queryengine/proto/query/v1"
)

// answerOf answers with the same bytes each time.
func answerOf(size int) bus.Handler {
	body := make([]byte, size)
	return func(_ context.Context, _ proto.Message, w bus.ResponseWriter) error {
		_, err := w.Write(body)
		return err
	}
}

type discard struct{}

func (discard) Head(proto.Message) error    { return nil }
func (discard) Write(p []byte) (int, error) { return len(p), nil }

func benchmarkCall(b *testing.B, caller *bus.Bus, size int) {
	b.Helper()
	req := &queryv1.ExecuteRequest{
		Session: &queryv1.Session{Role: "customer", Variables: map[string]string{"x-engine-role": "customer", "x-engine-customer-id": "17"}},
		Query:   "query Artist($id: Int!) { artists_by_pk(id: $id) { id name } }",
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	b.SetParallelism(4)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := caller.Call(b.Context(), bus.QueryExecute, req, newHead, discard{}); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

func BenchmarkLocalCall(b *testing.B) { benchmarkCall(b, setup(b, answerOf(200)).responder, 200) }

func BenchmarkRemoteCallSmall(b *testing.B) { benchmarkCall(b, setup(b, answerOf(200)).caller, 200) }

func BenchmarkRemoteCall1MB(b *testing.B) { benchmarkCall(b, setup(b, answerOf(1<<20)).caller, 1<<20) }

func BenchmarkDirectCallSmall(b *testing.B) {
	benchmarkCall(b, setupDirect(b, answerOf(200), 0).caller, 200)
}

func BenchmarkDirectCall1MB(b *testing.B) {
	benchmarkCall(b, setupDirect(b, answerOf(1<<20), 0).caller, 1<<20)
}
