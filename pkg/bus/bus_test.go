package bus_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"queryengine/pkg/bus"
	"queryengine/pkg/bus/bustest"
	"queryengine/pkg/bus/natsserver"
	queryv1 "queryengine/proto/query/v1"
)

// pair is a server and two processes: one that calls and one that answers.
type pair struct {
	server    *natsserver.Server
	caller    *bus.Bus
	responder *bus.Bus
	service   *bus.Service
}

type setupOption func(*setupConfig)

type setupConfig struct {
	info      bus.ServiceInfo
	caller    bus.Config
	responder bus.Config
}

func withConcurrency(n int) setupOption {
	return func(c *setupConfig) { c.info.Concurrency = n }
}

func withHeartbeat(d time.Duration) setupOption {
	return func(c *setupConfig) { c.caller.Heartbeat, c.responder.Heartbeat = d, d }
}

func setup(t testing.TB, h bus.Handler, options ...setupOption) *pair {
	t.Helper()
	c := &setupConfig{info: bus.ServiceInfo{Name: bus.ServiceQueryExecutor, Version: "1.2.3"}}
	for _, o := range options {
		o(c)
	}
	p := &pair{server: bustest.Server(t)}
	c.caller.URL, c.responder.URL = p.server.ClientURL(), p.server.ClientURL()
	p.caller = bustest.ConnectWith(t, c.caller)
	p.responder = bustest.ConnectWith(t, c.responder)
	p.service = serve(t, p.responder, c.info, h)
	return p
}

// serve has h answer bus.QueryExecute.
func serve(t testing.TB, b *bus.Bus, info bus.ServiceInfo, h bus.Handler) *bus.Service {
	t.Helper()
	s, err := b.Register(t.Context(), info)
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = s.Stop(ctx)
	})
	require.NoError(t, s.Handle(bus.QueryExecute, newRequest, h))
	return s
}

func newRequest() proto.Message { return &queryv1.ExecuteRequest{} }
func newHead() proto.Message    { return &queryv1.ExecuteHead{} }

// call asks for bus.QueryExecute and gives the whole answer.
func call(ctx context.Context, b *bus.Bus, query string) (*queryv1.ExecuteHead, string, error) {
	head, body, err := b.CallMessage(ctx, bus.QueryExecute, &queryv1.ExecuteRequest{Query: query}, newHead, 1<<30)
	if err != nil {
		return nil, "", err
	}
	return head.(*queryv1.ExecuteHead), string(body), nil
}

// echo answers with the query of the request.
func echo(_ context.Context, req proto.Message, w bus.ResponseWriter) error {
	_, err := w.Write([]byte(req.(*queryv1.ExecuteRequest).GetQuery()))
	return err
}

// ways runs a test for all ways of a call: through NATS, directly, and within the process.
func ways(t *testing.T, h bus.Handler, test func(t *testing.T, caller *bus.Bus)) {
	t.Helper()
	t.Run("remote", func(t *testing.T) {
		t.Parallel()
		test(t, setup(t, h).caller)
	})
	t.Run("direct", func(t *testing.T) {
		t.Parallel()
		test(t, setupDirect(t, h, 0).caller)
	})
	t.Run("local", func(t *testing.T) {
		t.Parallel()
		test(t, setup(t, h).responder)
	})
}

// patience is how long a test waits for what has to come.
const patience = 30 * time.Second

// awaitSignal waits for a signal.
func awaitSignal(t testing.TB, signal <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-signal:
	case <-time.After(patience):
		require.FailNow(t, what)
	}
}

// recorder is a sink that keeps what it gets.
type recorder struct {
	heads []proto.Message
	body  bytes.Buffer
	write func(p []byte) error // called for each piece
}

func (r *recorder) Head(m proto.Message) error {
	r.heads = append(r.heads, m)
	return nil
}

func (r *recorder) Write(p []byte) (int, error) {
	if r.write != nil {
		if err := r.write(p); err != nil {
			return 0, err
		}
	}
	return r.body.Write(p)
}
