// Package status collects how the services are, over the bus: a Reporter in each of them answers the
// roll calls of a Collector in the metadata service, which get_status asks.
//
// A report is made of what the service knows already: its health, the version of the metadata that it has
// applied, the operations that it ran, and some of the metrics that it registers, added up so that their
// number is bounded. Nothing is kept beyond the last report of each service.
package status
