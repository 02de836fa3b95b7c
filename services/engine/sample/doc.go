// Package sample is the project's own sample database: a music shop of eleven tables, with
// metadata that tracks all of them, their relationships both ways, and two roles. The
// engine's local mode, the documentation, the tests and the benchmarks use it.
//
// Every row is a function of the seed, its table and its number, so the rows are the same
// each time and on every machine, any of them can be made alone, and the large size needs
// no more memory than the small one.
package sample
