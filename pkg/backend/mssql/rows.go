package mssql

import (
	"context"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	mssql "github.com/microsoft/go-mssqldb"

	"queryengine/pkg/backend/answer"
)

// rows runs a text with its parameters, NULL for nil, and calls f for each row of its result, whose
// cells are valid during the call only. It gives the number of rows.
func (c *conn) rows(ctx context.Context, text string, values [][]byte, f func(row answer.Cells) error) (n int64, err error) {
	return c.rowsOf(ctx, "", text, values, f)
}

// rowsOf is rows for the results whose first column has a name, all of them for none: triggers of the tables may give rows
// of their own.
func (c *conn) rowsOf(ctx context.Context, first, text string, values [][]byte, f func(row answer.Cells) error) (n int64, err error) {
	args := make([]any, len(values))
	for i, v := range values {
		// Texts of any length are one type, so the database keeps one plan for the statement. The driver has no NULL of
		// this type, only of nvarchar(4000); nil would have no type at all.
		if args[i] = any(mssql.NVarCharMax(v)); v == nil {
			args[i] = sql.NullString{}
		}
	}
	rows, err := c.QueryContext(ctx, text, args...)
	if err != nil {
		return 0, err
	}
	defer func() { _ = rows.Close() }()
	row := reader{first: first}
	for more := true; more; more = rows.NextResultSet() {
		count, err := row.read(rows, f)
		n += count
		if err != nil {
			return n, err
		}
	}
	if err := rows.Err(); err != nil || row.found || first == "" {
		return n, err
	}
	return n, errNoAnswer
}

var errNoAnswer = errors.New("the statement gave no result of its own")

// reader reads the rows of a statement into one buffer.
type reader struct {
	// first is the name that the first column of a result has which is read, empty for all results.
	first string
	// found reports whether a result was read.
	found   bool
	columns []column
	targets []any
	data    []byte
	ends    []int
	null    []bool
	values  [][]byte
}

// column is where a cell is scanned into.
type column struct {
	reader *reader
	write  func(dst []byte, value any) []byte
}

// read reads one result set.
func (r *reader) read(rows *sql.Rows, f func(row answer.Cells) error) (n int64, err error) {
	types, err := rows.ColumnTypes()
	if err != nil || len(types) == 0 {
		return 0, err
	}
	if r.first != "" && types[0].Name() != r.first {
		for rows.Next() { // the driver knows of the next result after these
		}
		return 0, rows.Err()
	}
	r.found = true
	r.columns, r.targets = make([]column, len(types)), make([]any, len(types))
	for i, t := range types {
		r.columns[i] = column{reader: r, write: writerOf(t.DatabaseTypeName())}
		r.targets[i] = &r.columns[i]
	}
	for rows.Next() {
		n++
		r.data, r.ends, r.null, r.values = r.data[:0], r.ends[:0], r.null[:0], r.values[:0]
		if err := rows.Scan(r.targets...); err != nil {
			return n, err
		}
		begin := 0
		for i, end := range r.ends {
			v := r.data[begin:end:end]
			switch {
			case r.null[i]:
				v = nil
			case v == nil:
				v = []byte{}
			}
			r.values, begin = append(r.values, v), end
		}
		if err := f(answer.Cells{Values: r.values}); err != nil {
			return n, err
		}
	}
	return n, rows.Err()
}

// Scan implements sql.Scanner: the columns of a row are scanned in their order.
func (c *column) Scan(value any) error {
	r := c.reader
	r.null = append(r.null, value == nil)
	if value != nil {
		r.data = c.write(r.data, value)
	}
	r.ends = append(r.ends, len(r.data))
	return nil
}

// writerOf is how values of a type, as the driver gives them, become the text of a cell.
func writerOf(typeName string) func(dst []byte, value any) []byte {
	switch typeName {
	case "REAL":
		return func(dst []byte, value any) []byte {
			if f, ok := value.(float64); ok {
				return strconv.AppendFloat(dst, f, 'g', -1, 32)
			}
			return appendValue(dst, value)
		}
	case "UNIQUEIDENTIFIER":
		return appendGUID
	case "BINARY", "VARBINARY", "IMAGE", "TIMESTAMP", "ROWVERSION":
		return func(dst []byte, value any) []byte {
			if b, ok := value.([]byte); ok {
				return base64.StdEncoding.AppendEncode(dst, b)
			}
			return appendValue(dst, value)
		}
	case "DATE":
		return timeWriter("2006-01-02")
	case "TIME":
		return timeWriter("15:04:05.0000000")
	case "DATETIME", "DATETIME2", "SMALLDATETIME":
		return timeWriter("2006-01-02T15:04:05.9999999")
	case "DATETIMEOFFSET":
		return timeWriter("2006-01-02T15:04:05.9999999-07:00")
	}
	return appendValue
}

func timeWriter(layout string) func(dst []byte, value any) []byte {
	return func(dst []byte, value any) []byte {
		if at, ok := value.(time.Time); ok {
			return at.AppendFormat(dst, layout)
		}
		return appendValue(dst, value)
	}
}

// appendGUID writes the sixteen bytes of a uniqueidentifier, whose first three groups are numbers with
// the least byte first.
func appendGUID(dst []byte, value any) []byte {
	b, ok := value.([]byte)
	if !ok {
		return appendValue(dst, value)
	}
	var id mssql.UniqueIdentifier
	if id.Scan(slices.Clone(b)) != nil {
		return appendValue(dst, value)
	}
	return append(dst, id.String()...)
}

// appendValue writes a value in the form that its Go type has.
func appendValue(dst []byte, value any) []byte {
	switch v := value.(type) {
	case string:
		return append(dst, v...)
	case []byte: // the digits of a decimal
		return append(dst, v...)
	case int64:
		return strconv.AppendInt(dst, v, 10)
	case bool:
		return strconv.AppendBool(dst, v)
	case float64:
		return strconv.AppendFloat(dst, v, 'g', -1, 64)
	case time.Time:
		return v.AppendFormat(dst, time.RFC3339Nano)
	}
	return fmt.Append(dst, value)
}
