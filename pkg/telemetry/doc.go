// Package telemetry makes the instruments of a service: its logger, its tracer provider, what
// sends both to OpenTelemetry collectors together with the metrics, and the small HTTP server
// with /healthz and /metrics of a service that has no other.
//
// Nothing here is global: each process makes its own, so that five services can live in one.
package telemetry
