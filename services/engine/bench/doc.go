// Package bench compares the engine with hand-written servers that answer the same queries from the
// same database: the sample's small size.
//
// The yardsticks are what a good engineer would write for exactly these queries, with net/http and pgx
// and one prepared statement per query: json lets the database build the whole answer with json_agg and
// writes many rows as one array for each column, rows reads binary rows and writes the JSON in Go. The
// engine runs in one process and split into its services. Every target is a process of its own, so that
// CPU is measured separately, and they take turns in short slices, so that other work on the machine
// affects all alike; ratios compare neighbouring slices, and what else the machine did is measured too. Answers are compared with those of the json
// yardstick first, and each answer of the measurement is checked for its number of rows.
package bench
