package api_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/logtype"
	"queryengine/pkg/metadata"
	"queryengine/pkg/snapshot"
	"queryengine/pkg/telemetry"
	"queryengine/services/gateway/internal/api"
)

// follow begins to follow the metadata; the stream ends with the test, or when end is called.
func (w *world) follow(t *testing.T, query string, headers ...string) (lines *bufio.Scanner, response *http.Response, end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, w.server.URL+"/v1/metadata/changes"+query, nil)
	require.NoError(t, err)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err = http.DefaultClient.Do(r)
	require.NoError(t, err)
	t.Cleanup(func() { cancel(); _ = response.Body.Close() })
	return bufio.NewScanner(response.Body), response, cancel
}

// event reads the lines of one event.
func event(t *testing.T, lines *bufio.Scanner) string {
	t.Helper()
	var got []string
	for lines.Scan() {
		if lines.Text() == "" {
			return strings.Join(got, "\n")
		}
		got = append(got, lines.Text())
	}
	require.NoError(t, lines.Err())
	return "the end"
}

func TestFollowingTheMetadata(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	lines, response, _ := w.follow(t, "", admin...)
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.Equal(t, "text/event-stream; charset=utf-8", response.Header.Get("Content-Type"))
	require.Equal(t, "no-cache", response.Header.Get("Cache-Control"))
	require.Equal(t, "event: version\nid: 5\ndata: {\"resource_version\":5,\"is_consistent\":true}", event(t, lines))
	w.metadata.set(&snapshot.Snapshot{StreamID: "s", Version: 6, Inconsistent: []metadata.Inconsistency{{}}})
	require.Equal(t, "event: version\nid: 6\ndata: {\"resource_version\":6,\"is_consistent\":false}", event(t, lines))

	// What the client has isn't told again, however it names it.
	named, _, _ := w.follow(t, "?resource_version=6", admin...)
	again, _, _ := w.follow(t, "", append([]string{"Last-Event-ID", "6"}, admin...)...)
	old, _, _ := w.follow(t, "?resource_version=2", admin...)
	require.Contains(t, event(t, old), "id: 6\n")
	// A database that was restored begins another history, whose versions may be lower.
	w.metadata.set(&snapshot.Snapshot{StreamID: "other", Version: 4})
	for _, l := range []*bufio.Scanner{lines, named, again, old} {
		require.Contains(t, event(t, l), "id: 4\n")
	}
}

func TestFollowingTheMetadataIsRefused(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	const path = "/v1/metadata/changes"
	got := w.send(t, http.MethodGet, path, "")
	require.Equal(t, http.StatusUnauthorized, got.status)
	got = w.send(t, http.MethodGet, path, "", append([]string{"X-Engine-Role", "user"}, admin...)...)
	require.Equal(t, http.StatusBadRequest, got.status)
	require.Contains(t, got.body, `"code":"access-denied"`)
	for _, version := range []string{"x", "-1", "1.5", "99999999999999999999"} {
		got = w.send(t, http.MethodGet, path+"?resource_version="+version, "", admin...)
		require.Equal(t, http.StatusBadRequest, got.status, version)
		require.JSONEq(t, `{"error":"the version is no whole number","path":"$.resource_version","code":"bad-request"}`, got.body)
	}
	off := setup(t, func(w *world) { w.settings.Enabled[api.GroupMetadata] = false })
	require.Equal(t, http.StatusNotFound, off.send(t, http.MethodGet, path, "", admin...).status)
}

// TestFollowersAreBounded: one too many is refused, and let in when another has gone.
func TestFollowersAreBounded(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	var leave func()
	for range 100 {
		lines, response, end := w.follow(t, "", admin...)
		require.Equal(t, http.StatusOK, response.StatusCode)
		require.Contains(t, event(t, lines), "id: 5")
		leave = end
	}
	got := w.send(t, http.MethodGet, "/v1/metadata/changes", "", admin...)
	require.Equal(t, http.StatusServiceUnavailable, got.status)
	require.Equal(t, "5", got.header.Get("Retry-After"))
	require.JSONEq(t, `{"error":"too many clients follow the metadata: at most 100 may","path":"$","code":"busy"}`, got.body)
	leave()
	require.Eventually(t, func() bool {
		_, response, _ := w.follow(t, "", admin...)
		return response.StatusCode == http.StatusOK
	}, 30*time.Second, 10*time.Millisecond)
}

// TestFollowingEndsWithTheServer: it tells that the stream is whole.
func TestFollowingEndsWithTheServer(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	w.server.Close()
	a := api.New(w.settings, w.deps)
	w.server = httptest.NewServer(a.Handler())
	t.Cleanup(w.server.Close)
	lines, response, _ := w.follow(t, "", admin...)
	require.Contains(t, event(t, lines), "id: 5")
	a.StopWebSockets()
	rest, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Empty(t, rest)
}

// TestFollowerThatLeavesIsNoFault holds that a client ends its stream by going.
func TestFollowerThatLeavesIsNoFault(t *testing.T) {
	t.Parallel()
	out := make(lineOutput, 10)
	log, err := telemetry.NewLog(out, "info", []string{string(logtype.HTTP)})
	require.NoError(t, err)
	w := setup(t, func(w *world) { w.deps.Log = log.Logger("gateway") })
	lines, _, leave := w.follow(t, "", admin...)
	require.Contains(t, event(t, lines), "id: 5")
	leave()
	line := string(<-out)
	require.Contains(t, line, `"url":"/v1/metadata/changes"`)
	require.Contains(t, line, `"level":"info"`)
	require.NotContains(t, line, "context canceled")
}
