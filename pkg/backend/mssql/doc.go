// Package mssql is the backend of SQL Server, over TDS with Microsoft's driver.
//
// Connections come from database/sql: each statement is one call of sp_executesql, whose parameters are
// all texts that the statement casts, and a transaction is one of the server's. Rows become JSON in the
// engine: the driver gives values, whose texts are written into one buffer as they come. Cancelling a
// statement sends the database an attention signal, after which the connection is used again.
//
// Plans become batches of T-SQL that keep to what SQL Server 2016 has, and to no setting of a session. Lists, and
// rows that a statement is given, are one parameter each, a JSON text. The rows of a root field come as they are;
// related rows are read in the same statement, as JSON in one cell.
//
// What the database says of a fault is shown to administrators only: others get the code that the number
// of the error has, and words for it.
package mssql
