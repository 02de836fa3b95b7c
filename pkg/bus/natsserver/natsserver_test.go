package natsserver_test

import (
	"log/slog"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/bus/natsserver"
	"queryengine/pkg/logtest"
)

func connect(t *testing.T, s *natsserver.Server) *nats.Conn {
	t.Helper()
	nc, err := nats.Connect(s.ClientURL())
	require.NoError(t, err)
	t.Cleanup(nc.Close)
	return nc
}

func TestDataOutlivesTheServer(t *testing.T) {
	t.Parallel()
	config := natsserver.Config{Dir: t.TempDir(), Port: -1}
	s, err := natsserver.Start(config)
	require.NoError(t, err)
	js, err := jetstream.New(connect(t, s))
	require.NoError(t, err)
	_, err = js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "S", Subjects: []string{"s"}})
	require.NoError(t, err)
	_, err = js.Publish(t.Context(), "s", []byte("kept"))
	require.NoError(t, err)
	s.Stop()
	s.Stop()

	s, err = natsserver.Start(config)
	require.NoError(t, err)
	t.Cleanup(s.Stop)
	js, err = jetstream.New(connect(t, s))
	require.NoError(t, err)
	stream, err := js.Stream(t.Context(), "S")
	require.NoError(t, err)
	m, err := stream.GetLastMsgForSubject(t.Context(), "s")
	require.NoError(t, err)
	require.Equal(t, "kept", string(m.Data))
}

func TestPayloadOfEightMegabytes(t *testing.T) {
	t.Parallel()
	s, err := natsserver.Start(natsserver.Config{Dir: t.TempDir(), Port: -1, NoSync: true})
	require.NoError(t, err)
	t.Cleanup(s.Stop)
	require.EqualValues(t, 8<<20, connect(t, s).MaxPayload())
	require.Positive(t, s.Port())
}

func TestNoPortMeansNoListener(t *testing.T) {
	t.Parallel()
	s, err := natsserver.Start(natsserver.Config{Dir: t.TempDir(), NoSync: true})
	require.NoError(t, err)
	t.Cleanup(s.Stop)
	require.Empty(t, s.ClientURL())
	require.Zero(t, s.Port())
	nc, err := nats.Connect("", nats.InProcessServer(s))
	require.NoError(t, err)
	defer nc.Close()
	require.NoError(t, nc.FlushTimeout(30*time.Second))
}

func TestWhatCannotStartSaysWhy(t *testing.T) {
	t.Parallel()
	_, err := natsserver.Start(natsserver.Config{})
	require.ErrorContains(t, err, "needs a data directory")

	dir := t.TempDir()
	s, err := natsserver.Start(natsserver.Config{Dir: dir, NoSync: true})
	require.NoError(t, err)
	t.Cleanup(s.Stop)
	_, err = natsserver.Start(natsserver.Config{Dir: dir, NoSync: true})
	require.ErrorContains(t, err, "in use by another process")

	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	port := l.Addr().(*net.TCPAddr).Port
	start := time.Now()
	_, err = natsserver.Start(natsserver.Config{Dir: t.TempDir(), Port: port, NoSync: true})
	require.ErrorContains(t, err, strconv.Itoa(port))
	require.Less(t, time.Since(start), 15*time.Second, "less than a server is waited for")
}

// TestFailedLoginsDontFillTheLog: anyone who can connect to the port can fail to log in as often as they like.
func TestFailedLoginsDontFillTheLog(t *testing.T) {
	t.Parallel()
	var log logtest.Buffer
	server, err := natsserver.Start(natsserver.Config{
		Dir: t.TempDir(), Port: -1, NoSync: true, Users: []natsserver.User{{Name: "gateway", Password: "right"}},
		Logger: slog.New(slog.NewTextHandler(&log, nil)),
	})
	require.NoError(t, err)
	defer server.Stop()
	for range 5 {
		_, err := nats.Connect(server.ClientURL(), nats.UserInfo("gateway", "wrong"))
		require.Error(t, err)
	}
	require.NotContains(t, log.String(), "level=ERROR")
	require.Equal(t, 1, strings.Count(log.String(), "authentication error"), log.String())
}
