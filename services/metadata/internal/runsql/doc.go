// Package runsql finds out what the text of run_sql did to the objects that metadata
// refers to, and what becomes of the metadata: names that changed are followed, objects
// that lost what they need are refused or dropped.
//
// It compares two catalogs and touches no database.
package runsql
