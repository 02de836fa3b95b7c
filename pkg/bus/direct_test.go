package bus_test

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/apierror"
	"queryengine/pkg/bus"
	"queryengine/pkg/bus/bustest"
	"queryengine/pkg/bus/direct"
	queryv1 "queryengine/proto/query/v1"
)

// slow is a heartbeat that a busy machine keeps: a responder that seems late is queried through NATS.
const slow = 2 * time.Second

// directPair is a caller and a responder that are connected directly, each with a proxy before
// NATS, and one before the responder's own server.
type directPair struct {
	caller, responder         *bus.Bus
	service                   *bus.Service
	callerNATS, responderNATS *proxy
	own                       *proxy
	options                   bus.DirectOptions
	registry                  *prometheus.Registry
}

// behindProxy is a server for direct calls that callers find at a proxy.
type behindProxy struct {
	bus.DirectServer
	port int
}

func (s behindProxy) Port() int { return s.port }

// setupDirect starts a pair. Its heartbeat is that of programs when it is 0.
func setupDirect(t testing.TB, h bus.Handler, heartbeat time.Duration, caller ...func(*bus.Config)) *directPair {
	t.Helper()
	server := bustest.Server(t)
	p := &directPair{
		callerNATS: newProxy(t, server.ClientURL()), responderNATS: newProxy(t, server.ClientURL()), registry: prometheus.NewRegistry(),
	}
	c := bus.Config{URL: p.callerNATS.url(), Name: bus.ServiceGateway, Registerer: p.registry, Heartbeat: heartbeat}
	for _, change := range caller {
		change(&c)
	}
	p.caller = bustest.ConnectWith(t, c)
	p.responder = bustest.ConnectWith(t, bus.Config{URL: p.responderNATS.url(), Name: bus.ServiceQueryExecutor, Heartbeat: heartbeat})
	require.NoError(t, p.responder.Listen(t.Context(), 0, func(o bus.DirectOptions) (bus.DirectServer, error) {
		s, err := direct.Start(o)
		if err != nil {
			return nil, err
		}
		p.options = o
		p.own = newProxy(t, "nats://"+address(o.Host, s.Port()))
		return behindProxy{DirectServer: s, port: portOf(p.own)}, nil
	}))
	p.service = serve(t, p.responder, bus.ServiceInfo{Name: bus.ServiceQueryExecutor}, h)
	p.awaitDirect(t)
	return p
}

// awaitDirect waits until the caller is connected directly.
func (p *directPair) awaitDirect(t testing.TB) {
	t.Helper()
	require.Eventually(t, func() bool { return p.connections() == 1 }, 30*time.Second, time.Millisecond)
}

func (p *directPair) connections() float64 {
	families, err := p.registry.Gather()
	if err != nil {
		return -1
	}
	for _, f := range families {
		if f.GetName() == "engine_bus_direct_connections" {
			return f.GetMetric()[0].GetGauge().GetValue()
		}
	}
	return -1
}

// A request and its answer need nothing but the direct connection.
func TestDirectCallsPassNATSBy(t *testing.T) {
	t.Parallel()
	p := setupDirect(t, echo, time.Hour)
	p.callerNATS.freeze()
	defer p.callerNATS.thaw()
	p.responderNATS.freeze()
	defer p.responderNATS.thaw()
	for range 100 {
		_, body, err := call(t.Context(), p.caller, "x")
		require.NoError(t, err)
		require.Equal(t, "x", body)
	}
	large := strings.Repeat("y", 20<<20) // in parts, both ways
	_, body, err := call(t.Context(), p.caller, large)
	require.NoError(t, err)
	require.Equal(t, large, body)
}

// Small requests and answers of different calls are sent together, if the replica offers that. Each keeps its head and all
// its pieces, in order, also where some of these are too large to be sent with others.
func TestManyDirectCallsAtOnce(t *testing.T) {
	t.Parallel()
	inPieces := func(_ context.Context, req proto.Message, w bus.ResponseWriter) error {
		query := req.(*queryv1.ExecuteRequest).GetQuery()
		w.SetHead(&queryv1.ExecuteHead{OperationName: strconv.Itoa(len(query))})
		for piece := 1; len(query) > 0; piece *= 2 {
			piece = min(piece, len(query))
			if _, err := w.Write([]byte(query[:piece])); err != nil {
				return err
			}
			if err := bus.Flush(w); err != nil {
				return err
			}
			query = query[piece:]
		}
		return nil
	}
	for name, offered := range map[string]bool{"together": true, "one by one": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := setupDirect(t, inPieces, 0)
			if !offered { // as a replica of an earlier version
				p.responder.WithholdBundles()
				require.NoError(t, p.service.Stop(t.Context()))
				serve(t, p.responder, bus.ServiceInfo{Name: bus.ServiceQueryExecutor}, inPieces)
				p.awaitDirect(t)
			}
			var calls sync.WaitGroup
			for i := range 32 {
				calls.Go(func() {
					for size := range 20 {
						query := strings.Repeat(string(rune('a'+i%26)), 1+size*size*(i+1)*5)
						head, body, err := call(t.Context(), p.caller, query)
						if !assert.NoError(t, err) {
							return
						}
						assert.Equal(t, strconv.Itoa(len(query)), head.GetOperationName())
						assert.True(t, query == body)
					}
				})
			}
			calls.Wait()
			require.Equal(t, offered, p.caller.Bundles() > 0)
		})
	}
}

// Whether a replica is there is heard through NATS alone: one that NATS has lost doesn't hear of
// changes of the metadata, whatever it answers.
func TestAResponderThatNATSHasLostIsLeftOut(t *testing.T) {
	t.Parallel()
	p := setupDirect(t, echo, 200*time.Millisecond)
	p.responderNATS.freeze()
	defer p.responderNATS.thaw()
	require.Eventually(t, func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		_, _, err := call(ctx, p.caller, "x")
		return err != nil
	}, 30*time.Second, time.Millisecond)
}

// Who has lost NATS makes no calls, though it could.
func TestWithoutNATSNoCallIsDirect(t *testing.T) {
	t.Parallel()
	p := setupDirect(t, echo, time.Hour)
	p.callerNATS.cut()
	require.Eventually(t, func() bool { return p.caller.Status() != nil }, 30*time.Second, time.Millisecond)
	_, _, err := call(t.Context(), p.caller, "x")
	require.ErrorContains(t, err, "the message bus is not connected")
}

// A direct connection that is lost loses its pending requests once: repeatable ones are retried through
// NATS, the rest fail. Later requests go through NATS until there is another connection.
func TestADirectConnectionIsLost(t *testing.T) {
	t.Parallel()
	var held, served atomic.Int32
	release := make(chan struct{})
	p := setupDirect(t, func(ctx context.Context, req proto.Message, w bus.ResponseWriter) error {
		served.Add(1)
		if held.Add(-1) >= 0 {
			<-release
		}
		return echo(ctx, req, w)
	}, 0)
	held.Store(2)
	queries, mutations := make(chan error, 1), make(chan error, 1)
	go func() {
		_, _, err := p.caller.CallMessage(t.Context(), bus.QueryExecute.Again(), newRequest(), newHead, 1<<20)
		queries <- err
	}()
	go func() {
		_, _, err := call(t.Context(), p.caller, "x")
		mutations <- err
	}()
	require.Eventually(t, func() bool { return served.Load() == 2 }, 30*time.Second, time.Millisecond)
	p.own.interrupt()
	lost := apierror.From(<-mutations)
	require.Equal(t, "the query-executor went away before its answer was complete; the request may have been carried out", lost.Message)
	require.Equal(t, http.StatusServiceUnavailable, lost.Status)
	require.Zero(t, lost.RetryAfter, "no client is to insert the rows twice")
	require.NoError(t, <-queries)
	require.EqualValues(t, 3, served.Load())
	close(release)
	_, _, err := call(t.Context(), p.caller, "x")
	require.NoError(t, err)
	p.awaitDirect(t)
}

// One that takes nothing any more is not used for long.
func TestADirectConnectionFallsSilent(t *testing.T) {
	t.Parallel()
	p := setupDirect(t, echo, slow, func(c *bus.Config) { c.IdleTimeout = 4 * slow })
	p.own.freeze()
	defer p.own.thaw()
	_, _, err := call(t.Context(), p.caller, "x")
	require.ErrorContains(t, err, "fell silent")
	for range 20 {
		_, _, err := call(t.Context(), p.caller, "x")
		require.NoError(t, err)
	}
}

// An answer that is under way while another connection is made comes over the one that it was requested on, and
// once.
func TestAnAnswerOutlivesTheUseOfItsConnection(t *testing.T) {
	t.Parallel()
	started, release := make(chan struct{}), make(chan struct{})
	h := func(ctx context.Context, req proto.Message, w bus.ResponseWriter) error {
		close(started)
		<-release
		return echo(ctx, req, w)
	}
	p := setupDirect(t, h, slow, func(c *bus.Config) { c.IdleTimeout = time.Hour })
	large := strings.Repeat("y", 20<<20)
	result := make(chan error, 1)
	var body string
	go func() {
		var err error
		_, body, err = call(t.Context(), p.caller, large)
		result <- err
	}()
	<-started
	end := p.own.stall() // so that nothing is heard of the responder over this connection
	require.Eventually(t, func() bool { return p.connections() == 2 }, 30*time.Second, time.Millisecond)
	end()
	close(release)
	require.NoError(t, <-result)
	require.Equal(t, large, body)
	require.Eventually(t, func() bool { return p.connections() == 1 }, 30*time.Second, time.Millisecond)
}

// Without a way to the responder's server, all goes through NATS.
func TestDirectConnectionsAreNotNeeded(t *testing.T) {
	t.Parallel()
	p := setupDirect(t, echo, 0)
	p.own.cut()
	require.Eventually(t, func() bool { return p.connections() == 0 }, 30*time.Second, time.Millisecond)
	for range 20 {
		_, _, err := call(t.Context(), p.caller, "x")
		require.NoError(t, err)
	}
}

// A responder that stops in order fails no request, though mutations can't be repeated.
func TestRespondersTakeTurnsWithoutAnError(t *testing.T) {
	t.Parallel()
	server := bustest.Server(t)
	registry := prometheus.NewRegistry()
	caller := bustest.ConnectWith(t, bus.Config{URL: server.ClientURL(), Name: bus.ServiceGateway, Registerer: registry})
	start := func() (*bus.Bus, *bus.Service) {
		b := bustest.ConnectWith(t, bus.Config{URL: server.ClientURL(), Name: bus.ServiceQueryExecutor})
		require.NoError(t, b.Listen(t.Context(), 0, direct.Start))
		return b, serve(t, b, bus.ServiceInfo{Name: bus.ServiceQueryExecutor}, echo)
	}
	b, s := start()
	p := &directPair{caller: caller, registry: registry}
	p.awaitDirect(t)

	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for ctx.Err() == nil {
				_, _, err := call(t.Context(), caller, "x")
				if !assert.NoError(t, err) {
					return
				}
			}
		})
	}
	for range 3 {
		next, service := start()
		require.Eventually(t, func() bool { return p.connections() == 2 }, 30*time.Second, time.Millisecond)
		require.NoError(t, s.Stop(t.Context()))
		b.Close()
		b, s = next, service
		p.awaitDirect(t)
	}
	cancel()
	all.Wait()
}

// The server accepts only clients that know its password, with the permissions that they have at NATS.
func TestDirectServerPermissions(t *testing.T) {
	t.Parallel()
	p := setupDirect(t, echo, 0)
	for _, user := range []nats.Option{
		nats.Name("nobody"), nats.UserInfo(bus.ServiceGateway, "wrong"), nats.UserInfo("in-process", ""), nats.UserInfo("admin", p.options.Password),
	} {
		_, err := nats.Connect(p.own.url(), user)
		require.ErrorIs(t, err, nats.ErrAuthorization)
	}
	refused := make(chan string, 10)
	nc, err := nats.Connect(p.own.url(), nats.UserInfo(bus.ServiceGateway, p.options.Password),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { refused <- err.Error() }))
	require.NoError(t, err)
	defer nc.Close()
	for _, subject := range []string{
		">", "engine.>", bus.QueryExecute.Subject + ".*", "_INBOX_query-executor.>", "_INBOX_gateway.>", "$SYS.>",
	} {
		_, err := nc.SubscribeSync(subject)
		require.NoError(t, err)
		require.Contains(t, <-refused, "Permissions Violation for Subscription")
	}
	for _, subject := range []string{
		bus.QueryExecute.Subject, bus.DataExecute.Subject, bus.QueryExecute.Subject + ".other", bus.ChangesSubject, "$SYS.REQ.SERVER.PING", "$JS.API.INFO",
	} {
		require.NoError(t, nc.Publish(subject, nil))
		require.Contains(t, <-refused, "Permissions Violation for Publish")
	}
}

// Only gateways learn of it, and connect.
func TestOnlyGatewaysConnectDirectly(t *testing.T) {
	t.Parallel()
	users := map[string]bus.Permissions{}
	for _, u := range bus.Users() {
		users[u.User] = u
	}
	subject := bus.DirectOffer("*").Subject
	for name, u := range users {
		asks := name == bus.ServiceGateway || name == bus.UserEngine
		require.Equal(t, asks, slices.Contains(u.Publish, subject), name)
	}
}

// The metric is one that operators can read.
func TestDirectConnectionsAreCounted(t *testing.T) {
	t.Parallel()
	p := setupDirect(t, echo, 0)
	problems, err := testutil.GatherAndLint(p.registry, "engine_bus_direct_connections")
	require.NoError(t, err)
	require.Empty(t, problems)
	require.NoError(t, p.service.Stop(t.Context()))
	p.responder.Close()
	require.Eventually(t, func() bool { return p.connections() == 0 }, 30*time.Second, time.Millisecond)
}
