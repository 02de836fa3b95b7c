// Package queryexecutor is the service that answers GraphQL operations.
//
// It follows the metadata and keeps the databases of its sources open. A request is parsed,
// resolved against the schema of its role, planned, rendered for the database and run;
// run.go calls these stages in order, and the packages below internal/ are the stages. Plans
// are kept, so an operation that comes again is only bound to its variables and run.
//
// The files have an order, too, and use only what is before them: executor.go is the state of the
// service, document.go, planning.go and running.go are the stages of a request, run.go is all of them,
// handlers.go and subscribe.go answer messages with it, and service.go wires, starts and stops it all.
package queryexecutor
