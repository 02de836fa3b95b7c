package hook_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/logtype"
	"queryengine/pkg/telemetry"
	"queryengine/services/gateway/internal/hook"
)

func TestLog(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log, err := telemetry.NewLog(&out, "info", []string{"webhook-log"})
	require.NoError(t, err)
	status := http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(`{"X-Engine-Role":"clerk"}`))
	}))
	h, err := hook.New(hook.Config{URL: server.URL + "/who?key=hush"}, server.Client(), telemetry.Of(log.Logger("gateway"), logtype.Webhook))
	require.NoError(t, err)
	header := http.Header{"Authorization": {"Bearer hush"}, "Cookie": {"hush"}}
	_, err = h.Authenticate(t.Context(), header, nil)
	require.NoError(t, err)
	status = http.StatusTeapot
	_, err = h.Authenticate(t.Context(), header, nil)
	require.Error(t, err)
	server.Close()
	_, err = h.Authenticate(t.Context(), header, nil)
	require.Error(t, err)

	log.Flush()
	require.NotContains(t, out.String(), "hush")
	var got []map[string]any
	for line := range strings.Lines(out.String()) {
		var l struct {
			Level, Type string
			Detail      map[string]any
		}
		require.NoError(t, json.Unmarshal([]byte(line), &l))
		require.Equal(t, "webhook-log", l.Type)
		l.Detail["level"] = l.Level
		got = append(got, l.Detail)
	}
	require.Len(t, got, 3)
	url := server.URL + "/who"
	require.Equal(t, map[string]any{
		"level": "info", "status_code": 200.0, "url": url, "method": "GET", "http_error": nil, "response": nil, "message": nil,
	}, got[0])
	require.Equal(t, map[string]any{
		"level": "error", "status_code": 418.0, "url": url, "method": "GET", "http_error": nil, "response": nil,
		"message": "the status is none of 200 and 401",
	}, got[1])
	require.Contains(t, got[2]["http_error"], "refused")
	require.Nil(t, got[2]["status_code"])
}
