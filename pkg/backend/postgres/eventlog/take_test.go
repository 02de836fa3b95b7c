package eventlog_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend/postgres/eventlog"
)

// TestTakingEventsFollowsTheIndex holds that events are read in the order of their index, whatever the
// database knew of the log when the statement was planned: any other plan reads everything that waits,
// or the whole log, to take a few events.
func TestTakingEventsFollowsTheIndex(t *testing.T) {
	t.Parallel()
	f := newEventFixture(t, `CREATE TABLE stock (id int)`)
	f.install(t, false, f.all("watch", "stock"))
	explain := func(statement string) string {
		t.Helper()
		rows, err := f.db.Query(t.Context(), `EXPLAIN EXECUTE `+statement+`('{watch}', '{10}', '{false}', 100, '40 s', true)`)
		require.NoError(t, err)
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		return strings.Join(lines, "\n")
	}
	plain, ordered := eventlog.TakeSQL()
	f.exec(t, `PREPARE take AS `+plain)
	f.exec(t, `PREPARE take_ordered AS `+ordered)
	for _, size := range []string{"an empty log", "a long log"} {
		f.exec(t, `BEGIN`)
		f.exec(t, eventlog.IndexedOnly)
		plan := explain("take") + explain("take_ordered")
		f.exec(t, `COMMIT`)
		require.NotContains(t, plan, "Sort", size)
		require.NotContains(t, plan, "Seq Scan", size)
		require.NotContains(t, plan, "event_log_trigger_name_idx", size)
		require.Contains(t, plan, "event_log_fetch_events", size)
		f.exec(t, `INSERT INTO stock SELECT generate_series(1, 3000);
			UPDATE engine_catalog.event_log SET delivered = true WHERE (payload#>>'{data,new,id}')::int % 100 <> 0;
			ANALYZE engine_catalog.event_log`)
	}
}
