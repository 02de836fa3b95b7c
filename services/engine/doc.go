// Package engine adds Go code to Query Engine: remote schemas, actions, handlers of events and schedules, and
// authentication. A program that calls Main is the engine with all its commands; New mounts it in a server of yours.
//
// Metadata names code by URLs such as go://billing. Permissions, presets, relationships, limits, retries, logs and
// traces apply to it as to a server that answers by HTTP.
package engine
