package e2e

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/dbtest"
)

// theirCatalogue is what another engine keeps in its metadata database.
const theirCatalogue = `CREATE SCHEMA hdb_catalog;
CREATE TABLE hdb_catalog.hdb_metadata (id int PRIMARY KEY, metadata json NOT NULL, resource_version int NOT NULL);
CREATE TABLE hdb_catalog.hdb_version (uuid uuid PRIMARY KEY DEFAULT gen_random_uuid(), version text, cli_state jsonb NOT NULL DEFAULT '{}', console_state jsonb);
INSERT INTO hdb_catalog.hdb_version (version, cli_state) VALUES ('48', '{"migrations": {"default": {"1700000000001": false, "1700000000002": false}}}');
CREATE TABLE hdb_catalog.hdb_scheduled_events (id text PRIMARY KEY, webhook_conf json, scheduled_time timestamptz, retry_conf json, payload json,
  header_conf json, status text, tries int, created_at timestamptz, next_retry_at timestamptz, comment text);
CREATE TABLE hdb_catalog.hdb_scheduled_event_invocation_logs (id text, event_id text, status int, request json, response json, created_at timestamptz);
CREATE TABLE hdb_catalog.hdb_cron_events (id text PRIMARY KEY, trigger_name text, scheduled_time timestamptz, status text, tries int, created_at timestamptz, next_retry_at timestamptz);
CREATE TABLE hdb_catalog.hdb_cron_event_invocation_logs (id text, event_id text, status int, request json, response json, created_at timestamptz);
CREATE TABLE hdb_catalog.hdb_action_log (id uuid PRIMARY KEY);
INSERT INTO hdb_catalog.hdb_action_log VALUES (gen_random_uuid());
INSERT INTO hdb_catalog.hdb_scheduled_events VALUES
  ('due', '"$HOOK/visits"', now() - interval '1 minute', '{"num_retries":3,"retry_interval_seconds":1,"timeout_seconds":10,"tolerance_seconds":21600}', '{"one":"off"}', '[]', 'locked', 0, now(), NULL, 'c'),
  ('later', '"$HOOK/visits"', now() + interval '1 year', NULL, '{}', '[]', 'scheduled', 0, now(), NULL, NULL),
  ('done', '"$HOOK/visits"', now() - interval '1 day', NULL, '{}', '[]', 'delivered', 1, now(), NULL, NULL);
INSERT INTO hdb_catalog.hdb_scheduled_event_invocation_logs VALUES ('call', 'done', 200, '{}', '{}', now());
INSERT INTO hdb_catalog.hdb_cron_events VALUES ('tick', 'nightly', now() - interval '1 day', 'delivered', 1, now() - interval '1 day', NULL);
INSERT INTO hdb_catalog.hdb_cron_event_invocation_logs VALUES ('tick call', 'tick', 200, '{}', '{}', now());
INSERT INTO hdb_catalog.hdb_metadata VALUES (1, $METADATA$` + theirMetadata + `$METADATA$, 12);`

const theirMetadata = `{"version": 3, "sources": [{"name": "default", "kind": "postgres",
  "configuration": {"connection_info": {"database_url": {"from_env": "ACME_GRAPHQL_DATABASE_URL"}}},
  "tables": [{"table": {"schema": "public", "name": "visit"}, "bogus_key": 1, "event_triggers": [{"name": "visits", "definition": {"enable_manual": false, "insert": {"columns": "*"}},
    "retry_conf": {"num_retries": 3, "interval_sec": 1, "timeout_sec": 10}, "webhook": "$HOOK/visits"}],
    "select_permissions": [{"role": "doctor", "permission": {"columns": ["id"], "filter": {"id": {"_eq": "X-Acme-User-Id"}}}}]}]}]}`

// theirEventLog is what another engine keeps in a source.
const theirEventLog = `CREATE TABLE visit (id int PRIMARY KEY);
CREATE SCHEMA hdb_catalog;
CREATE TABLE hdb_catalog.event_log (id text PRIMARY KEY, schema_name text, table_name text, trigger_name text, payload jsonb, delivered boolean, error boolean,
  tries int, created_at timestamp, locked timestamptz, next_retry_at timestamp, archived boolean);
CREATE TABLE hdb_catalog.event_invocation_logs (id text PRIMARY KEY, event_id text, status int, request json, response json, created_at timestamp);
CREATE FUNCTION hdb_catalog.their_trigger() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO hdb_catalog.event_log VALUES ('of ' || NEW.id, 'public', 'visit', 'visits', '{}', false, false, 0, clock_timestamp() AT TIME ZONE 'UTC', NULL, NULL, false);
  RETURN NEW; END $$;
CREATE TRIGGER "notify_hdb_visits_INSERT" AFTER INSERT ON visit FOR EACH ROW EXECUTE FUNCTION hdb_catalog.their_trigger();
INSERT INTO hdb_catalog.event_log VALUES
  ('old', 'public', 'visit', 'visits', '{"op":"INSERT","data":{"old":null,"new":{"id":1}}}', true, false, 1, now() AT TIME ZONE 'UTC' - interval '1 hour', NULL, NULL, false),
  ('waiting', 'public', 'visit', 'visits', '{"op":"INSERT","data":{"old":null,"new":{"id":2}},"session_variables":{"x-acme-user-id":"7"}}', false, false, 0, now() AT TIME ZONE 'UTC' - interval '1 hour', now(), NULL, false);
INSERT INTO hdb_catalog.event_invocation_logs VALUES ('first', 'old', 200, '{}', '{}', now());`

func TestCataloguesOfAnotherEngineAreTakenOver(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	hook := newMovedHook(t)
	theirs := dbtest.URL(t)
	execute(t, theirs, strings.ReplaceAll(theirCatalogue, "$HOOK", hook.URL))
	execute(t, c.databaseURL, theirEventLog)
	c.settings["ACME_GRAPHQL_DATABASE_URL"] = c.databaseURL
	c.settings["ENGINE_GRAPHQL_VENDOR_NAMES"] = "acme"
	gateway := c.startAll()
	w := &workshop{t, t.TempDir(), gateway.url}
	command := "import --from " + theirs + " --metadata-database-url " + c.metadataURL

	require.Contains(t, w.does(1, "import"), "needs --from")
	require.Contains(t, w.does(1, "import --from "+c.databaseURL), "no table hdb_catalog.hdb_metadata")

	said := w.does(0, command+" --dry-run")
	require.Contains(t, said, "took   metadata of version 12")
	require.Contains(t, said, "took   2 of 2 applied migrations")
	require.Contains(t, said, "took   3 of 3 one-off events")
	require.Contains(t, said, `unknown key "bogus_key" is ignored`)
	require.Contains(t, said, "nothing was changed")
	require.NotContains(t, gateway.metadata("export_metadata", map[string]any{}).text(), "visit")
	require.Empty(t, c.texts(c.metadataURL, `SELECT id FROM engine_catalog.engine_scheduled_events`))

	said = w.does(0, command)
	for _, line := range []string{
		"took   metadata of version 12", "took   2 of 2 applied migrations", "took   3 of 3 one-off events", "took   1 of 1 calls for one-off events",
		"took   1 of 1 events of cron triggers", "took   1 of 1 calls for events of cron triggers", "took   2 of 2 events of source default",
		"left   1 triggers notify_hdb_*", "left   1 calls of asynchronous actions", `unknown key "bogus_key" is ignored`,
	} {
		require.Contains(t, said, line)
	}
	hook.awaitPart(`"payload":{"one":"off"}`)
	hook.awaitPart(`"id":"waiting"`)
	hook.awaitPart(`"x-acme-user-id":"7"`)
	require.Equal(t, []string{"done delivered", "later scheduled"},
		c.texts(c.metadataURL, `SELECT id || ' ' || status FROM engine_catalog.engine_scheduled_events WHERE id <> 'due' ORDER BY 1`))
	require.Equal(t, []string{"old/first"}, c.texts(c.databaseURL, `SELECT event_id || '/' || id FROM engine_catalog.event_invocation_logs WHERE event_id = 'old'`))
	require.Contains(t, gateway.metadata("get_catalog_state", map[string]any{}).text(), `"1700000000002":false`)
	require.Contains(t, gateway.metadata("export_metadata", map[string]any{}).text(), "X-Acme-User-Id", "names stay as they are")

	// A change is in both event logs now, and is delivered once.
	execute(t, c.databaseURL, `INSERT INTO visit VALUES (77)`)
	hook.awaitPart(`"new":{"id":77}`)
	said = w.does(0, command)
	for _, line := range []string{
		"left   metadata of version 12: the server has the same", "took   0 of 2 applied migrations", "took   0 of 3 one-off events", "took   0 of 2 events of source default",
	} {
		require.Contains(t, said, line)
	}
	require.Empty(t, c.texts(c.databaseURL, `SELECT id FROM engine_catalog.event_log WHERE id = 'of 77'`))

	// Metadata that the server has meanwhile is not lost.
	gateway.metadata("pg_drop_select_permission", map[string]any{"table": "visit", "role": "doctor"})
	require.Contains(t, w.does(0, command), "--overwrite replaces it")
	require.NotContains(t, gateway.metadata("export_metadata", map[string]any{}).text(), "doctor")
	require.Contains(t, w.does(0, command+" --overwrite"), "took   metadata of version 12")
	require.Contains(t, gateway.metadata("export_metadata", map[string]any{}).text(), "doctor")
}

// texts is the column of a query.
func (c *cluster) texts(url, sql string) []string {
	c.t.Helper()
	conn, err := pgx.Connect(c.t.Context(), url)
	require.NoError(c.t, err)
	defer conn.Close(c.t.Context()) //nolint:errcheck // the test is over then
	rows, err := conn.Query(c.t.Context(), sql)
	require.NoError(c.t, err)
	list, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(c.t, err)
	return list
}
