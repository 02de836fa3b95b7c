package config

import "time"

// accepted defines a setting that has no effect.
func accepted[T any](spec Spec, parse func(string) (T, error)) Setting[T] {
	spec.NoEffect = true
	spec.Group = GroupNoEffect
	if len(spec.Services) == 0 {
		spec.Services = []Service{Gateway}
	}
	return define(spec, parse)
}

// The settings of the wire format whose features are not here, or have no meaning here: a
// configuration that names them must still start. Load remembers which of them were set, for a
// warning. A feature that comes moves its row to the others of its group.
var _ = []row{
	accepted(Spec{
		Flag: "retries", Variable: "NO_OF_RETRIES", Default: "1", Values: number, Services: queriers(),
		Help: "attempts to connect to the metadata database; a start keeps trying",
	}, parseNonNegative),
	accepted(Spec{
		Flag: "metadata-database-extensions-schema", Default: "public", Services: []Service{Metadata},
		Help: "schema for extensions of the metadata database; none are needed",
	}, parseText),
	accepted(Spec{
		Flag: "stripes", Short: "s", Variable: "PG_STRIPES", Default: "1", Values: number, Services: queriers(),
		Help: "parts of a connection pool",
	}, parsePositive),
	accepted(Spec{
		Flag: "query-plan-cache-size", Values: number, Services: []Service{QueryExecutor},
		Help: "former size of the plan cache, see plan-cache-size",
	}, parseNonNegative),
	accepted(Spec{
		Flag: "schema-sync-poll-interval", Default: "1000", Values: milliseconds, Services: queriers(),
		Help: "how often replicas look for metadata changes; they are notified of them",
	}, parseDuration(time.Millisecond)),
	accepted(Spec{
		Flag: "enable-telemetry", Default: "true", Values: boolean,
		Help: "send anonymous usage data; none is sent",
	}, parseBool),

	accepted(Spec{
		Flag: "metadata-defaults", Default: "{}", Values: "JSON object", Services: []Service{Metadata},
		Help: "metadata below the stored one",
	}, parseText),
}
