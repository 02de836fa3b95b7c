package backend

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"queryengine/pkg/catalog"
	"queryengine/pkg/session"
)

// EventTriggers is a Source that can have triggers on its tables, which write the changes of
// rows to a log in the same database. The metadata service asks it.
type EventTriggers interface {
	// ChangeEventTriggers does all of the changes or none of them. It makes the log where it
	// is missing and there is something to install.
	ChangeEventTriggers(ctx context.Context, c EventTriggerChanges) error
	// InstalledEventTriggers are the installed ones of the names in the database, with the number
	// of their installed operations.
	InstalledEventTriggers(ctx context.Context, names []string) (map[string]int, error)
	// EventLogOutdated reports whether the log was made by an older server: its triggers must be
	// installed again.
	EventLogOutdated(ctx context.Context) (bool, error)
	// InvokeEventTrigger writes an event that no row has made, and returns its id.
	InvokeEventTrigger(ctx context.Context, e ManualEvent) (id string, err error)
	// RedeliverEvent makes an event as if it had never been tried.
	RedeliverEvent(ctx context.Context, id string) error
	EventHistory
	// CleanEventLog removes old events of a trigger, in batches. Before each batch it asks
	// goOn, which may be nil.
	CleanEventLog(ctx context.Context, c EventCleanup, goOn func() bool) (EventsCleaned, error)
	// CountOldEvents counts what CleanEventLog would remove, at most MaxBacklog events with their
	// invocations; more reports whether there are others. The batch size is ignored.
	CountOldEvents(ctx context.Context, c EventCleanup) (found EventsCleaned, more bool, err error)
}

// EventHistory reads the log. The JSON is what the API answers with.
type EventHistory interface {
	// Events of a trigger, the newest first.
	Events(ctx context.Context, q EventQuery) (json.RawMessage, error)
	// EventInvocations of a trigger, the newest first.
	EventInvocations(ctx context.Context, q EventQuery) (json.RawMessage, error)
	// EventByID is an event with its invocations.
	EventByID(ctx context.Context, id string, limit, offset int) (json.RawMessage, error)
	// CountEventInvocations counts the invocations of a trigger by intervals of a period. Intervals
	// without any may be left out.
	CountEventInvocations(ctx context.Context, q InvocationCountQuery) ([]InvocationCount, error)
	// EventBacklogs are what each trigger has still to deliver, by the names of triggers that have anything.
	EventBacklogs(ctx context.Context) ([]EventBacklog, error)
}

// EventTrigger is what a database has to know of an event trigger.
type EventTrigger struct {
	Name  string
	Table *catalog.Table
	// Insert, Update and Delete are nil when they make no events.
	Insert, Update, Delete *EventOperation
	// OnReplication makes the trigger fire for replicated changes too.
	OnReplication bool
	// Ordered events of one row are delivered one after the other.
	Ordered bool
	// ViaLog has the events made from the log of the database, and not by the transactions that change
	// rows. LogEvents make them.
	ViaLog bool
}

// EventOperation selects what is written about an operation on a row. Nil lists are all columns.
type EventOperation struct {
	// Columns that an update must change.
	Columns []string
	// Payload are the columns that events show.
	Payload []string
}

// EventTriggerChanges are changes of the triggers of a source.
type EventTriggerChanges struct {
	// Drop names triggers that are gone: their events are archived.
	Drop []string
	// Remake names triggers that have moved, or must be recreated: they are removed before they are
	// installed.
	Remake []string
	// Install are triggers that are new or changed.
	Install []EventTrigger
	// Replan names triggers with another schedule of clean-ups: planned ones are dropped.
	Replan []string
	// StringifyNumeric shows numbers as text that may lose digits.
	StringifyNumeric bool
}

// Empty reports whether there is nothing to do.
func (c *EventTriggerChanges) Empty() bool {
	return len(c.Drop)+len(c.Remake)+len(c.Install)+len(c.Replan) == 0
}

// ManualEvent is an event that was made by a request.
type ManualEvent struct {
	Trigger string
	Table   catalog.Name
	Payload json.RawMessage
	Session *session.Session
}

// EventQuery asks for a part of the log of a trigger.
type EventQuery struct {
	Trigger       string
	Limit, Offset int
	// Status is "pending", "delivered", "failed", "processed" for both of these, or "" for all.
	Status string
}

// InvocationCountQuery asks how many invocations a trigger had from From on, before To.
type InvocationCountQuery struct {
	Trigger  string
	From, To time.Time
	// Interval is the length of an interval in s; more than 0.
	Interval int
}

// InvocationCount is how many invocations of an interval, counted from 0, were answered with a status of
// 200 to 299, and how many were not.
type InvocationCount struct {
	Interval          int
	Succeeded, Failed int64
}

// EventBacklog is what a trigger has still to deliver.
type EventBacklog struct {
	Trigger string
	// Pending events wait for a worker, or for a retry; those InFlight have been taken.
	Pending, InFlight int64
	// Oldest is when the oldest of them was made.
	Oldest time.Time
}

// MaxBacklog bounds the events that EventBacklogs and CountOldEvents count, where there are more.
const MaxBacklog = 100_000

// EventCleanup selects the events of a trigger that are removed.
type EventCleanup struct {
	Trigger string
	// OlderThan is the least age.
	OlderThan time.Duration
	BatchSize int
	// Timeout bounds each statement.
	Timeout time.Duration
	// Invocations are removed too.
	Invocations bool
}

// EventsCleaned is what a clean-up has removed.
type EventsCleaned struct{ Events, Invocations int64 }

// EventLog is a Source whose events can be taken for delivery. The service event-delivery
// asks it. All of it is safe against others that do the same at once.
type EventLog interface {
	// OpenEventBell returns the notification of new events.
	OpenEventBell(ctx context.Context) (EventBell, error)
	// TakeEvents takes events that are due, at most limit; they are the caller's for
	// EventLease, and for longer when that is renewed.
	TakeEvents(ctx context.Context, wanted []EventDemand, limit int) ([]Event, error)
	// ClaimEvent reports whether the event is still the caller's under the lease that it was taken
	// with. It reports that once: a second caller, or one after the lease has run out, has an old
	// message.
	ClaimEvent(ctx context.Context, id, lease string) (bool, error)
	// PendingEvents are the events of the ids without an outcome.
	PendingEvents(ctx context.Context, ids []string) ([]Event, error)
	// RenewEvents renews the leases of events in progress.
	RenewEvents(ctx context.Context, ids []string) error
	// ReleaseEvents gives events back, at once. They are taken Again.
	ReleaseEvents(ctx context.Context, ids []string) error
	// RecordEvents writes what became of events. An event that has an end keeps it.
	RecordEvents(ctx context.Context, outcomes []EventOutcome) error
	EventCleanups
}

// LogEvents is an EventLog that can make the events of some triggers from the log of the database.
type LogEvents interface {
	// MakeEvents makes the events of triggers that are ViaLog, until ctx ends. Of all processes that call it
	// one does; the others get ErrRead. Without an error there is nothing to read: no trigger is ViaLog.
	MakeEvents(ctx context.Context, p EventProgress) error
}

// EventProgress receives what LogEvents do. Its functions are called one at a time.
type EventProgress struct {
	Logger *slog.Logger
	// Began is called when reading begins.
	Began func()
	// Made is called when the events of a number of changes are in the log of events; lag is the time since
	// the last of them was committed.
	Made func(events int, lag time.Duration)
	// Missed is called when a part of the database's log is gone: its changes make no events.
	Missed func()
}

// EventBell notifies one of the processes that take events of new ones. It is for one goroutine. After
// an error it is of no use.
type EventBell interface {
	// Arm makes writers send notifications from now on. Events written before must be taken after it.
	// It returns false while there is a writer that won't notify; poll then, and try again.
	Arm(ctx context.Context) (bool, error)
	// Disarm stops writers from sending notifications while events are being taken; notifying slows
	// them down.
	Disarm(ctx context.Context) error
	// Wait waits until it has rung, or until ctx ends, which is no error.
	Wait(ctx context.Context) (rung bool, err error)
	Close()
}

// EventCleanups are the planned clean-ups of a source's log.
type EventCleanups interface {
	// PlannedCleanups counts the clean-ups of each trigger that are to come, with the last of
	// their times.
	PlannedCleanups(ctx context.Context, triggers []string) (map[string]PlannedCleanups, error)
	// PlanCleanups plans clean-ups; planned ones stay.
	PlanCleanups(ctx context.Context, trigger string, times []time.Time) error
	// DueCleanups takes the newest clean-up of each trigger that is due at now, and marks
	// older ones as dead. None is given to two callers, unless nothing is heard of the first of
	// them for CleanupLease.
	DueCleanups(ctx context.Context, now time.Time) ([]DueCleanup, error)
	// RenewCleanup renews the lease of a clean-up.
	RenewCleanup(ctx context.Context, id string) error
	// EndCleanup records what became of a clean-up: "completed", "paused" or "dead".
	EndCleanup(ctx context.Context, id, status string, cleaned EventsCleaned) error
	CleanEventLog(ctx context.Context, c EventCleanup, goOn func() bool) (EventsCleaned, error)
}

// PlannedCleanups are the clean-ups of a trigger that are to come.
type PlannedCleanups struct {
	Count int
	Last  time.Time
}

// DueCleanup is a clean-up whose time has come.
type DueCleanup struct{ ID, Trigger string }

// EventLease is how long taken events belong to a process that doesn't renew them. It is well below the
// minute after which a dead worker's events must be delivered again.
const EventLease = 40 * time.Second

// CleanupLease is how long a clean-up belongs to a process that doesn't renew it. If removing a single
// batch takes longer, another one runs concurrently and finds other events.
const CleanupLease = 10 * time.Minute

// EventDemand is how many events of a trigger may be in progress together, everywhere.
type EventDemand struct {
	Trigger string
	Size    int
	// Ordered triggers have one event of a row in progress at a time.
	Ordered bool
}

// Event is one event of the log.
type Event struct {
	ID      string
	Trigger string
	Tries   int
	// Again reports whether it was taken before and is taken because its lease has run out.
	Again bool
	// Created is when the event was made or, for a retry, when it became due.
	Created time.Time
	// Taken is how often a webhook has taken the event before: it is delivered again on demand.
	Taken int
	// Body holds id, created_at, table, trigger and event, as JSON.
	Body json.RawMessage
	// Lease names the taking, for ClaimEvent; "" where it wasn't taken.
	Lease string
}

// EventState is what became of an event.
type EventState int

// The states.
const (
	EventDelivered EventState = iota
	EventWaiting              // tried again at RetryAt
	EventFailed
)

// EventOutcome is what became of an attempt.
type EventOutcome struct {
	ID      string
	State   EventState
	RetryAt time.Time
	// Invocation is the id of an invocation, which counts as a try and is recorded once, however often
	// it is written; "" when the webhook wasn't called.
	Invocation string
	// Status of the answer, nil for none.
	Status            *int
	Request, Response json.RawMessage
}
