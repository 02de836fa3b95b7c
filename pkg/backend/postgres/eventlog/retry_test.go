package eventlog_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend"
)

// TestRetriesPassABacklog holds that neither events whose retry is due, nor those whose lease has run
// out, wait until all new ones are taken; nor do new ones wait for those.
func TestRetriesPassABacklog(t *testing.T) {
	t.Parallel()
	const again = 50
	for name, before := range map[string]string{
		"retries":         `next_retry_at = now() AT TIME ZONE 'UTC' - interval '1 second', tries = 1`,
		"leases run out":  `locked = now() - interval '1 hour'`,
		"ordered retries": `next_retry_at = now() AT TIME ZONE 'UTC' - interval '1 second', tries = 1`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newEventFixture(t, `CREATE TABLE stock (id int PRIMARY KEY)`)
			trigger := f.all("watch", "stock")
			trigger.Ordered = name == "ordered retries"
			f.install(t, false, trigger)
			f.exec(t, `INSERT INTO stock SELECT generate_series(1, 1000)`)
			f.exec(t, `UPDATE engine_catalog.event_log SET `+before+` WHERE (payload#>>'{data,new,id}')::int <= 50`)
			old, fresh := 0, 0
			for range 20 { // one place is free at a time
				taken, err := f.source.TakeEvents(t.Context(), []backend.EventDemand{{Trigger: "watch", Size: 1, Ordered: trigger.Ordered}}, 1)
				require.NoError(t, err)
				require.Len(t, taken, 1)
				if taken[0].Tries > 0 || taken[0].Again {
					old++
				} else {
					fresh++
				}
				f.exec(t, `UPDATE engine_catalog.event_log SET delivered = true, locked = NULL WHERE id = '`+taken[0].ID+`'`)
			}
			require.GreaterOrEqual(t, old, 5)
			require.GreaterOrEqual(t, fresh, 5)
			require.Less(t, old, again)
		})
	}
}
