// Package backendtest proves that a kind of database is what the engine needs: Exercise runs the same
// tests on every kind. They are written in the terms of the contract (tables, rows, plans, answers) and
// never in SQL: a Fixture spells the tables for its kind.
//
// The capabilities of a kind are in its metadata.Kind, and its parts are compared with that. Anything
// else that it can't do is an exception by name, with its reason, in Fixture.Except. An exception that
// names no test fails, so that none outlives its cause.
//
// Answers are compared as JSON with the order of its keys: white space and the number of digits of an
// average are up to the dialect. Packages of a kind may compare the bytes themselves with the files of
// this package, by Queries.
package backendtest
