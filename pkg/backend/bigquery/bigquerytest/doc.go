// Package bigquerytest is a server for tests that speaks the REST API of BigQuery and runs statements on PostgreSQL,
// to find wrong joins, filters and orders. A dataset is a schema there.
//
// Statements are rendered by the engine, or simple ones of people: Translate bridges what the two languages
// spell differently. It is no GoogleSQL: what it takes may be refused by BigQuery.
package bigquerytest
