// Package backendtest proves that a kind of database is what the engine needs: Exercise runs the
// same tests on every kind. They are written in the terms of the contract (tables, rows, plans,
// answers) and never in SQL: a Fixture says how its kind spells the tables.
//
// What a kind can do at all is said by its metadata.Kind, and its parts are held to that. What it
// can't do besides is an exception by name, with its reason, in Fixture.Except. An exception
// that names no test fails, so that none outlives its cause.
//
// Answers are compared as JSON with the order of its keys: white space is the dialect's, and so
// is how many digits of an average there are. Packages of a kind may hold the bytes themselves to
// the files of this package, by Queries.
package backendtest
