// Package tdstest is a server for tests that speaks TDS 7.4, the protocol of SQL Server, over a real
// socket: login, batches, sp_executesql with parameters, transactions, results of all types, errors and
// attention. It knows no SQL: a Session of the test answers the requests of a connection.
//
// A server of New has no TLS: a connection string for it has encrypt=disable. One of NewTLS encrypts what the
// client asks for.
package tdstest

import (
	"context"
	"iter"
)

// Session answers the requests of one connection, one at a time.
type Session interface {
	// Run answers a request. The context ends when the client sends attention, or is gone.
	Run(ctx context.Context, r Request) iter.Seq[Result]
	// Begin, Commit and Rollback are the requests of the transaction manager.
	Begin(ctx context.Context, isolation byte) error
	Commit(ctx context.Context) error
	Rollback(ctx context.Context) error
	// Reset is sp_reset_connection: the client's pool hands the connection to another user.
	Reset()
	Close()
}

// Request is a batch or a call of sp_executesql.
type Request struct {
	SQL string
	// Declared are the types of the parameters as the client declares them: @p1 nvarchar(max).
	Declared string
	// Params are the values of @p1, @p2, ...; nil is NULL.
	Params []*string
}

// Result is what one statement of a request answers: rows, an error, or nothing.
type Result struct {
	// Columns is nil for a statement without rows.
	Columns []Column
	// Rows hold the texts of values; nil is NULL.
	Rows iter.Seq[[]*string]
	// Err is a fault, after the rows that came before it.
	Err *Error
}

// Column is a column of a result.
type Column struct {
	Name string
	// Type is int, bigint, smallint, tinyint, bit, real, float, money, decimal, uniqueidentifier, date,
	// time, datetime, smalldatetime, datetime2, datetimeoffset, varbinary or nvarchar.
	Type string
	// Scale is the number of digits of a decimal after the point.
	Scale int
}

// Error is a fault that the server reports.
type Error struct {
	Number  int
	Message string
	// Fatal ends the connection.
	Fatal bool
}

func (e *Error) Error() string { return e.Message }

// Text is a value of a row.
func Text(s string) *string { return &s }

// Rows are rows that are there already.
func Rows(rows ...[]*string) iter.Seq[[]*string] {
	return func(yield func([]*string) bool) {
		for _, r := range rows {
			if !yield(r) {
				return
			}
		}
	}
}
