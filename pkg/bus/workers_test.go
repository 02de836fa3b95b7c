package bus

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"

	"queryengine/pkg/bus/natsserver"
)

func TestGoroutinesOfRequestsAreKept(t *testing.T) {
	t.Parallel()
	server, err := natsserver.Start(natsserver.Config{Dir: t.TempDir(), Port: -1, NoSync: true})
	require.NoError(t, err)
	t.Cleanup(server.Stop)
	connect := func() *Bus {
		b, err := Connect(t.Context(), Config{URL: server.ClientURL()})
		require.NoError(t, err)
		t.Cleanup(b.Close)
		return b
	}
	caller, responder := connect(), connect()
	service, err := responder.Register(t.Context(), ServiceInfo{Name: ServiceQueryExecutor})
	require.NoError(t, err)
	const together = idleWorkers + 8
	var arrived sync.WaitGroup
	arrived.Add(together)
	newEmpty := func() proto.Message { return &emptypb.Empty{} }
	require.NoError(t, service.Handle(QueryExecute, newEmpty, func(context.Context, proto.Message, ResponseWriter) error {
		arrived.Done()
		arrived.Wait() // none is free before all are at work
		return nil
	}))
	idle := func() int {
		service.workers.mu.Lock()
		defer service.workers.mu.Unlock()
		return len(service.workers.idle)
	}
	call := func() error {
		_, _, err := caller.CallMessage(t.Context(), QueryExecute, newEmpty(), newEmpty, 0)
		return err
	}

	failures := make(chan error, together)
	for range together {
		go func() { failures <- call() }()
	}
	for range together {
		require.NoError(t, <-failures)
	}
	// An answer arrives before its worker has put itself away.
	require.Eventually(t, func() bool { return idle() == idleWorkers }, 30*time.Second, time.Millisecond)

	arrived.Add(1)
	require.NoError(t, call())
	require.Eventually(t, func() bool { return idle() == idleWorkers }, 30*time.Second, time.Millisecond)

	require.NoError(t, service.Stop(t.Context()))
	require.Zero(t, idle())
	require.False(t, service.workers.rest(make(chan work, 1)), "nothing would wake it up")
}
