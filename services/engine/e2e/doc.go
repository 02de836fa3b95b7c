// Package e2e holds the tests that span services: they start the built programs as separate
// processes, with a real NATS between them and a real PostgreSQL behind them, and look at
// what a client sees.
package e2e
