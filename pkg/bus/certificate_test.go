package bus

import (
	"net"
	"strconv"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/bus/natsserver"
)

// A server with a certificate of its own is trusted only by clients that were given it.
func TestDirectServerWithTLS(t *testing.T) {
	t.Parallel()
	own, err := selfSigned()
	require.NoError(t, err)
	other, err := selfSigned()
	require.NoError(t, err)
	s, err := natsserver.StartDirect(natsserver.DirectConfig{
		Host: "127.0.0.1", MaxPayload: 1 << 20, TLS: own, Caller: natsserver.User{Name: "caller", Password: "secret"},
	})
	require.NoError(t, err)
	t.Cleanup(s.Stop)
	connect := func(certificate []byte) error {
		trust, err := trustOnly(certificate)
		require.NoError(t, err)
		nc, err := nats.Connect("nats://"+net.JoinHostPort("127.0.0.1", strconv.Itoa(s.Port())), nats.UserInfo("caller", "secret"), nats.Secure(trust))
		if err == nil {
			nc.Close()
		}
		return err
	}
	require.NoError(t, connect(own.Certificates[0].Certificate[0]))
	require.ErrorContains(t, connect(other.Certificates[0].Certificate[0]), "certificate")
}
