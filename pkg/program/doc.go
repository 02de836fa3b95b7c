// Package program is what every program does around its services: it reads the settings,
// makes the logger, the metrics and the tracer, connects to NATS, starts the services, and
// stops them in order when a signal comes.
//
// A wrong setting or a service that can't start ends the program with one clear line.
package program
