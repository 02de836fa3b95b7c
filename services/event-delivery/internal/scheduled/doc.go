// Package scheduled delivers the events of cron triggers and one-off events, and records in
// the metadata database what became of them.
package scheduled
