// Package queryexecutor is the service that answers GraphQL operations.
//
// It follows the metadata and keeps the databases of its sources open. A request is parsed,
// resolved against the schema of its role, planned, rendered for the database and run;
// run.go calls these stages in order, and the packages below internal/ are the stages. Plans
// are kept, so an operation that comes again is only bound to its variables and run.
package queryexecutor
