package accesslog_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/services/gateway/internal/accesslog"
)

func entry() *accesslog.Entry {
	r := httptest.NewRequest(http.MethodPost, "/v1/graphql?x=1", nil)
	r.RemoteAddr = "10.0.0.7:4711"
	return &accesslog.Entry{
		Time: time.Date(2026, 3, 1, 9, 0, 0, 123e6, time.UTC), RequestID: "id-1", Request: r, Status: 200,
		Variables: map[string]string{"x-engine-role": "clerk"}, Mode: accesslog.ModeSingle,
		Sent: 10, Size: 20, Read: time.Millisecond, Executed: 2500 * time.Microsecond,
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	l := accesslog.New(&out, slog.LevelInfo)
	l.Write(entry())
	failed := entry()
	failed.Encoding, failed.Variables = "gzip", nil
	failed.Query = []byte(`{"query":"{ a }"}`)
	failed.Error = apierror.New(apierror.Unexpected, `broken "thing"`).WithInternal("why")
	failed.Request.Header.Set("X-Forwarded-For", "192.0.2.1")
	l.Write(failed)
	l.Close()
	l.Close()
	l.Write(entry())
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 2)
	require.JSONEq(t, `{"timestamp":"2026-03-01T09:00:00.123+0000","level":"info","type":"http-log","detail":{"request_id":"id-1",
		"http_info":{"status":200,"method":"POST","ip":"10.0.0.7","url":"/v1/graphql","http_version":"HTTP/1.1","content_encoding":null},
		"operation":{"request_id":"id-1","user_vars":{"x-engine-role":"clerk"},"request_mode":"single","query":null,
			"response_size":10,"uncompressed_response_size":20,"request_read_time":0.001,"query_execution_time":0.0025}}}`, lines[0])
	require.JSONEq(t, `{"timestamp":"2026-03-01T09:00:00.123+0000","level":"error","type":"http-log","detail":{"request_id":"id-1",
		"http_info":{"status":200,"method":"POST","ip":"192.0.2.1","url":"/v1/graphql","http_version":"HTTP/1.1","content_encoding":"gzip"},
		"operation":{"request_id":"id-1","request_mode":"single","query":{"query":"{ a }"},
			"response_size":10,"uncompressed_response_size":20,"request_read_time":0.001,"query_execution_time":0.0025,
			"error":{"path":"$","error":"broken \"thing\"","code":"unexpected","internal":"why"}}}}`, lines[1])
}

func TestLevel(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	l := accesslog.New(&out, slog.LevelError)
	l.Write(entry())
	l.Close()
	require.Empty(t, out.String())

	var none *accesslog.Log
	none.Write(entry())
	none.Close()
}

func TestOutputThatCannotKeepUp(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	l := accesslog.New(w, slog.LevelInfo)
	big := entry()
	big.RequestID = strings.Repeat("x", 1<<20)
	for range 40 {
		l.Write(big) // nobody reads, and yet it returns
	}
	var lines sync.WaitGroup
	var left int
	var last map[string]any
	lines.Go(func() {
		d := json.NewDecoder(r)
		for d.Decode(&last) == nil {
			if detail, ok := last["detail"].(map[string]any); ok && detail["message"] != nil {
				left++
			}
		}
	})
	require.Eventually(t, func() bool { l.Write(entry()); return l.Waiting() < 1<<20 }, 10*time.Second, 10*time.Millisecond)
	l.Write(entry())
	l.Close()
	require.NoError(t, w.Close())
	lines.Wait()
	require.Positive(t, left, "the lines that were left out are counted")
}
