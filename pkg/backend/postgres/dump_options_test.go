package postgres

import (
	"net"
	"os/exec"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend/postgres/schedule"
	"queryengine/pkg/backend/postgres/wire"
)

func TestDumpOptions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ given, want []string }{
		{nil, nil},
		{
			[]string{"-O", "-x", "--schema-only", "--schema", "public"},
			[]string{"--no-owner", "--no-privileges", "--schema-only", "--schema=public"},
		},
		{[]string{"-sOx", "-npublic", "-t", "a b"}, []string{"--schema-only", "--no-owner", "--no-privileges", "--schema=public", "--table=a b"}},
		{[]string{"-sn", "--file=x"}, []string{"--schema-only", "--schema=--file=x"}},
		{[]string{"--table=", "--section=pre-data"}, []string{"--table=", "--section=pre-data"}},
	} {
		got, err := checkedDumpOptions(c.given)
		require.NoError(t, err, c.given)
		require.Equal(t, c.want, got)
	}
}

func TestRefusedDumpOptions(t *testing.T) {
	t.Parallel()
	for _, refused := range [][]string{
		{"-h", "evil.test"},
		{"-hevil.test"},
		{"-sh", "evil.test"},
		{"--host=evil.test"},
		{"--host", "evil.test"},
		{"--hos=evil.test"},
		{"-p", "1"},
		{"--port=1"},
		{"-d", "host=evil.test"},
		{"--dbname=postgres://evil.test"},
		{"-U", "x"},
		{"-W"},
		{"-f", "/tmp/x"},
		{"--file=/tmp/x"},
		{"-F", "d"},
		{"--format=d"},
		{"-j", "4"},
		{"--jobs=4"},
		{"-Z", "9"},
		{"--compress=9"},
		{"--filter=/etc/passwd"},
		{"-E", "LATIN1"},
		{"--encoding=LATIN1"},
		{"--binary-upgrade"},
		{"--restrict-key=x"},
		{"postgres://evil.test/x"},
		{"host=evil.test"},
		{"--"},
		{"-"},
		{""},
		{"--schema-only=yes"},
		{"-V"},
		{"--help"},
	} {
		_, err := checkedDumpOptions(append([]string{"-s"}, refused...))
		require.Error(t, err, refused)
		require.Equal(t, apierror.NotSupported, apierror.From(err).Code, refused)
		require.Equal(t, "$.opts[1]", apierror.From(err).Path, refused)
	}
	for _, unfinished := range [][]string{{"-n"}, {"--schema"}, {"-sn"}} {
		_, err := checkedDumpOptions(unfinished)
		require.Equal(t, apierror.BadRequest, apierror.From(err).Code, unfinished)
	}
}

// TestDumpOfAnotherServer shows that no option sends the password of a source elsewhere.
func TestDumpOfAnotherServer(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("pg_dump"); err != nil {
		t.Skip("pg_dump is not on PATH")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	port := strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
	s := &Server{primary: &schedule.Scheduler{Pool: &wire.Pool{Endpoint: wire.Endpoint{URL: func() (string, error) { return "postgres://u:hunter2@127.0.0.1:1/x", nil }}}}}
	for _, options := range [][]string{{"-h", "127.0.0.1", "-p", port}, {"host=127.0.0.1 port=" + port}} {
		require.Error(t, s.Dump(t.Context(), options, t.Output()))
	}
	ours, err := net.Dial("tcp", listener.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = ours.Close() })
	first, err := listener.Accept()
	require.NoError(t, err)
	require.Equal(t, ours.LocalAddr(), first.RemoteAddr(), "no one connected before us")
	require.NoError(t, first.Close())
}
