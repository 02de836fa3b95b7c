// Package mssqltest runs the statements that the engine renders for SQL Server on PostgreSQL, to find wrong joins,
// filters and orders. These are all of the differences that are bridged: names in brackets, TOP, the place of NULL in
// an order, FOR JSON, OPENJSON, OUTPUT and temporary tables, names of types and aggregates, parameters, the views of
// sys that introspection reads, the statements of the log of events and its triggers, simple definitions of tables,
// and the numbers of faults. Hints for locks and isolation levels are left out, and the texts of faults are those of
// PostgreSQL.
package mssqltest
