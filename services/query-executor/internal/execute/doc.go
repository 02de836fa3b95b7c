// Package execute runs a plan and writes its answer.
//
// It is the only stage that touches a database. The root fields of a plan run one after
// another, each with one statement, and their JSON goes from the driver straight into the
// answer's buffer.
//
// An answer with fields of other sources is kept back until these are queried: package join puts
// them in their places, and a target, of which there is one kind for each kind of answerer,
// gets the values for its keys.
package execute
