package telemetry

import (
	"bytes"
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/logtype"
)

// written is what a log in text writes of lines, without the times.
func written(t *testing.T, level string, lines func(*slog.Logger)) []string {
	t.Helper()
	var out bytes.Buffer
	log, err := NewLog(&out, level, []string{string(logtype.Startup), string(logtype.HTTP)})
	require.NoError(t, err)
	log.SetFormat(FormatText)
	lines(log.Logger("gateway"))
	log.Flush()
	var got []string
	for line := range strings.Lines(out.String()) {
		_, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		got = append(got, rest)
	}
	return got
}

func TestLinesForPeople(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{
		`WARN     gateway              NATS does not answer yet server=nats.example attempts=3`,
		`ERROR    gateway              failed error="a \"b\"\nc" list=["x","y"]`,
		`INFO     startup              started version=1.2.3`,
		`INFO     http-log             POST /v1/graphql 200 1.5ms 42B role=clerk ip=127.0.0.1 request_id=r-1`,
	}, written(t, "info", func(l *slog.Logger) {
		l.Debug("not at this level")
		l.Warn("NATS does not answer yet", "server", "nats.example", "attempts", 3, "nothing", nil)
		l.Error("failed", "error", "a \"b\"\nc", "list", []string{"x", "y"})
		startup := Of(l, logtype.Startup)
		startup.Info("", "kind", "server_configuration", "info", strings.Repeat("x", 5000))
		startup.Info("", "kind", "server", slog.Group("info", "message", "started", "version", "1.2.3"))
		Of(l, logtype.HTTP).Info("",
			slog.Group("http_info", "method", "POST", "url", "/v1/graphql", "status", 200, "ip", "127.0.0.1"),
			slog.Group("operation", "query_execution_time", 0.0015, "response_size", 42, "request_id", "r-1", "error", nil,
				slog.Group("user_vars", "x-engine-role", "clerk")))
	}))
}

func TestTheConfigurationIsForTheCurious(t *testing.T) {
	t.Parallel()
	lines := written(t, "debug", func(l *slog.Logger) {
		Of(l, logtype.Startup).Info("", "kind", "server_configuration", "info", strings.Repeat("x", 5000))
	})
	require.Len(t, lines, 1)
	require.Less(t, len(lines[0]), 400, "values are cut")
}

func TestFormatOfAnOutput(t *testing.T) {
	t.Parallel()
	file, err := os.Create(t.TempDir() + "/log")
	require.NoError(t, err)
	t.Cleanup(func() { _ = file.Close() })
	device, err := os.Open(os.DevNull) // as a terminal, no file of a disk
	require.NoError(t, err)
	t.Cleanup(func() { _ = device.Close() })
	require.Equal(t, FormatJSON, FormatAuto.For(&bytes.Buffer{}))
	require.Equal(t, FormatJSON, FormatAuto.For(file))
	require.Equal(t, FormatText, FormatAuto.For(device))
	require.Equal(t, FormatText, FormatText.For(file))
	require.Equal(t, FormatJSON, FormatJSON.For(device))
}
