// Package table delivers the events that triggers on tables have written.
//
// For each source that has event triggers it takes events from the log when the database notifies it of
// new ones, and polls as a safety net, publishes them to the queue, and as a delivery.Kind makes the
// calls of what the queue gives to this process. An event in progress is leased in its log, and the
// lease is renewed while a worker of any process has it: events that are lost with a worker, or with
// the queue, are taken again when their lease has run out. How many events of a trigger may be in
// progress follows the pace of its webhook, so that one that is broken or slow takes nothing from the
// others. Old events are removed as configured by their triggers.
package table
