// Package execute runs a plan and writes its answer.
//
// It is the only stage that touches a database. The root fields of a plan run one after
// another, each with one statement, and their JSON goes from the driver straight into the
// answer's buffer.
package execute
