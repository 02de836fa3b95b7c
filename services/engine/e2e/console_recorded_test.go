package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Recordings name servers instead of their addresses.
func (c *consoleFixture) names() map[string]string {
	return map[string]string{
		"http://engine.test": c.console.url, "http://open.test": c.open.url, "http://remote.test": c.remote,
		"postgres://postgres.test/other": c.others["postgres"], "/sqlite.test/library.db": c.others["sqlite"],
		"sqlserver://mssql.test": c.others["mssql"], "http://bigquery.test": c.others["bigquery"], "a-project": c.others["project"],
	}
}

// recordedFrom is the version of the metadata that each recording begins with, which in the engine is one of
// those from firstVersion on: both are found among other numbers.
const (
	recordedFrom = 7_500_000
	firstVersion = 7_000_000
)

// newRecordedConsole starts the servers that exchanges are recorded from and checked with.
func newRecordedConsole(t *testing.T) (*consoleFixture, func() int64) {
	t.Helper()
	f := newConsoleServer(t, firstVersion)
	var exported struct {
		Metadata json.RawMessage `json:"metadata"`
	}
	answered := f.console.post("/v1/metadata", asAdmin, map[string]any{"type": "export_metadata", "version": 2, "args": map[string]any{}})
	require.NoError(t, json.Unmarshal(answered.body, &exported))
	// reset makes all as it was, and returns the version of the metadata.
	reset := func() int64 {
		f.console.metadata("clear_metadata", map[string]any{})
		execute(t, f.cluster.databaseURL, dropSchemas+consoleTables)
		execute(t, f.others["postgres"], dropSchemas)
		for _, suffix := range []string{"", ".grids"} {
			_ = os.Remove(f.others["sqlite"] + suffix) // it may not be there
		}
		f.console.metadata("replace_metadata", exported.Metadata)
		execute(t, f.cluster.metadataURL, `DELETE FROM engine_catalog.engine_scheduled_events; DELETE FROM engine_catalog.metadata_change WHERE published AND version < (SELECT resource_version FROM engine_catalog.metadata_version)`)
		return f.console.version()
	}
	return f, reset
}

// dropSchemas empties a database.
const dropSchemas = `DO $$ DECLARE s text; BEGIN
	FOR s IN SELECT nspname FROM pg_namespace WHERE nspname NOT LIKE 'pg\_%' AND nspname NOT IN ('information_schema', 'engine_catalog') LOOP
		EXECUTE format('DROP SCHEMA %I CASCADE', s);
	END LOOP;
	CREATE SCHEMA public;
END $$;
`

// TestConsoleRecord records what the engine answers in the tests of the console over simulated pages, with CONSOLE_RECORD
// in the environment.
func TestConsoleRecord(t *testing.T) {
	if os.Getenv("CONSOLE_RECORD") == "" {
		t.Skip("recordings are made by make console-record")
	}
	f, reset := newRecordedConsole(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprint(w, reset())
	}))
	t.Cleanup(server.Close)
	names, err := json.Marshal(f.names())
	require.NoError(t, err)
	if path := os.Getenv("CONSOLE_SERVE"); path != "" { // for a while, in which vitest is run by hand
		require.NoError(t, os.WriteFile(path, fmt.Appendf(nil, "export CONSOLE_RECORD=1 CONSOLE_NAMES='%s' CONSOLE_SECRET='%s' CONSOLE_RESET='%s'\n", names, secret, server.URL), 0o600))
		for _, err := os.Stat(path); err == nil; _, err = os.Stat(path) {
			time.Sleep(time.Second)
		}
		return
	}
	node := exec.CommandContext(t.Context(), "npx", "--no-install", "vitest", "run")
	node.Dir = "../../gateway/console"
	node.Env = append(os.Environ(), "CONSOLE_NAMES="+string(names), "CONSOLE_SECRET="+secret, "CONSOLE_RESET="+server.URL)
	node.Stdout, node.Stderr = t.Output(), t.Output()
	require.NoError(t, node.Run())
}
