package metadata

import (
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/dbtest"
	"queryengine/pkg/status"
)

// TestWhatCannotBeCountedIsTold: no backlog isn't shown as an empty one.
func TestWhatCannotBeCountedIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	i := w.start(t)
	read := func() (a status.Answer) {
		t.Helper()
		require.NoError(t, json.Unmarshal([]byte(i.ok(t, `{"type":"get_status","args":{}}`)), &a))
		return a
	}
	require.Empty(t, read().BacklogError)
	w.sql(t, w.metadataURL, `ALTER TABLE engine_catalog.engine_scheduled_events RENAME TO engine_elsewhere`)
	require.NotEmpty(t, read().BacklogError)
}

// TestSourceThatIsGoneIsTold: of a source without a health check and without event triggers nothing else tells that its server is gone.
func TestSourceThatIsGoneIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	i := w.start(t)
	gone := dbtest.URL(t)
	i.ok(t, `{"type":"pg_add_source","args":{"name":"gone","configuration":{"connection_info":{"database_url":`+strconv.Quote(gone)+`}}}}`)
	unreachable := func() map[string]string {
		t.Helper()
		var a status.Answer
		require.NoError(t, json.Unmarshal([]byte(i.ok(t, `{"type":"get_status","args":{}}`)), &a))
		found := map[string]string{}
		for _, s := range a.Sources {
			found[s.Name] = s.Unreachable
		}
		return found
	}
	// A second may be too short for an answer on a busy machine.
	answers := func() bool { return unreachable()["gone"] == "" }
	require.Eventually(t, answers, time.Minute, time.Millisecond)
	address, err := url.Parse(gone)
	require.NoError(t, err)
	name := strings.TrimPrefix(address.Path, "/")
	w.sql(t, w.metadataURL, `ALTER DATABASE "`+name+`" ALLOW_CONNECTIONS false`)
	w.sql(t, w.metadataURL, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '`+name+`'`)
	require.NotEmpty(t, unreachable()["gone"])
	w.sql(t, w.metadataURL, `ALTER DATABASE "`+name+`" ALLOW_CONNECTIONS true`)
	require.Eventually(t, answers, time.Minute, time.Millisecond)
}
