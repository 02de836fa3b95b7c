package mssql

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend/mssql/tdstest"
)

// identity is a certificate of 127.0.0.1 that signs itself, and the file that it is in.
func identity(t *testing.T) (pair tls.Certificate, file string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	file = filepath.Join(t.TempDir(), "authority.pem")
	require.NoError(t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, file
}

func TestEncryption(t *testing.T) {
	t.Parallel()
	pair, authority := identity(t)
	_, other := identity(t)
	text := strings.Repeat("x", 1000) // enough rows of it for several packets and records
	many := slices.Repeat([]string{text}, 100)
	open := func(config *tls.Config) *script {
		s := &script{run: func(_ context.Context, _ tdstest.Request, yield func(tdstest.Result) bool) {
			result := row("nvarchar", text)
			result.Rows = tdstest.Rows(slices.Repeat([][]*string{{&text}}, len(many))...)
			yield(result)
		}}
		s.Server = tdstest.NewTLS(t, config, func(l tdstest.Login) (tdstest.Session, error) {
			if l.User != "sa" || l.Password != "Pass;word" {
				return nil, fmt.Errorf("%s may not log in", l.User)
			}
			return &scripted{s}, nil
		})
		return s
	}
	plain, encrypted := open(nil), open(&tls.Config{Certificates: []tls.Certificate{pair}})
	for _, c := range []struct {
		server  *script
		options string
		fault   string // what the operator reads; "" for none
	}{
		{encrypted, "Encrypt=yes;Certificate=" + authority, ""},
		{encrypted, "Encrypt=strict;Certificate=" + authority, ""},
		{encrypted, "Encrypt=yes;ServerCertificate=" + authority, ""},
		{encrypted, "Encrypt=yes;TrustServerCertificate=yes", ""},
		{encrypted, "Encrypt=optional", ""},
		{encrypted, "Encrypt=no;TrustServerCertificate=no", ""},
		{encrypted, "Driver={ODBC Driver 17 for SQL Server}", ""},
		{encrypted, "Encrypt=disable", ""},
		{plain, "Encrypt=optional", ""},
		{plain, "Driver={ODBC Driver 17 for SQL Server}", ""},
		{plain, "", "server does not support encryption"},
		{encrypted, "", "certificate signed by unknown authority"},
		{encrypted, "Encrypt=yes", "certificate signed by unknown authority"},
		{encrypted, "Encrypt=strict", "certificate signed by unknown authority"},
		{encrypted, "Encrypt=strict;TrustServerCertificate=yes", "certificate signed by unknown authority"},
		{encrypted, "Encrypt=yes;Certificate=" + other, "certificate signed by unknown authority"},
		{encrypted, "Encrypt=optional;Certificate=" + other, "certificate signed by unknown authority"},
		{encrypted, "Encrypt=yes;HostNameInCertificate=db.test;Certificate=" + authority, "certificate is not valid for any names"},
		{plain, "Encrypt=yes", "server does not support encryption"},
	} {
		t.Run(c.options, func(t *testing.T) {
			host, port := c.server.Address()
			info := ConnectionInfo{IsolationLevel: "read-committed", ConnectionString: quoted(
				fmt.Sprintf("SERVER=%s,%d;UID=sa;PWD={Pass;word};%s", host, port, c.options))}
			o, err := Configure(Configuration{ConnectionInfo: info}, environment(nil), "")
			require.NoError(t, err)
			source := Open(o)
			defer source.Close()
			if c.fault == "" {
				var together errgroup.Group // several handshakes at once
				for range 4 {
					together.Go(func() error { return source.Ping(t.Context()) })
				}
				require.NoError(t, together.Wait())
				got, err := lines(t, source, "SELECT many")
				require.NoError(t, err)
				require.Equal(t, many, got)
				return
			}
			err = source.Ping(t.Context())
			var e *apierror.Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, apierror.MSSQLError, e.Code)
			require.Equal(t, "connection error", e.Message)
			require.Contains(t, e.Internal, c.fault)
		})
	}
}

func TestCertificateThatCantBeRead(t *testing.T) {
	t.Parallel()
	_, err := parseConnection("SERVER=db.test;UID=sa;PWD=secret;Encrypt=yes;Certificate=" + filepath.Join(t.TempDir(), "gone.pem"))
	require.ErrorContains(t, err, "the connection string of the source can't be used: its certificate can't be read: no such file or directory")
}
