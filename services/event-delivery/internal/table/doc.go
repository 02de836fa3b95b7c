// Package table delivers the events that triggers on tables have written.
//
// For each source that has event triggers it takes events from the log when the database says
// that there are new ones, and by a poll as a safety net, publishes them to the queue, and as a
// delivery.Kind makes the calls of what the queue gives to this process. An event in hand is
// leased in its log, and the lease is renewed while a worker of any process has it: what is lost
// with a worker, or with the queue, is taken again when its lease has run out. How much of a
// trigger may be in hand follows how its webhook does, so that one that is broken or slow takes
// nothing from the others. Old events are removed as their triggers say.
package table
