// Package resolve joins the metadata document with the catalog of each source: tracked
// tables with their GraphQL names, relationships with their join columns, permissions as
// plan conditions, per role and inherited ones merged.
//
// It is pure: no database, no clock, no logger. Equal input gives an equal Schema. An object that can't
// be resolved is left out, never an error; Schema.Inconsistencies lists them with the reasons.
//
// A Schema is immutable for its users and safe for concurrent use. Build makes one for each version of
// the document and reuses everything of the previous version that did not change, found by comparing
// pointers, so the cost of a new version follows the change. Permissions are parsed on first use of a
// role.
package resolve
