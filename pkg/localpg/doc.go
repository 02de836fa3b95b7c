// Package localpg runs a private PostgreSQL server from the binaries of this machine: for
// local work and for tests, where no server and no container is at hand.
//
// It makes a cluster in a directory of its own, or starts the one that is there, on a free
// port of 127.0.0.1, with a random password that it keeps next to the data. PostgreSQL
// refuses to run as root; for root the server runs as another user. The server ends with
// the process that started it, also when that one is killed. It never touches a server
// that it did not start.
package localpg
