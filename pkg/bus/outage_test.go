package bus_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/apierror"
	"queryengine/pkg/bus"
	"queryengine/pkg/bus/bustest"
	"queryengine/pkg/bus/natsserver"
	metadatav1 "queryengine/proto/metadata/v1"
	queryv1 "queryengine/proto/query/v1"
)

// endless answers until the reader is gone.
func endless(_ context.Context, _ proto.Message, w bus.ResponseWriter) error {
	for piece := make([]byte, 256<<10); ; {
		if _, err := w.Write(piece); err != nil {
			return err
		}
	}
}

func TestResponderThatDiesCutsTheAnswerOff(t *testing.T) {
	t.Parallel()
	server := bustest.Server(t)
	p := newProxy(t, server.ClientURL())
	responder := bustest.ConnectWith(t, bus.Config{URL: p.url()})
	serve(t, responder, bus.ServiceInfo{Name: bus.ServiceQueryExecutor}, endless)
	// NATS knows at once that the responder is gone: its silence would be noticed too late.
	caller := bustest.ConnectWith(t, bus.Config{URL: server.ClientURL(), IdleTimeout: time.Hour})
	var cut sync.Once
	sink := &recorder{write: func([]byte) error {
		cut.Do(p.cut)
		return nil
	}}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	err := caller.Call(ctx, bus.QueryExecute, &queryv1.ExecuteRequest{}, newHead, sink)
	require.ErrorIs(t, err, bus.ErrCutOff)
	require.Equal(t, http.StatusServiceUnavailable, apierror.From(err).Status)
}

func TestResponderThatDiesBeforeItsAnswer(t *testing.T) {
	t.Parallel()
	server := bustest.Server(t)
	p := newProxy(t, server.ClientURL())
	entered := make(chan struct{}, 1)
	responder := bustest.ConnectWith(t, bus.Config{URL: p.url()})
	serve(t, responder, bus.ServiceInfo{Name: bus.ServiceQueryExecutor}, hold(entered, nil))
	caller := bustest.ConnectWith(t, bus.Config{URL: server.ClientURL(), IdleTimeout: 100 * time.Millisecond})
	result := make(chan error, 1)
	go func() {
		_, _, err := call(t.Context(), caller, "")
		result <- err
	}()
	awaitSignal(t, entered, "the handler did not start")
	p.cut()
	select {
	case err := <-result:
		require.NotErrorIs(t, err, bus.ErrCutOff)
		require.Equal(t, http.StatusServiceUnavailable, apierror.From(err).Status)
	case <-time.After(patience):
		require.FailNow(t, "the call hangs")
	}
}

func TestHeartbeatsKeepALongCallAlive(t *testing.T) {
	t.Parallel()
	entered, release := make(chan struct{}, 1), make(chan struct{})
	const idle = 4 * time.Second // many heartbeats, so that a busy machine has time for one of them
	p := setup(t, hold(entered, release), func(c *setupConfig) {
		c.caller.IdleTimeout, c.responder.Heartbeat = idle, 20*time.Millisecond
	})
	go func() {
		<-entered
		time.Sleep(idle + idle/4)
		close(release)
	}()
	_, body, err := call(t.Context(), p.caller, "")
	require.NoError(t, err)
	require.Equal(t, "done", body)
}

// restartable is a server that keeps its port and its data.
type restartable struct {
	config natsserver.Config
	server *natsserver.Server
}

func newRestartable(t testing.TB) *restartable {
	t.Helper()
	r := &restartable{config: natsserver.Config{Dir: t.TempDir(), Port: -1, NoSync: true}}
	r.start(t)
	r.config.Port = r.server.Port()
	t.Cleanup(func() { r.server.Stop() })
	return r
}

func (r *restartable) start(t testing.TB) {
	t.Helper()
	s, err := natsserver.Start(r.config)
	require.NoError(t, err)
	r.server = s
}

func TestServerRestart(t *testing.T) {
	t.Parallel()
	r := newRestartable(t)
	responder, caller := bustest.Connect(t, r.server), bustest.Connect(t, r.server)
	entered := make(chan struct{}, 1)
	serve(t, responder, bus.ServiceInfo{Name: bus.ServiceQueryExecutor}, func(ctx context.Context, req proto.Message, w bus.ResponseWriter) error {
		if req.(*queryv1.ExecuteRequest).GetQuery() == "hold" {
			return hold(entered, nil)(ctx, req, w)
		}
		return echo(ctx, req, w)
	})
	acks := make(chan int64, 10)
	stop, err := caller.Subscribe(bus.MetadataAck, func() proto.Message { return &metadatav1.Ack{} }, func(m proto.Message) {
		acks <- m.(*metadatav1.Ack).GetVersion()
	})
	require.NoError(t, err)
	defer stop()
	underway := make(chan error, 1)
	go func() {
		_, _, err := call(t.Context(), caller, "hold")
		underway <- err
	}()
	awaitSignal(t, entered, "the handler did not start")
	require.NoError(t, caller.Status())

	r.server.Stop()
	require.Equal(t, http.StatusServiceUnavailable, apierror.From(<-underway).Status)
	require.Eventually(t, func() bool { return caller.Status() != nil }, patience, time.Millisecond)
	require.ErrorContains(t, caller.Status(), "not connected to NATS")
	_, _, err = call(t.Context(), caller, "")
	require.Equal(t, "the message bus is not connected", apierror.From(err).Message)
	require.Equal(t, http.StatusServiceUnavailable, apierror.From(err).Status)
	require.Error(t, caller.Publish(bus.MetadataRollCall, &metadatav1.RollCall{}))

	r.start(t)
	require.Eventually(t, func() bool {
		_, body, err := call(t.Context(), caller, "again")
		return err == nil && body == "again"
	}, patience, 10*time.Millisecond)
	require.NoError(t, caller.Status())
	require.NoError(t, responder.Publish(bus.MetadataAck, &metadatav1.Ack{Version: 7}))
	require.EqualValues(t, 7, <-acks)
}

func TestConnectKeepsTrying(t *testing.T) {
	t.Parallel()
	r := newRestartable(t)
	url := r.server.ClientURL()
	r.server.Stop()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err := bus.Connect(ctx, bus.Config{URL: url})
	require.ErrorContains(t, err, "cannot connect to NATS")

	connected := make(chan *bus.Bus)
	go func() {
		b, _ := bus.Connect(t.Context(), bus.Config{URL: url})
		connected <- b
	}()
	r.start(t)
	b := <-connected
	require.NotNil(t, b)
	require.NoError(t, b.Status())
	b.Close()
}

func TestConnectNeedsAServer(t *testing.T) {
	t.Parallel()
	_, err := bus.Connect(t.Context(), bus.Config{})
	require.ErrorContains(t, err, "URL of the NATS server is missing")
}

func TestInProcessConnection(t *testing.T) {
	t.Parallel()
	server, err := natsserver.Start(natsserver.Config{Dir: t.TempDir(), NoSync: true})
	require.NoError(t, err)
	t.Cleanup(server.Stop)
	require.Empty(t, server.ClientURL())
	responder := bustest.ConnectWith(t, bus.Config{InProcess: server})
	serve(t, responder, bus.ServiceInfo{Name: bus.ServiceQueryExecutor}, echo)
	caller := bustest.ConnectWith(t, bus.Config{InProcess: server})
	_, body, err := call(t.Context(), caller, "hello")
	require.NoError(t, err)
	require.Equal(t, "hello", body)
}

func TestCloseTwice(t *testing.T) {
	t.Parallel()
	b := bustest.Connect(t, bustest.Server(t))
	require.NotEmpty(t, b.Instance())
	b.Close()
	b.Close()
	require.ErrorContains(t, b.Status(), "closed")
	_, _, err := call(t.Context(), b, "")
	require.Equal(t, http.StatusServiceUnavailable, apierror.From(err).Status)
}
