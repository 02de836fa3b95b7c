package api_test

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/bus"
)

func TestRequestsThatWaitAreBounded(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	finish := make(chan struct{})
	w := setup(t, func(w *world) {
		w.settings.Concurrency = 3
		w.bus.answer = func(_ context.Context, ep bus.Endpoint, _ proto.Message, sink bus.Sink) error {
			if ep.Service == bus.ServiceQueryExecutor {
				asked.Add(1)
				<-finish
			}
			_, err := sink.Write([]byte(`{"data":{}}`))
			return err
		}
	})
	const query = `{"query":"{ a }"}`
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() { assert.Equal(t, http.StatusOK, w.send(t, "POST", "/v1/graphql", query, admin...).status) })
	}
	require.Eventually(t, func() bool { return asked.Load() == 3 }, 30*time.Second, time.Millisecond)

	refused := w.send(t, "POST", "/v1/graphql", query, admin...)
	require.Equal(t, http.StatusServiceUnavailable, refused.status)
	require.Equal(t, "1", refused.header.Get("Retry-After"))
	require.JSONEq(t, `{"errors":[{"message":"too many requests wait for an answer","extensions":{"path":"$","code":"busy"}}]}`, refused.body)
	metadata := w.send(t, "POST", "/v1/metadata", `{"type":"export_metadata","args":{}}`, admin...)
	require.Equal(t, http.StatusOK, metadata.status, "operators get through")

	close(finish)
	all.Wait()
	require.Equal(t, http.StatusOK, w.send(t, "POST", "/v1/graphql", query, admin...).status)
}

// A client that doesn't take its answer holds no place.
func TestAnAnswerThatHasBegunWaitsNoLonger(t *testing.T) {
	t.Parallel()
	begun, finish := make(chan struct{}), make(chan struct{})
	var asked atomic.Int32
	w := setup(t, func(w *world) {
		w.settings.Concurrency = 1
		w.bus.answer = func(_ context.Context, _ bus.Endpoint, _ proto.Message, sink bus.Sink) error {
			if _, err := sink.Write([]byte(`{"data":`)); err != nil {
				return err
			}
			if asked.Add(1) == 1 {
				close(begun)
				<-finish
			}
			_, err := sink.Write([]byte(`{}}`))
			return err
		}
	})
	var all sync.WaitGroup
	all.Go(func() {
		assert.Equal(t, http.StatusOK, w.send(t, "POST", "/v1/graphql", `{"query":"{ slow }"}`, admin...).status)
	})
	<-begun
	require.Equal(t, http.StatusOK, w.send(t, "POST", "/v1/graphql", `{"query":"{ a }"}`, admin...).status)
	close(finish)
	all.Wait()
}
