package engine_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/services/engine"
)

// TestDeliveriesInGo delivers events of rows and one-off events to handlers, again after an error.
func TestDeliveriesInGo(t *testing.T) {
	t.Parallel()
	type person struct {
		ID   int    `json:"id"`
		Name string `json:"name"`
	}
	places(t, func(t *testing.T, apart bool) {
		events, times := make(chan engine.Event[person], 10), make(chan engine.Occasion[map[string]int], 10)
		m := mount(t, apart,
			engine.OnEvent("watch", func(_ context.Context, e engine.Event[person]) error {
				events <- e
				if e.Attempt == 0 {
					return errors.New("not yet")
				}
				return nil
			}),
			engine.OnSchedule("due", func(_ context.Context, o engine.Occasion[map[string]int]) error {
				times <- o
				return nil
			}))
		m.metadata(`{"type":"pg_create_event_trigger","args":{"name":"watch","table":"people","webhook":"go://watch","insert":{"columns":"*"},"update":{"columns":"*"},"retry_conf":{"num_retries":3,"interval_sec":1,"timeout_sec":10}}}`)
		require.Contains(t, m.query(`mutation { update_people_by_pk(pk_columns: {id: 4}, _set: {name: "new"}) { id } }`, admin), `"id":4`)
		m.metadata(`{"type":"create_scheduled_event","args":{"webhook":"go://due","schedule_at":"2000-01-01T00:00:00Z","payload":{"n":3},"comment":"one","retry_conf":{"tolerance_seconds":100000000000}}}`)
		for attempt := range 2 {
			select {
			case e := <-events:
				require.Equal(t, "UPDATE", e.Operation)
				require.Equal(t, "person 4", e.Old.Name)
				require.Equal(t, person{4, "new"}, *e.New)
				require.Equal(t, attempt, e.Attempt)
				require.Equal(t, "people", e.Table)
				require.False(t, e.CreatedAt.IsZero())
			case <-time.After(patience):
				t.Fatal("no event")
			}
		}
		select {
		case o := <-times:
			require.Equal(t, map[string]int{"n": 3}, o.Payload)
			require.Equal(t, "one", o.Comment)
			require.Equal(t, "2000-01-01T00:00:00Z", o.Scheduled.Format(time.RFC3339))
		case <-time.After(patience):
			t.Fatal("no call")
		}
	})
}
