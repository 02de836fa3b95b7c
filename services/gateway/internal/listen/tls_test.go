package listen_test

import (
	"bytes"
	"crypto/tls"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/logtest"
	"queryengine/pkg/telemetry"
	"queryengine/services/gateway/internal/listen"
	"queryengine/services/gateway/internal/listen/listentest"
)

// files writes what a TLS listener needs, and returns where.
func files(t *testing.T, authority *listentest.Authority, name string) listen.Files {
	t.Helper()
	dir := t.TempDir()
	f := listen.Files{Certificate: filepath.Join(dir, "tls.crt"), Key: filepath.Join(dir, "tls.key"), ClientCA: filepath.Join(dir, "ca.crt")}
	renew(t, f, authority, name)
	write(t, f.ClientCA, authority.PEM)
	return f
}

func renew(t *testing.T, f listen.Files, authority *listentest.Authority, name string) {
	t.Helper()
	certificate, key := authority.Issue(t, name)
	write(t, f.Certificate, certificate)
	write(t, f.Key, key)
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, data, 0o600))
}

// nameAt connects, and returns whose certificate the server has.
func nameAt(t *testing.T, l net.Listener, authority *listentest.Authority) string {
	t.Helper()
	c, err := tls.Dial("tcp", l.Addr().String(), &tls.Config{RootCAs: authority.Pool()})
	require.NoError(t, err)
	defer c.Close()
	return c.ConnectionState().PeerCertificates[0].Subject.CommonName
}

// serve accepts connections and greets them.
func serve(t *testing.T, secure *listen.TLS) net.Listener {
	t.Helper()
	plain, err := listen.Listen(t.Context(), "tcp", "127.0.0.1:0", 5*time.Second)
	require.NoError(t, err)
	l := tls.NewListener(plain, secure.Config())
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				_, _ = c.Write([]byte("hello"))
			}()
		}
	}()
	return l
}

func TestRenewedCertificate(t *testing.T) {
	t.Parallel()
	authority := listentest.NewAuthority(t)
	f := files(t, authority, "first")
	var logs logtest.Buffer
	secure, err := listen.NewTLS(f, slog.New(slog.NewTextHandler(&logs, nil)))
	require.NoError(t, err)
	l := serve(t, secure)
	require.Equal(t, "first", nameAt(t, l, authority))

	renew(t, f, authority, "second")
	seen := func(name string) func() bool { return func() bool { return nameAt(t, l, authority) == name } }
	require.Eventually(t, seen("second"), 30*time.Second, 20*time.Millisecond)
	require.Eventually(t, func() bool { return strings.Contains(logs.String(), "certificate renewed") }, 30*time.Second, time.Millisecond)

	certificate, _ := authority.Issue(t, "without its key")
	write(t, f.Certificate, certificate)
	said := func(text string) func() bool {
		return func() bool {
			require.Equal(t, "second", nameAt(t, l, authority), "the last good one stays")
			return bytes.Contains([]byte(logs.String()), []byte(text))
		}
	}
	require.Eventually(t, said("does not match public key"), 30*time.Second, 20*time.Millisecond)
	require.NoError(t, os.Remove(f.Key))
	require.Eventually(t, said("no such file"), 30*time.Second, 20*time.Millisecond)

	renew(t, f, authority, "third")
	require.Eventually(t, seen("third"), 30*time.Second, 20*time.Millisecond)
}

func TestFilesThatAreWrong(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(t *testing.T, f listen.Files)
		want  string
	}{
		"no certificate": {func(t *testing.T, f listen.Files) { t.Helper(); require.NoError(t, os.Remove(f.Certificate)) }, "no such file"},
		"no key":         {func(t *testing.T, f listen.Files) { t.Helper(); require.NoError(t, os.Remove(f.Key)) }, "no such file"},
		"no PEM":         {func(t *testing.T, f listen.Files) { t.Helper(); write(t, f.Certificate, []byte("x")) }, "failed to find any PEM data"},
		"no authority":   {func(t *testing.T, f listen.Files) { t.Helper(); write(t, f.ClientCA, []byte("x")) }, "hold no certificate"},
		"another key": {func(t *testing.T, f listen.Files) {
			t.Helper()
			_, key := listentest.NewAuthority(t).Issue(t, "another")
			write(t, f.Key, key)
		}, "private key does not match public key"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := files(t, listentest.NewAuthority(t), "server")
			c.spoil(t, f)
			_, err := listen.NewTLS(f, telemetry.Discard())
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), "\n")
		})
	}
}

func TestFilesThatBelongTogether(t *testing.T) {
	t.Parallel()
	require.NoError(t, listen.Files{}.Validate())
	require.NoError(t, listen.Files{Certificate: "c", Key: "k", ClientCA: "a"}.Validate())
	require.ErrorContains(t, listen.Files{Certificate: "c"}.Validate(), "its key")
	require.ErrorContains(t, listen.Files{Key: "k"}.Validate(), "its key")
	require.ErrorContains(t, listen.Files{ClientCA: "a"}.Validate(), "need a certificate")
}
