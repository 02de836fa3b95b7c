package e2e

import (
	"bufio"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// follower reads /v1/metadata/changes of a gateway.
type follower struct {
	t     *testing.T
	lines *bufio.Scanner
}

func (p *process) follow(t *testing.T, query string) follower {
	t.Helper()
	response, err := http.DefaultClient.Do(request(t, http.MethodGet, p.url+"/v1/metadata/changes"+query, ""))
	require.NoError(t, err)
	t.Cleanup(func() { _ = response.Body.Close() })
	require.Equal(t, http.StatusOK, response.StatusCode)
	return follower{t, bufio.NewScanner(response.Body)}
}

// await reads up to a version.
func (f follower) await(version int64) {
	f.t.Helper()
	for f.lines.Scan() {
		data, ok := strings.CutPrefix(f.lines.Text(), "data: ")
		if !ok {
			continue
		}
		var told struct {
			Version int64 `json:"resource_version"`
		}
		require.NoError(f.t, json.Unmarshal([]byte(data), &told))
		require.LessOrEqual(f.t, told.Version, version)
		if told.Version == version {
			return
		}
	}
	require.NoError(f.t, f.lines.Err())
	require.Fail(f.t, "the stream has ended")
}

func (p *process) version() int64 {
	p.t.Helper()
	var listed struct {
		Version int64 `json:"resource_version"`
	}
	require.NoError(p.t, json.Unmarshal(p.metadata("list_metadata_versions", map[string]any{"limit": 1}).body, &listed))
	return listed.Version
}

// TestFollowingTheMetadataOverGateways: what is changed by one gateway reaches followers of all of them, also after NATS was gone, and a
// stream ends with its gateway.
func TestFollowingTheMetadataOverGateways(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	first := c.startAll()
	second := c.start(gateway)
	// While NATS is on its way back, requests are refused.
	change := func(analyze bool) int64 {
		args := map[string]any{"analyze_query_variables": analyze, "analyze_response_body": false}
		var got answer
		eventually(t, startLimit, func() bool {
			got = first.post("/v1/metadata", asAdmin, map[string]any{"type": "set_metrics_config", "args": args})
			return got.status == http.StatusOK
		}, func() string { return got.text() })
		return first.version()
	}
	began := first.version()
	followers := []follower{first.follow(t, ""), second.follow(t, "")}
	for _, f := range followers {
		f.await(began)
	}
	version := change(true)
	require.Greater(t, version, began)
	for _, f := range followers {
		f.await(version)
	}
	second.follow(t, "?resource_version=1").await(version) // one that comes back

	c.stopNATS()
	c.startNATS()
	version = change(false)
	for _, f := range followers {
		f.await(version)
	}

	second.stop()
	for followers[1].lines.Scan() {
		require.NotContains(t, followers[1].lines.Text(), "data:")
	}
	require.NoError(t, followers[1].lines.Err(), "the stream is whole")
	followers[0].await(change(true))
}
