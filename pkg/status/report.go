package status

import (
	"encoding/json"
	"time"
)

// Answer is the answer of get_status.
type Answer struct {
	At time.Time `json:"at"`
	// MetadataVersion is the current version.
	MetadataVersion int64      `json:"metadata_version"`
	Instances       []Instance `json:"instances"`
	Sources         []Database `json:"sources"`
	// Backlogs are what has still to be delivered, the oldest first.
	Backlogs []Backlog `json:"backlogs"`
	// BacklogError is why scheduled events can't be counted.
	BacklogError string `json:"backlog_error,omitempty"`
	// OperationBounds are the upper bounds of Operation.Buckets.
	OperationBounds []float64 `json:"operation_bounds"`
}

// Database is how a source is.
type Database struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
	// Inconsistent is why it, or what is tracked of it, can't be read; empty when it can.
	Inconsistent string `json:"inconsistent,omitempty"`
	// Health is what the last health check found, null for sources that ask for none.
	Health json.RawMessage `json:"health"`
	// Unreachable is why its server doesn't answer, as tried for this answer where neither a health check nor an event log tells.
	Unreachable string `json:"unreachable,omitempty"`
	// BacklogError is why its event log can't be read.
	BacklogError string `json:"backlog_error,omitempty"`
}

// Backlog is what has still to be delivered of the events of a trigger, or of scheduled events of a kind.
type Backlog struct {
	// Kind is event, cron or one_off; Source and Trigger are those of events.
	Kind    string `json:"kind"`
	Source  string `json:"source,omitempty"`
	Trigger string `json:"trigger,omitempty"`
	// Pending wait for a worker, or for a retry; those InFlight have been taken.
	Pending  int64 `json:"pending"`
	InFlight int64 `json:"in_flight"`
	// Oldest is when the oldest of them was made; of scheduled ones, when it was due.
	Oldest time.Time `json:"oldest"`
	// Paused reports whether they wait because their trigger is paused.
	Paused bool `json:"paused,omitempty"`
}

// Report is what a service reports itself.
type Report struct {
	Service string `json:"service"`
	// Instance is the process. The services of one process share it.
	Instance string `json:"instance"`
	// Version is that of the program.
	Version   string    `json:"version"`
	StartedAt time.Time `json:"started_at"`
	// Uptime is in seconds, by the clock of the process.
	Uptime float64 `json:"uptime_seconds"`
	// MetadataVersion is the version of the metadata that the service works with, 0 for none yet.
	MetadataVersion int64 `json:"metadata_version"`
	Healthy         bool  `json:"healthy"`
	// Error is why it isn't healthy.
	Error string `json:"error,omitempty"`
	// Metrics are the largest samples of the families that are named in metrics.go.
	Metrics []Sample `json:"metrics"`
	// Operations are those that were run most often since the start, by role.
	Operations []Operation `json:"operations,omitempty"`
	// Triggers are those that most calls were made for since the start, of each kind.
	Triggers []TriggerCalls `json:"triggers,omitempty"`
}

// Sample is the sum of the series of a metric that have the same values of the labels that are kept.
type Sample struct {
	Name   string            `json:"name"`
	Labels map[string]string `json:"labels,omitempty"`
	// Value is that of a counter or a gauge, and the sum of what a histogram has observed.
	Value float64 `json:"value"`
	// Count is how many values a histogram has observed.
	Count uint64 `json:"count,omitempty"`
}

// Operation is how often an operation was run for a role, and how long it took.
type Operation struct {
	Role string `json:"role"`
	// Name is empty for operations without a name, and for those that are counted together.
	Name   string `json:"operation_name"`
	Kind   string `json:"operation_type"`
	Count  uint64 `json:"count"`
	Errors uint64 `json:"errors"`
	// Seconds is the time that all of them took.
	Seconds float64 `json:"seconds"`
	// Buckets count them by the time that they took, those that failed too: one more than
	// OperationBounds has elements.
	Buckets []uint64 `json:"buckets"`
}

// TriggerCalls is how often the webhook of an event trigger or a cron trigger was called, or those of one-off events,
// and how long that took. Where metrics tell no triggers apart, one without a name stands for all of a kind.
type TriggerCalls struct {
	// Kind is event, cron or one_off, as that of a Backlog. Source is that of an event trigger; one-off events have no name.
	Kind   string `json:"kind"`
	Source string `json:"source"`
	Name   string `json:"trigger"`
	Calls  uint64 `json:"calls"`
	Failed uint64 `json:"failed"`
	// Delivery is from an event, or its retry, to its delivery, Queue from there to a worker, Webhook one call. Scheduled
	// events count from when they are due.
	Delivery Times `json:"delivery"`
	Queue    Times `json:"queue"`
	Webhook  Times `json:"webhook"`
	// CleanUps is what the clean-ups that an event trigger has planned have done, null for one without any.
	CleanUps *CleanUps `json:"cleanups,omitempty"`
}

// CleanUps is how often the events of a trigger were cleaned up by its schedule, and how many events and calls were removed.
type CleanUps struct {
	Count uint64 `json:"count"`
	// Failed are those that ended early, with a part of their events removed or none.
	Failed      uint64 `json:"failed"`
	Events      uint64 `json:"events"`
	Invocations uint64 `json:"invocations"`
}

// Times are how many of something took how long.
type Times struct {
	Count   uint64  `json:"count"`
	Seconds float64 `json:"seconds"`
	// Bounds are the upper bounds of Buckets, in seconds; the last bucket has none.
	Bounds  []float64 `json:"bounds"`
	Buckets []uint64  `json:"buckets"`
}

// OperationBounds are the upper bounds of Operation.Buckets, in seconds; the last bucket has none.
var OperationBounds = []float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10}

// Instance is the last report of a service in a process.
type Instance struct {
	Report
	// Responding reports whether the report was made for this question. It is older when the service didn't
	// answer in time.
	Responding bool `json:"responding"`
	// ReportedAt is when the report came.
	ReportedAt time.Time `json:"reported_at"`
}
