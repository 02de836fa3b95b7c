// Package dataop runs the operations of the JSON query language: select, insert, update,
// delete and count, as /v1/query and /v2/query have them.
//
// A request is read, planned and run in three steps: read.go and args.go turn its text into
// arguments without knowing any schema; the planner turns these into IR with the permissions
// of the role merged in; the handler has the source run it and passes the answer's bytes on.
// Faults of reading have paths within the arguments ("$.limit"), all others begin with
// "$.args".
package dataop
