// Package telemetry makes the instruments of a service: its logger, its tracer provider,
// and the small HTTP server with /healthz and /metrics of a service that has no other.
//
// Nothing here is global: each service is given its own, so that five of them can live in
// one process.
package telemetry
