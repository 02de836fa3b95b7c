package metadata

import (
	"encoding/json"

	"queryengine/pkg/apierror"
)

// Events and their logs lie in the sources. The arguments of their operations are read here;
// the service works them off.

// InvokeEventTrigger are the arguments of invoke_event_trigger.
type InvokeEventTrigger struct {
	Source  string          `json:"source" meta:"default=default"`
	Name    string          `json:"name" meta:"required"`
	Payload json.RawMessage `json:"payload" meta:"required"`
}

// RedeliverEvent are the arguments of redeliver_event.
type RedeliverEvent struct {
	Source string `json:"source" meta:"default=default"`
	ID     string `json:"event_id" meta:"required"`
}

// defaultLogLimit is how many entries of a log are answered.
const defaultLogLimit = 100

// EventLogPage is the part of a log that is requested.
type EventLogPage struct {
	Source string `json:"source" meta:"default=default"`
	Name   string `json:"name" meta:"required"`
	Limit  *int   `json:"limit"`
	Offset int    `json:"offset"`
}

func (p *EventLogPage) checkPage() error {
	return checkLogPage(&p.Limit, p.Offset, "limit", "offset")
}

func checkLogPage(limit **int, offset int, limitKey, offsetKey string) error {
	if *limit == nil {
		*limit = new(int)
		**limit = defaultLogLimit
	}
	return firstError(notNegative(limitKey, **limit), notNegative(offsetKey, offset))
}

// EventLogStatus picks events of a log.
type EventLogStatus string

// The states of events in a log; empty are all. What is processed was delivered or has failed.
const (
	EventsPending   EventLogStatus = "pending"
	EventsProcessed EventLogStatus = "processed"
	EventsDelivered EventLogStatus = "delivered"
	EventsFailed    EventLogStatus = "failed"
)

// GetEventLogs are the arguments of get_event_logs.
type GetEventLogs struct {
	EventLogPage
	Status EventLogStatus `json:"status"`
}

func (a *GetEventLogs) check() error {
	switch a.Status {
	case "", EventsPending, EventsProcessed, EventsDelivered, EventsFailed:
	default:
		return apierror.At(apierror.New(apierror.ParseFailed,
			"event logs status can only be one of the following: processed, pending, delivered or failed"), "status")
	}
	return a.checkPage()
}

// GetEventInvocationLogs are the arguments of get_event_invocation_logs.
type GetEventInvocationLogs struct{ EventLogPage }

func (a *GetEventInvocationLogs) check() error { return a.checkPage() }

// GetEventByID are the arguments of get_event_by_id.
type GetEventByID struct {
	Source string `json:"source" meta:"default=default"`
	ID     string `json:"event_id" meta:"required"`
	Limit  *int   `json:"invocation_log_limit"`
	Offset int    `json:"invocation_log_offset"`
}

func (a *GetEventByID) check() error {
	return checkLogPage(&a.Limit, a.Offset, "invocation_log_limit", "invocation_log_offset")
}

// CleanupEventLogs are the arguments of cleanup_event_trigger_logs.
type CleanupEventLogs struct {
	Source    string `json:"source" meta:"default=default"`
	Name      string `json:"event_trigger_name" meta:"required"`
	BatchSize int    `json:"batch_size"`
	// OlderThan is the age in hours.
	OlderThan   int  `json:"clear_older_than" meta:"required"`
	Timeout     int  `json:"timeout"` // of a batch, s
	Invocations bool `json:"clean_invocation_logs"`
}

func (a *CleanupEventLogs) check() error {
	a.BatchSize = positiveOr(a.BatchSize, defaultCleanupBatch)
	a.Timeout = positiveOr(a.Timeout, defaultCleanupTimeout)
	return nil
}

// FindSource is the source of that name and of the kind that the command asks for.
func (v View) FindSource(name string) (*Source, error) { return v.source(name) }

// RequireEventTrigger is the trigger of that name and its table, and fails for none.
func (s *Source) RequireEventTrigger(name string) (*Table, *EventTrigger, error) {
	table, t := s.EventTrigger(name)
	if table == nil {
		return nil, nil, noEventTrigger(name)
	}
	return table, t, nil
}
