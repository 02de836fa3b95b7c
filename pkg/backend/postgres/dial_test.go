package postgres

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend/postgres/schedule"
	"queryengine/pkg/backend/postgres/wire"
	"queryengine/pkg/dbtest"
)

// showJIT is the server's setting on a new connection of the source at an address.
func showJIT(t *testing.T, address string) string {
	t.Helper()
	s, err := Open(t.Context(), Options{Primary: schedule.Endpoint{Endpoint: wire.Endpoint{URL: func() (string, error) { return address, nil }}}})
	require.NoError(t, err)
	defer s.Close()
	c, err := s.primary.Acquire(t.Context())
	if err != nil {
		t.Fatalf("%s", apierror.From(err).InternalJSON())
	}
	defer c.Release()
	r := c.PG.ExecParams(t.Context(), "SHOW jit", nil, nil, nil, nil).Read()
	require.NoError(t, r.Err)
	return string(r.Rows[0][0])
}

func TestJITIsOffUnlessTheAddressSetsIt(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "", nil)
	require.Equal(t, "off", showJIT(t, f.url))

	for parameter, value := range map[string]string{"jit": "on", "options": "-c jit=on"} {
		require.Equal(t, "on", showJIT(t, dbtest.With(t, f.url, parameter, value)), parameter)
	}
}

// A pooler refuses settings that it does not know, as PgBouncer does.
func TestPoolersThatDoNotKnowTheSettingAreUsedWithoutIt(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "", nil)
	u, err := url.Parse(f.url)
	require.NoError(t, err)
	var refused atomic.Int32
	u.Host = listenAsPooler(t, u.Host, &refused)
	s, err := Open(t.Context(), Options{Primary: schedule.Endpoint{Endpoint: wire.Endpoint{URL: func() (string, error) { return u.String(), nil }}}})
	require.NoError(t, err)
	defer s.Close()

	first, err := s.primary.Acquire(t.Context())
	require.NoError(t, err)
	defer first.Release()
	second, err := s.primary.Acquire(t.Context())
	require.NoError(t, err)
	defer second.Release()
	require.NoError(t, second.PG.Ping(t.Context()))
	require.EqualValues(t, 1, refused.Load(), "the second connection knows that the setting is refused")
}

// listenAsPooler passes connections on to a server, except those whose startup message has
// the setting jit.
func listenAsPooler(t *testing.T, server string, refused *atomic.Int32) (address string) {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go passOn(c, server, refused)
		}
	}()
	return l.Addr().String()
}

func passOn(client net.Conn, server string, refused *atomic.Int32) {
	defer func() { _ = client.Close() }()
	length := make([]byte, 4)
	if _, err := io.ReadFull(client, length); err != nil {
		return
	}
	startup := make([]byte, binary.BigEndian.Uint32(length)-4)
	if _, err := io.ReadFull(client, startup); err != nil {
		return
	}
	if bytes.Contains(startup, []byte("\x00jit\x00")) {
		refused.Add(1)
		answer, _ := (&pgproto3.ErrorResponse{
			Severity: "FATAL", Code: "08P01", Message: "unsupported startup parameter: jit",
		}).Encode(nil)
		_, _ = client.Write(answer)
		return
	}
	upstream, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", server)
	if err != nil {
		return
	}
	defer func() { _ = upstream.Close() }()
	_, _ = upstream.Write(append(length, startup...))
	go func() { _, _ = io.Copy(upstream, client) }()
	_, _ = io.Copy(client, upstream)
}
