package backendtest

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/ir"
)

// eventBench is a bench with a trigger "watch" on every operation on stock.
type eventBench struct {
	*bench
	triggers backend.EventTriggers
	log      backend.EventLog
}

func (x *exercise) watch(t *testing.T, change func(*backend.EventTrigger)) *eventBench {
	t.Helper()
	e := &eventBench{bench: x.open(t, Stock()...)}
	var can bool
	e.triggers, can = e.Source.(backend.EventTriggers)
	require.True(t, can)
	e.log, can = e.Source.(backend.EventLog)
	require.True(t, can)
	all := &backend.EventOperation{}
	trigger := backend.EventTrigger{Name: "watch", Table: e.Catalog.Tables[e.Name("stock")], Insert: all, Update: all, Delete: all}
	if change != nil {
		change(&trigger)
	}
	require.NoError(t, e.triggers.ChangeEventTriggers(t.Context(), backend.EventTriggerChanges{Install: []backend.EventTrigger{trigger}}))
	return e
}

// write inserts a, changes its number, leaves it as it is, and removes it.
func (e *eventBench) write(t *testing.T) {
	t.Helper()
	e.mutated(t, e.insertOf([2]string{"a", "1"}))
	for _, n := range []string{"2", "2"} {
		e.mutated(t, &ir.Update{Table: e.Name("stock"), Set: []ir.Assignment{{Column: e.column("stock", "qty"), Op: ir.AssignSet, Value: e.quantity(n)}}})
	}
	e.mutated(t, &ir.Delete{Table: e.Name("stock")})
}

// taken are events that are due, in the order in which they were written.
func (e *eventBench) taken(t *testing.T, size int) []backend.Event {
	t.Helper()
	events, err := e.log.TakeEvents(t.Context(), []backend.EventDemand{{Trigger: "watch", Size: size}}, 100)
	require.NoError(t, err)
	return events
}

// change is the content of an event.
type change struct {
	Op       string
	Old, New map[string]any
}

func changeOf(t *testing.T, e backend.Event) change {
	t.Helper()
	var body struct {
		ID      string
		Trigger struct{ Name string }
		Event   struct {
			Op   string
			Data struct{ Old, New map[string]any }
		}
	}
	require.NoError(t, json.Unmarshal(e.Body, &body))
	require.Equal(t, e.ID, body.ID)
	require.Equal(t, "watch", body.Trigger.Name)
	return change{body.Event.Op, body.Event.Data.Old, body.Event.Data.New}
}

func (x *exercise) events(t *testing.T, at string) {
	x.sub(t, at, "operations", func(t *testing.T, _ string) {
		e := x.watch(t, nil)
		e.write(t)
		row := func(qty float64) map[string]any {
			return map[string]any{"id": 1.0, "label": "a", "qty": qty, "parent": nil}
		}
		var got []change
		for _, event := range e.taken(t, 10) {
			got = append(got, changeOf(t, event))
		}
		require.ElementsMatch(t, []change{{"INSERT", nil, row(1)}, {"UPDATE", row(1), row(2)}, {"DELETE", row(2), nil}}, got, "what changes nothing is no event")
	})
	x.sub(t, at, "columns", func(t *testing.T, _ string) {
		e := x.watch(t, func(trigger *backend.EventTrigger) {
			trigger.Insert, trigger.Delete = nil, nil
			trigger.Update = &backend.EventOperation{Columns: []string{"qty"}, Payload: []string{"label"}}
		})
		e.write(t)
		e.mutated(t, e.insertOf([2]string{"b", "1"}))
		label := e.column("stock", "label")
		e.mutated(t, &ir.Update{Table: e.Name("stock"), Set: []ir.Assignment{{Column: label, Op: ir.AssignSet, Value: given(label, "c")}}})
		events := e.taken(t, 10)
		require.Len(t, events, 1)
		require.Equal(t, change{"UPDATE", map[string]any{"label": "a"}, map[string]any{"label": "a"}}, changeOf(t, events[0]))
	})
	x.sub(t, at, "installed", func(t *testing.T, _ string) {
		e := x.watch(t, nil)
		installed, err := e.triggers.InstalledEventTriggers(t.Context(), []string{"watch", "other"})
		require.NoError(t, err)
		require.Equal(t, map[string]int{"watch": 3}, installed)
		require.NoError(t, e.triggers.ChangeEventTriggers(t.Context(), backend.EventTriggerChanges{Drop: []string{"watch"}}))
		installed, err = e.triggers.InstalledEventTriggers(t.Context(), []string{"watch"})
		require.NoError(t, err)
		require.Empty(t, installed)
		e.write(t)
		require.Empty(t, e.taken(t, 10))
		outdated, err := e.triggers.EventLogOutdated(t.Context())
		require.NoError(t, err)
		require.False(t, outdated)
	})
	x.sub(t, at, "rollback", func(t *testing.T, _ string) {
		e := x.watch(t, nil)
		_, err := e.mutate(t, e.insertOf([2]string{"a", "1"}, [2]string{"a", "1"}))
		require.Error(t, err)
		require.Empty(t, e.taken(t, 10))
	})
	x.sub(t, at, "delivery", x.delivery)
	x.sub(t, at, "history", x.history)
}

// delivery takes events, and holds that each is with one taker until its end.
func (x *exercise) delivery(t *testing.T, _ string) {
	e := x.watch(t, nil)
	e.mutated(t, e.insertOf([2]string{"a", "1"}, [2]string{"b", "1"}, [2]string{"c", "1"}, [2]string{"d", "1"}))
	first := e.taken(t, 3)
	require.Len(t, first, 3, "no more than may be in hand")
	require.Empty(t, e.taken(t, 3))
	ids := []string{first[0].ID, first[1].ID, first[2].ID}
	mine, err := e.log.ClaimEvent(t.Context(), first[0].ID, first[0].Lease)
	require.NoError(t, err)
	require.True(t, mine)
	mine, err = e.log.ClaimEvent(t.Context(), first[0].ID, first[0].Lease)
	require.NoError(t, err)
	require.False(t, mine, "once")
	require.NoError(t, e.log.RenewEvents(t.Context(), ids))
	require.NoError(t, e.log.RecordEvents(t.Context(), []backend.EventOutcome{
		{ID: ids[0], State: backend.EventDelivered}, {ID: ids[1], State: backend.EventWaiting, RetryAt: time.Now().Add(time.Hour)},
	}))
	require.NoError(t, e.log.ReleaseEvents(t.Context(), ids[2:]))
	pending, err := e.log.PendingEvents(t.Context(), ids)
	require.NoError(t, err)
	require.Len(t, pending, 2)
	again := e.taken(t, 10)
	require.Len(t, again, 2, "what was given back, and what was not taken")
	for _, event := range again {
		require.Equal(t, event.ID == ids[2], event.Again)
	}
	require.NoError(t, e.log.RecordEvents(t.Context(), []backend.EventOutcome{{ID: ids[0], State: backend.EventWaiting}}))
	require.Empty(t, e.taken(t, 10), "what has an end keeps it")
}

// history makes events by hand and reads what became of them.
func (x *exercise) history(t *testing.T, _ string) {
	e := x.watch(t, nil)
	id, err := e.triggers.InvokeEventTrigger(t.Context(), backend.ManualEvent{
		Trigger: "watch", Table: e.Name("stock"), Payload: json.RawMessage(`{"k":1}`), Session: as("clerk", nil),
	})
	require.NoError(t, err)
	backlogs, err := e.triggers.EventBacklogs(t.Context())
	require.NoError(t, err)
	require.Len(t, backlogs, 1)
	require.Equal(t, []any{"watch", int64(1), int64(0)}, []any{backlogs[0].Trigger, backlogs[0].Pending, backlogs[0].InFlight})
	require.WithinDuration(t, time.Now(), backlogs[0].Oldest, time.Hour)
	status := 200
	require.NoError(t, e.log.RecordEvents(t.Context(), []backend.EventOutcome{{
		ID: id, State: backend.EventDelivered, Invocation: "1", Status: &status, Request: json.RawMessage(`{}`), Response: json.RawMessage(`{}`),
	}}))
	backlogs, err = e.triggers.EventBacklogs(t.Context())
	require.NoError(t, err)
	require.Empty(t, backlogs, "it was delivered")
	for invocations, want := range map[bool]backend.EventsCleaned{false: {Events: 1}, true: {Events: 1, Invocations: 1}} {
		old := backend.EventCleanup{Trigger: "watch", OlderThan: -time.Hour, Timeout: time.Minute, Invocations: invocations}
		found, more, err := e.triggers.CountOldEvents(t.Context(), old)
		require.NoError(t, err)
		require.Equal(t, want, found)
		require.False(t, more)
	}
	for state, want := range map[string]int{"": 1, "pending": 0, "processed": 1} {
		raw, err := e.triggers.Events(t.Context(), backend.EventQuery{Trigger: "watch", Limit: 10, Status: state})
		require.NoError(t, err)
		require.Len(t, list(t, raw), want, state)
	}
	raw, err := e.triggers.EventInvocations(t.Context(), backend.EventQuery{Trigger: "watch", Limit: 10})
	require.NoError(t, err)
	require.Len(t, list(t, raw), 1)
	start := time.Now().Add(-time.Hour)
	counts, err := e.triggers.CountEventInvocations(t.Context(), backend.InvocationCountQuery{
		Trigger: "watch", From: start, To: start.Add(2 * time.Hour), Interval: 7200,
	})
	require.NoError(t, err)
	require.Equal(t, []backend.InvocationCount{{Succeeded: 1}}, counts)
	counts, err = e.triggers.CountEventInvocations(t.Context(), backend.InvocationCountQuery{
		Trigger: "watch", From: start.Add(-time.Hour), To: start, Interval: 60,
	})
	require.NoError(t, err)
	require.Empty(t, counts, "it was made later")
	_, err = e.triggers.EventByID(t.Context(), id, 10, 0)
	require.NoError(t, err)
	_, err = e.triggers.EventByID(t.Context(), "nothing", 10, 0)
	requireCode(t, err, apierror.NotExists)
	require.NoError(t, e.triggers.RedeliverEvent(t.Context(), id))
	require.Len(t, e.taken(t, 1), 1)
	require.Error(t, e.triggers.RedeliverEvent(t.Context(), id), "it is in hand")
}

func list(t *testing.T, raw json.RawMessage) []any {
	t.Helper()
	var items []any
	require.NoError(t, json.Unmarshal(raw, &items))
	return items
}
