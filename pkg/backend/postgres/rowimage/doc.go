// Package rowimage decides conditions on rows that are known by their images in the log: the texts of their
// columns as the database writes them with ISO dates in UTC, some of which may be missing.
//
// A Condition is compiled once for a plan, and is given the operands of a cohort and the rows. What it can't
// decide as surely as the database would it leaves open: conditions on other tables, operators and types that
// aren't known here, values in a form that only the database reads. There is no I/O here.
package rowimage
