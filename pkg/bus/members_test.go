package bus_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/bus"
	"queryengine/pkg/bus/bustest"
	queryv1 "queryengine/proto/query/v1"
)

// fleet is a caller and three replicas, the first of which is behind a proxy.
type fleet struct {
	caller *bus.Bus
	proxy  *proxy
	// served is how many requests each of them was given.
	served [3]atomic.Int32
}

// newFleet starts one whose replicas answer with h. idle is the caller's IdleTimeout.
func newFleet(t *testing.T, idle time.Duration, h bus.Handler) *fleet {
	t.Helper()
	server := bustest.Server(t)
	f := &fleet{proxy: newProxy(t, server.ClientURL())}
	f.caller = bustest.ConnectWith(t, bus.Config{URL: server.ClientURL(), Name: bus.ServiceGateway, Heartbeat: slow, IdleTimeout: idle})
	for i := range f.served {
		url := server.ClientURL()
		if i == 0 {
			url = f.proxy.url()
		}
		b := bustest.ConnectWith(t, bus.Config{URL: url, Name: bus.ServiceQueryExecutor, Heartbeat: slow})
		serve(t, b, bus.ServiceInfo{Name: bus.ServiceQueryExecutor}, func(ctx context.Context, req proto.Message, w bus.ResponseWriter) error {
			f.served[i].Add(1)
			return h(ctx, req, w)
		})
	}
	// Each of them is known to be there.
	require.Eventually(t, func() bool {
		for range 3 {
			_ = f.ask(t.Context(), bus.QueryExecute)
		}
		return f.served[0].Load() > 0 && f.served[1].Load() > 0 && f.served[2].Load() > 0
	}, patience, 10*time.Millisecond)
	return f
}

func (f *fleet) ask(ctx context.Context, ep bus.Endpoint) error {
	_, _, err := f.caller.CallMessage(ctx, ep, &queryv1.ExecuteRequest{Query: "x"}, newHead, 1<<20)
	return err
}

func TestAFrozenReplicaIsLeftOut(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 20*time.Second, echo)
	f.proxy.freeze()
	defer f.proxy.thaw()
	// Repeatable requests are retried elsewhere, including its pending ones.
	var all sync.WaitGroup
	for range 60 {
		all.Go(func() { assert.NoError(t, f.ask(t.Context(), bus.QueryExecute.Again())) })
	}
	all.Wait()
	// By now it has been silent for long enough that no request is sent to it at all.
	for range 60 {
		require.NoError(t, f.ask(t.Context(), bus.QueryExecute))
	}
}

// A replica that comes back gets requests again.
func TestAReplicaThatIsHeardOfAgainIsAsked(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 20*time.Second, echo)
	f.proxy.freeze()
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() { assert.NoError(t, f.ask(t.Context(), bus.QueryExecute.Again())) })
	}
	all.Wait()
	f.proxy.thaw()
	before := f.served[0].Load()
	require.Eventually(t, func() bool {
		return f.ask(t.Context(), bus.QueryExecute) == nil && f.served[0].Load() > before+20
	}, patience, time.Millisecond)
}

// Pending requests of a replica that is killed are lost: repeatable ones are retried elsewhere, the
// others fail without waiting for the time that a silent one has.
func TestRequestsInHandOfAKilledReplica(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	var hold atomic.Bool
	f := newFleet(t, time.Hour, func(ctx context.Context, req proto.Message, w bus.ResponseWriter) error {
		if hold.Load() {
			<-release
		}
		return echo(ctx, req, w)
	})
	hold.Store(true)
	before := f.served[0].Load() + f.served[1].Load() + f.served[2].Load()
	const each = 6
	queries, mutations := make(chan error, each), make(chan error, each)
	await := func(served int32) {
		require.Eventually(t, func() bool {
			return f.served[0].Load()+f.served[1].Load()+f.served[2].Load() == before+served
		}, patience, time.Millisecond)
	}
	// Requests are shared evenly: the replica that is killed has a third of each sort.
	for range each {
		go func() { queries <- f.ask(t.Context(), bus.QueryExecute.Again()) }()
	}
	await(each)
	for range each {
		go func() { mutations <- f.ask(t.Context(), bus.QueryExecute) }()
	}
	await(2 * each)
	f.proxy.cut()
	hold.Store(false)
	failed := 0
	for failed == 0 { // those of the others are held
		select {
		case err := <-mutations:
			require.ErrorContains(t, err, "went away")
			failed++
		case err := <-queries: // tried elsewhere
			require.NoError(t, err)
		case <-time.After(30 * time.Second):
			t.Fatal("requests that are lost are waited for")
		}
	}
	close(release)
	for range each - failed {
		if err := <-mutations; err != nil {
			failed++
		}
	}
	require.Less(t, failed, each)
}

// A replica that is gone never had the request: the caller sees no error.
func TestAReplicaThatIsGoneIsNotMissed(t *testing.T) {
	t.Parallel()
	f := newFleet(t, time.Hour, echo)
	f.proxy.cut()
	for range 100 {
		err := f.ask(t.Context(), bus.QueryExecute)
		if err != nil && !errors.Is(err, context.Canceled) {
			// Only the request that was on its way when the connection ended.
			require.ErrorContains(t, err, "went away")
		}
	}
	for range 100 {
		require.NoError(t, f.ask(t.Context(), bus.QueryExecute))
	}
}

// When this process itself paused, all replicas seem silent: the one that was heard from last is queried,
// and a frozen one isn't.
func TestOfSilentReplicasTheLastOneHeardFromIsAsked(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 20*time.Second, echo)
	f.proxy.freeze()
	defer f.proxy.thaw()
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { assert.NoError(t, f.ask(t.Context(), bus.QueryExecute.Again())) })
	}
	all.Wait()
	for range 60 {
		f.caller.Pause(2 * slow)
		require.NoError(t, f.ask(t.Context(), bus.QueryExecute))
	}
}
