// Package extension holds the Go code that a build adds to the engine.
//
// Metadata names it by a URL such as go://billing wherever it may have the address of an HTTP server. Package egress
// hands calls to such URLs to a Set instead of the network, so that everything around a call (headers, limits,
// retries, logs, traces, metrics) is the same for both.
package extension
