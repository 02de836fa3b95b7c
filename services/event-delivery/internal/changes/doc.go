// Package changes reads the logs of sources and publishes which of their tables have changed.
//
// A log is read for as long as an executor wants it, by one process of all: the others try again and
// again, and take over. Each reading has a name, and its messages are numbered, so a reader that
// listens notices when one is missing. The reader publishes its last number every second; silence means that
// nothing is read.
package changes
