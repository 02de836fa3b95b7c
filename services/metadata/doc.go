// Package metadata is the service that owns the configuration: it processes the requests of the
// metadata API, keeps document, catalogs and resource version in the metadata database, runs run_sql,
// and publishes every change to the metadata stream.
//
// Replicas share the work: each request is processed by one of them, and one of them publishes. A
// request that changed something is answered when every live gateway has seen the change, or after a
// bounded time. Other services need neither this one nor the metadata database to serve: they start
// from the stored snapshot and follow the stream.
package metadata
