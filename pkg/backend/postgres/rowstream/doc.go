// Package rowstream makes the batches of a stream from changed rows of its table, whose images are known from the log.
//
// Of a change only the last image of each row counts, and of these the ones that satisfy the condition of the stream:
// its cursor, its arguments and the role's rule. They are written and ordered as the statement of the stream does it;
// where that isn't known to the last bit nothing is decided. There is no I/O here.
package rowstream
