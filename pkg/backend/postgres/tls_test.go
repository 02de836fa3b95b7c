package postgres

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/binary"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend/postgres/schedule"
	"queryengine/pkg/backend/postgres/wire"
)

// identity is a self-signed certificate for 127.0.0.1 and its key, as PEM.
type identity struct{ cert, key string }

func newIdentity(t *testing.T) identity {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: "test"},
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		DNSNames: []string{"db.test"},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	private, err := x509.MarshalECPrivateKey(key)
	require.NoError(t, err)
	return identity{
		cert: string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})),
		key:  string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: private})),
	}
}

// serveTLS answers connections as a PostgreSQL server with TLS does, up to the handshake,
// whose result it reports: how many certificates the client sent, or -1.
func serveTLS(t *testing.T, server identity) (address string, handshakes <-chan int) {
	t.Helper()
	pair, err := tls.X509KeyPair([]byte(server.cert), []byte(server.key))
	require.NoError(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	results := make(chan int, 10)
	go func() {
		for {
			raw, err := listener.Accept()
			if err != nil {
				return
			}
			results <- handshake(raw, pair)
		}
	}()
	return "postgres://me@" + listener.Addr().String() + "/shop", results
}

func handshake(raw net.Conn, pair tls.Certificate) int {
	defer raw.Close()
	request := make([]byte, 8)
	if _, err := io.ReadFull(raw, request); err != nil || binary.BigEndian.Uint32(request[4:]) != 80877103 {
		return -1
	}
	if _, err := raw.Write([]byte("S")); err != nil {
		return -1
	}
	conn := tls.Server(raw, &tls.Config{
		Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequestClientCert, MaxVersion: tls.VersionTLS12,
	})
	if conn.Handshake() != nil {
		return -1
	}
	return len(conn.ConnectionState().PeerCertificates)
}

func TestTLSModes(t *testing.T) {
	t.Parallel()
	server, other := newIdentity(t), newIdentity(t)
	for name, c := range map[string]struct {
		tls  wire.TLS
		want int // certificates that the client sent, -1 for no handshake
	}{
		"require":                       {wire.TLS{Mode: "require"}, 0},
		"require with the root":         {wire.TLS{Mode: "require", RootCert: server.cert}, 0},
		"require with another root":     {wire.TLS{Mode: "require", RootCert: other.cert}, -1},
		"verify-ca":                     {wire.TLS{Mode: "verify-ca", RootCert: server.cert}, 0},
		"verify-ca with another root":   {wire.TLS{Mode: "verify-ca", RootCert: other.cert}, -1},
		"verify-full with another name": {wire.TLS{Mode: "verify-full", RootCert: server.cert}, -1},
		"client certificate":            {wire.TLS{Mode: "require", Cert: other.cert, Key: other.key}, 1},
		"disable":                       {wire.TLS{Mode: "disable"}, -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, handshakes := serveTLS(t, server)
			s, err := Open(t.Context(), Options{Primary: schedule.Endpoint{Endpoint: wire.Endpoint{URL: func() (string, error) { return address, nil }, TLS: &c.tls}}})
			require.NoError(t, err)
			defer s.Close()
			require.Error(t, s.Ping(t.Context()), "this server says nothing more")
			require.Equal(t, c.want, <-handshakes)
		})
	}
}

func TestTLSErrors(t *testing.T) {
	t.Parallel()
	good, other := newIdentity(t), newIdentity(t)
	for message, c := range map[string]wire.TLS{
		"root certificate error": {Mode: "verify-ca", RootCert: "x"},
		"private-key error":      {Mode: "require", Cert: good.cert, Key: "x"},
		"certificate error":      {Mode: "require", Cert: good.cert, Key: other.key},
	} {
		_, err := wire.DriverConfig("postgres://a/b", &c)
		requireError(t, err, apierror.PostgresError, message)
	}
}

func TestTLSModeInBothForms(t *testing.T) {
	t.Parallel()
	require.Equal(t, "postgres://a/b?application_name=x&sslmode=require",
		wire.WithMode("postgres://a/b?sslmode=disable&application_name=x", "require"))
	config, err := wire.DriverConfig("host=a sslmode=disable", &wire.TLS{Mode: "verify-full"})
	require.NoError(t, err)
	require.Equal(t, "a", config.TLSConfig.ServerName)
	require.Empty(t, config.Fallbacks)
}
