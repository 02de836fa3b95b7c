package eventlog

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/catalog"
	"queryengine/pkg/nodetest"
	"queryengine/pkg/session"
)

var update = flag.Bool("update", false, "write the golden files")

// database answers statements with rows that a test has written, by the beginnings of their texts.
type database struct {
	rows map[string][][]string
	// texts are the statements that came, and values their parameters.
	texts  []string
	values [][]string
}

func (d *database) Run(_ context.Context, text string, values [][]byte, f func(row [][]byte) error) error {
	d.texts = append(d.texts, text)
	list := []string{}
	for _, v := range values {
		list = append(list, string(v))
	}
	d.values = append(d.values, list)
	for begin, rows := range d.rows {
		if !strings.HasPrefix(text, begin) {
			continue
		}
		for _, r := range rows {
			row := make([][]byte, len(r))
			for i, cell := range r {
				if cell != "-" {
					row[i] = []byte(cell)
				}
			}
			if err := f(row); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *database) InTransaction(_ context.Context, f func(Runner) error) error {
	d.texts, d.values = append(d.texts, "begin"), append(d.values, nil)
	if err := f(d); err != nil {
		return err
	}
	d.texts, d.values = append(d.texts, "commit"), append(d.values, nil)
	return nil
}

// made is a database that has a log.
func made(rows map[string][][]string) *database {
	d := &database{rows: map[string][][]string{existsSQL: {{"7"}}, versionSQL: {{"1"}}}}
	for begin, r := range rows {
		d.rows[begin] = r
	}
	return d
}

// stock is a table with a key of two columns.
func stock() *catalog.Table {
	column := func(name, of string) *catalog.Column {
		return &catalog.Column{Name: name, Type: catalog.Type{Name: of}}
	}
	return &catalog.Table{
		Name: catalog.Name{Schema: "shop", Name: "st]ock"}, Kind: catalog.KindTable,
		Columns:    []*catalog.Column{column("sku", "int8"), column("place", "text"), column("qty", "int4"), column("note", "xml"), column("spot", "hierarchyid")},
		PrimaryKey: &catalog.Constraint{Name: "pk", Columns: []string{"sku", "place"}},
	}
}

func eventTriggers() []backend.EventTrigger {
	all := &backend.EventOperation{}
	keyless := stock()
	keyless.PrimaryKey = nil
	dotted := stock()
	for _, c := range []string{"a", "a.b", `it's "a".`} {
		dotted.Columns = append(dotted.Columns, &catalog.Column{Name: c, Type: catalog.Type{Name: "int4"}})
	}
	return []backend.EventTrigger{
		{Name: "everything", Table: stock(), Insert: all, Update: all, Delete: all, OnReplication: true},
		{
			Name: "parts", Table: stock(), Ordered: true, Insert: &backend.EventOperation{Payload: []string{"sku"}},
			Update: &backend.EventOperation{Columns: []string{"qty", "place"}, Payload: []string{"qty"}},
			Delete: &backend.EventOperation{Payload: []string{}},
		},
		{Name: "quantity", Table: stock(), Update: &backend.EventOperation{Columns: []string{"qty"}}},
		{Name: "nothing", Table: stock(), Update: &backend.EventOperation{Columns: []string{}}},
		{Name: "keyless", Table: keyless, Ordered: true, Insert: all, Delete: all},
		{Name: "dotted", Table: dotted, Insert: all, Delete: &backend.EventOperation{Payload: []string{"a.b"}}},
	}
}

func triggerTexts() []string {
	var texts []string
	for _, t := range eventTriggers() {
		for _, op := range operations {
			if o := operationOf(&t, op); o != nil {
				texts = append(texts, triggerSQL(&t, op, o))
			}
		}
	}
	return texts
}

func TestTextsOfTriggers(t *testing.T) {
	t.Parallel()
	golden := filepath.Join("testdata", "triggers.sql")
	got := strings.Join(triggerTexts(), ";\nGO\n") + ";\n"
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(got), 0o600))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

// TestStatementsAreTSQL parses what the log sends by the grammar of T-SQL.
func TestStatementsAreTSQL(t *testing.T) {
	t.Parallel()
	directory := nodetest.Install(t, "../testdata/tsql")
	texts := slices.Concat(catalogSQL[1:], triggerTexts(), []string{
		existsSQL, versionSQL, lockSQL, installedSQL, archiveSQL, unplanSQL, invokeSQL, busySQL, redeliverSQL, takeSQL + takeEnd,
		takeSQL + inOrder + takeEnd, pendingSQL, takenBeforeSQL, claimSQL, renewSQL, releaseSQL, recordSQL, eventsSQL, eventSQL,
		invocationsSQL, ofEventSQL, countedSQL, backlogsSQL, cleanSQL, plannedSQL, planSQL, dueSQL, renewCleanupSQL, endCleanupSQL,
		"UPDATE engine_catalog.event_log SET WHERE id = 1",
	})
	given, err := json.Marshal(texts)
	require.NoError(t, err)
	var faults []*string
	require.NoError(t, json.Unmarshal(nodetest.Run(t, directory, bytes.NewReader(given), "check.mjs"), &faults))
	require.Len(t, faults, len(texts))
	last := len(texts) - 1
	require.NotNil(t, faults[last], "the parser finds faults")
	for i, text := range texts[:last] {
		if faults[i] != nil {
			t.Errorf("%s\n%s", *faults[i], text)
		}
	}
}

func TestTriggersAreChangedInOneTransaction(t *testing.T) {
	t.Parallel()
	d := &database{rows: map[string][][]string{installedSQL: {{"shop", "notify_engine_old_INSERT"}}}}
	install := eventTriggers()[2:3]
	require.NoError(t, New(d).ChangeEventTriggers(t.Context(), backend.EventTriggerChanges{Drop: []string{"old"}, Install: install, Replan: []string{"quantity"}}))
	require.Equal(t, slices.Concat(
		[]string{"begin", installedSQL, "DROP TRIGGER [shop].[notify_engine_old_INSERT]", existsSQL, lockSQL, existsSQL},
		catalogSQL,
		[]string{triggerSQL(&install[0], opUpdate, install[0].Update), archiveSQL, unplanSQL, "commit"}), d.texts)
	require.Equal(t, []string{`["notify_engine_old_INSERT","notify_engine_old_UPDATE","notify_engine_old_DELETE",` +
		`"notify_engine_quantity_INSERT","notify_engine_quantity_UPDATE","notify_engine_quantity_DELETE"]`}, d.values[1])
	require.Equal(t, []string{`["old","quantity"]`}, d.values[len(d.values)-2])

	d = made(nil)
	require.NoError(t, New(d).ChangeEventTriggers(t.Context(), backend.EventTriggerChanges{}))
	require.NotContains(t, d.texts, existsSQL, "there is nothing to do")
	d = made(map[string][][]string{versionSQL: {{"9"}}})
	err := New(d).ChangeEventTriggers(t.Context(), backend.EventTriggerChanges{Install: install})
	require.ErrorContains(t, err, `the event log of the source has the version "9", which this server doesn't know`)
}

func TestTriggersThatAreRefused(t *testing.T) {
	t.Parallel()
	keyless, shape := eventTriggers()[4], eventTriggers()[0]
	keyless.Update = &backend.EventOperation{}
	shape.Table.Columns = append(shape.Table.Columns, &catalog.Column{Name: "at", Type: catalog.Type{Name: "geography"}})
	for want, trigger := range map[string]backend.EventTrigger{
		"Update event triggers for MS-SQL sources are only supported on tables with primary keys":                 keyless,
		"Event triggers for MS-SQL sources are not supported on tables having Geometry or Geography column types": shape,
	} {
		d := made(nil)
		var e *apierror.Error
		require.ErrorAs(t, New(d).ChangeEventTriggers(t.Context(), backend.EventTriggerChanges{Install: []backend.EventTrigger{trigger}}), &e)
		require.Equal(t, [2]string{"not-supported", want}, [2]string{string(e.Code), e.Message})
		require.Equal(t, []string{"begin"}, d.texts, "nothing was sent")
	}
}

func TestInstalledTriggersAreCounted(t *testing.T) {
	t.Parallel()
	d := made(map[string][][]string{installedSQL: {{"dbo", "notify_engine_a_INSERT"}, {"dbo", "notify_engine_a_UPDATE"}, {"s", "notify_engine_b_c_DELETE"}}})
	got, err := New(d).InstalledEventTriggers(t.Context(), []string{"a", "b_c", "d"})
	require.NoError(t, err)
	require.Equal(t, map[string]int{"a": 2, "b_c": 1}, got)
}

const (
	first  = "0E984725-C51C-4BF4-9960-E1C80E27ABA0"
	second = "1E984725-C51C-4BF4-9960-E1C80E27ABA1"
)

func TestTakingEvents(t *testing.T) {
	t.Parallel()
	d := made(map[string][][]string{
		takeSQL: {
			{first, "changed", "0", "0", "2006-03-01T09:00:00.12+00:00", "-", "shop", "stock", `{"op":"INSERT","data":{"old":null,"new":{"sku":50755254975729665}}}`, "2006-03-01T09:00:01.1234567+00:00"},
			{second, "changed", "3", "1", "2006-03-01T09:00:00+00:00", "2006-03-01T10:00:00+00:00", "shop", "stock", `{}`, "2006-03-01T09:00:01+00:00"},
		},
		takenBeforeSQL: {{second, "2"}},
	})
	events, err := New(d).TakeEvents(t.Context(), []backend.EventDemand{{Trigger: "changed", Size: 5, Ordered: true}, {Trigger: "never", Size: 5}}, 2)
	require.NoError(t, err)
	require.Len(t, events, 2)
	require.JSONEq(t, `{"id": "`+first+`", "created_at": "2006-03-01T09:00:00.12Z", "table": {"schema": "shop", "name": "stock"},
		"trigger": {"name": "changed"}, "event": {"op": "INSERT", "data": {"old": null, "new": {"sku": 50755254975729665}}}}`, string(events[0].Body))
	require.Contains(t, string(events[0].Body), "50755254975729665", "with all digits")
	events[0].Body, events[1].Body = nil, nil
	created := time.Date(2006, 3, 1, 9, 0, 0, 120_000_000, time.UTC)
	for i := range events {
		events[i].Created = events[i].Created.UTC()
	}
	require.Equal(t, []backend.Event{
		{ID: first, Trigger: "changed", Created: created, Lease: "2006-03-01T09:00:01.1234567+00:00"},
		{ID: second, Trigger: "changed", Tries: 3, Again: true, Taken: 2, Created: time.Date(2006, 3, 1, 10, 0, 0, 0, time.UTC), Lease: "2006-03-01T09:00:01+00:00"},
	}, events)
	require.Equal(t, []string{"changed", "5", "40", "2"}, d.values[2])
	require.Contains(t, d.texts[2], inOrder)
	require.Len(t, d.texts, 4, "the limit was reached, so the second trigger was not asked for")

	d = &database{}
	events, err = New(d).TakeEvents(t.Context(), []backend.EventDemand{{Trigger: "changed", Size: 5}}, 2)
	require.NoError(t, err)
	require.Empty(t, events)
	require.Equal(t, []string{existsSQL}, d.texts, "there is no log")
}

func TestClaims(t *testing.T) {
	t.Parallel()
	d := made(map[string][][]string{claimSQL: {{"1"}}})
	claimed, err := New(d).ClaimEvent(t.Context(), first, "2006-03-01T09:00:01+00:00")
	require.NoError(t, err)
	require.True(t, claimed)
	for _, id := range []string{first, "no id"} {
		claimed, err = New(made(nil)).ClaimEvent(t.Context(), id, "2006-03-01T09:00:01+00:00")
		require.NoError(t, err)
		require.False(t, claimed)
	}
}

func TestOutcomesAreOneStatement(t *testing.T) {
	t.Parallel()
	d, status := made(nil), 200
	require.NoError(t, New(d).RecordEvents(t.Context(), []backend.EventOutcome{
		{ID: first, State: backend.EventDelivered, Invocation: "i", Status: &status, Request: json.RawMessage(`{"a":1}`), Response: json.RawMessage(`"x"`)},
		{ID: second, State: backend.EventWaiting, RetryAt: time.Date(2006, 3, 1, 10, 0, 0, 0, time.UTC)},
		{ID: "no id"},
	}))
	require.Equal(t, []string{"begin", recordSQL, "commit"}, d.texts)
	require.JSONEq(t, `[
		{"id": "`+first+`", "state": 0, "retry_at": null, "invocation": "i", "status": 200, "request": "{\"a\":1}", "response": "\"x\""},
		{"id": "`+second+`", "state": 1, "retry_at": "2006-03-01T10:00:00Z", "invocation": null, "status": null, "request": null, "response": null}]`, d.values[1][0])
}

func TestRedelivery(t *testing.T) {
	t.Parallel()
	d := made(map[string][][]string{busySQL: {{"0"}}})
	require.NoError(t, New(d).RedeliverEvent(t.Context(), first))
	require.Contains(t, d.texts, redeliverSQL)
	require.ErrorContains(t, New(made(map[string][][]string{busySQL: {{"1"}}})).RedeliverEvent(t.Context(), first), "event is already being processed")
	for _, missing := range []*database{made(nil), {}} {
		require.ErrorContains(t, New(missing).RedeliverEvent(t.Context(), first), "event not found")
	}
	d = made(nil)
	require.ErrorContains(t, New(d).RedeliverEvent(t.Context(), "x'; DROP"), "event not found")
	require.NotContains(t, d.texts, busySQL)
}

func TestInvocation(t *testing.T) {
	t.Parallel()
	d := made(map[string][][]string{invokeSQL: {{first}}})
	id, err := New(d).InvokeEventTrigger(t.Context(), backend.ManualEvent{
		Trigger: "changed", Table: catalog.Name{Schema: "shop", Name: "stock"}, Payload: json.RawMessage(`{"n": 1}`),
		Session: session.New("admin", map[string]string{"x-engine-role": "admin"}),
	})
	require.NoError(t, err)
	require.Equal(t, first, id)
	values := d.values[len(d.values)-2]
	require.Equal(t, []string{"shop", "stock", "changed"}, values[:3])
	require.Equal(t, `{"op":"MANUAL","data":{"old":null,"new":{"n":1}},"session_variables":{"x-engine-role":"admin"},"trace_context":null}`, values[3])
}

func TestHistory(t *testing.T) {
	t.Parallel()
	event := []string{first, "shop", "stock", "changed", `{"op":"INSERT"}`, "true", "false", "1", "2006-03-01T09:00:00.12+00:00", "-", "-", "false"}
	d := made(map[string][][]string{
		eventColumns:             {event},
		page + eventColumns:      {event},
		page + invocationColumns: {{"i", "changed", first, "200", `{"a":1}`, "no JSON", "2006-03-01T09:00:00+00:00"}},
	})
	const shownEvent = `{"id": "` + first + `", "schema_name": "shop", "table_name": "stock", "trigger_name": "changed", "payload": {"op": "INSERT"},
		"delivered": true, "error": false, "tries": 1, "created_at": "2006-03-01T09:00:00.12Z", "locked": null, "next_retry_at": null, "archived": false}`
	const shownInvocation = `{"id": "i", "trigger_name": "changed", "event_id": "` + first + `", "http_status": 200, "request": {"a": 1},
		"response": "no JSON", "created_at": "2006-03-01T09:00:00Z"}`
	log := New(d)
	q := backend.EventQuery{Trigger: "changed", Limit: 10, Offset: 2, Status: "pending"}
	got, err := log.Events(t.Context(), q)
	require.NoError(t, err)
	require.JSONEq(t, "["+shownEvent+"]", string(got))
	require.Equal(t, []string{"changed", "10", "2", "pending"}, d.values[2])
	got, err = log.EventInvocations(t.Context(), q)
	require.NoError(t, err)
	require.JSONEq(t, "["+shownInvocation+"]", string(got))
	got, err = log.EventByID(t.Context(), first, 5, 0)
	require.NoError(t, err)
	require.JSONEq(t, `{"event": `+shownEvent+`, "invocations": [`+shownInvocation+`]}`, string(got))
	_, err = log.EventByID(t.Context(), "nothing", 5, 0)
	require.ErrorContains(t, err, "event id nothing does not exist")
	got, err = New(&database{}).Events(t.Context(), q)
	require.NoError(t, err)
	require.Equal(t, "[]", string(got))
}

func TestInvocationsAreCounted(t *testing.T) {
	t.Parallel()
	d := made(map[string][][]string{countedSQL: {
		{"2006-03-01T09:00:00+00:00", "200"},
		{"2006-03-01T09:00:59.9+00:00", "299"},
		{"2006-03-01T09:00:59.9+00:00", "300"},
		{"2006-03-01T09:02:00+00:00", "-"},
	}})
	from := time.Date(2006, 3, 1, 10, 0, 0, 0, time.FixedZone("", 3600))
	q := backend.InvocationCountQuery{Trigger: "changed", From: from, To: from.Add(time.Hour), Interval: 60}
	got, err := New(d).CountEventInvocations(t.Context(), q)
	require.NoError(t, err)
	require.Equal(t, []backend.InvocationCount{{Succeeded: 2, Failed: 1}, {Interval: 2, Failed: 1}}, got)
	require.Equal(t, []string{"changed", "2006-03-01T09:00:00Z", "2006-03-01T10:00:00Z"}, d.values[len(d.values)-1])
	got, err = New(&database{}).CountEventInvocations(t.Context(), q)
	require.NoError(t, err)
	require.Empty(t, got, "a source without a log")
}

func TestBacklogs(t *testing.T) {
	t.Parallel()
	d := made(map[string][][]string{backlogsSQL: {{"changed", "5", "2", "2006-03-01T09:00:00+00:00"}}})
	got, err := New(d).EventBacklogs(t.Context())
	require.NoError(t, err)
	require.Equal(t, []backend.EventBacklog{{
		Trigger: "changed", Pending: 3, InFlight: 2, Oldest: time.Date(2006, 3, 1, 9, 0, 0, 0, time.UTC),
	}}, got)
	got, err = New(&database{}).EventBacklogs(t.Context())
	require.NoError(t, err)
	require.Empty(t, got, "a source without a log")
}

func TestCleanUps(t *testing.T) {
	t.Parallel()
	d := made(map[string][][]string{cleanSQL: {{"3", "5"}}})
	batches := 2
	cleaned, err := New(d).CleanEventLog(t.Context(), backend.EventCleanup{Trigger: "changed", OlderThan: time.Hour, BatchSize: 3, Invocations: true, Timeout: time.Minute},
		func() bool { batches--; return batches >= 0 })
	require.NoError(t, err)
	require.Equal(t, backend.EventsCleaned{Events: 6, Invocations: 10}, cleaned)
	require.Equal(t, []string{"changed", "3600", "3", "1"}, d.values[3])

	d = made(map[string][][]string{countOldSQL: {{"3", "5"}}})
	c := backend.EventCleanup{Trigger: "changed", OlderThan: time.Hour, Timeout: time.Minute}
	found, more, err := New(d).CountOldEvents(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, backend.EventsCleaned{Events: 3, Invocations: 5}, found)
	require.False(t, more)
	require.Equal(t, []string{"changed", "3600", "100000", "0"}, d.values[len(d.values)-1])
	found, more, err = New(made(map[string][][]string{countOldSQL: {{"100001", "0"}}})).CountOldEvents(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, backend.EventsCleaned{Events: backend.MaxBacklog}, found)
	require.True(t, more)

	d = made(map[string][][]string{plannedSQL: {{"changed", "2", "2006-03-01T09:00:00+00:00"}}, dueSQL: {{first, "changed"}}})
	planned, err := New(d).PlannedCleanups(t.Context(), []string{"changed"})
	require.NoError(t, err)
	require.Equal(t, map[string]backend.PlannedCleanups{"changed": {Count: 2, Last: time.Date(2006, 3, 1, 9, 0, 0, 0, time.UTC)}}, planned)
	due, err := New(d).DueCleanups(t.Context(), time.Date(2006, 3, 1, 9, 0, 0, 0, time.UTC))
	require.NoError(t, err)
	require.Equal(t, []backend.DueCleanup{{ID: first, Trigger: "changed"}}, due)
	require.NoError(t, New(d).PlanCleanups(t.Context(), "changed", []time.Time{time.Date(2006, 3, 1, 9, 0, 0, 0, time.UTC)}))
	require.Equal(t, []string{"changed", `["2006-03-01T09:00:00Z"]`}, d.values[len(d.values)-2])
}

func TestBellNeverRings(t *testing.T) {
	t.Parallel()
	bell, err := New(made(nil)).OpenEventBell(t.Context())
	require.NoError(t, err)
	defer bell.Close()
	armed, err := bell.Arm(t.Context())
	require.NoError(t, err)
	require.False(t, armed, "who takes events asks for them")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	rung, err := bell.Wait(ctx)
	require.NoError(t, err)
	require.False(t, rung)
	require.NoError(t, bell.Disarm(t.Context()))
}
