package rawsql

import (
	"encoding/json"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/answer"
)

// readStatement reads the result of one statement for a request for all of them. Its error is left to the caller.
func readStatement(request backend.RawSQL, rows *pgconn.ResultReader) backend.RawStatement {
	var s backend.RawStatement
	fields := rows.FieldDescriptions()
	if fields != nil {
		s.Columns = make([]string, len(fields))
		for i, f := range fields {
			s.Columns[i] = f.Name
		}
		s.Counts(0)
	}
	for rows.NextRow() {
		s.Returns(request, func() []json.RawMessage {
			row := make([]json.RawMessage, len(fields))
			for i, v := range rows.Values() {
				row[i] = valueOf(fields[i].DataTypeOID, v)
			}
			return row
		})
	}
	tag, err := rows.Close()
	if err != nil {
		return s
	}
	s.Command = tag.String()
	if tag.Insert() || tag.Update() || tag.Delete() {
		s.Counts(tag.RowsAffected())
	}
	return s
}

// valueOf is a value, in text form, as JSON.
func valueOf(oid uint32, v []byte) json.RawMessage {
	switch oid {
	case pgtype.BoolOID:
		if string(v) == "t" {
			v = []byte("true")
		} else if v != nil {
			v = []byte("false")
		}
		return answer.JSONOf(v, true)
	case pgtype.Int2OID, pgtype.Int4OID, pgtype.Int8OID, pgtype.OIDOID, pgtype.Float4OID, pgtype.Float8OID, pgtype.NumericOID:
		return answer.JSONOf(v, true)
	}
	return answer.JSONOf(v, false)
}
