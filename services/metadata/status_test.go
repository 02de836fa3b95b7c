package metadata

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

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
