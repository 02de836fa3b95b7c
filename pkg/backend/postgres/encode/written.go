package encode

import (
	"bytes"

	"github.com/jackc/pgx/v5/pgtype"

	"queryengine/pkg/backend/answer"
	"queryengine/pkg/catalog"
)

// WrittenCellOf is how values of type t are written when they come as the text that the database has for them
// with ISO dates in UTC, as the log has them. Types whose text depends on more settings than that have none, as
// have arrays and domains.
func WrittenCellOf(t catalog.Type, quoted bool) (c answer.Cell, ok bool) {
	if t.Domain != nil || t.IsArray() {
		return answer.Cell{}, false
	}
	known, ok := CellOf(t, quoted)
	if !ok {
		return answer.Cell{}, false
	}
	encode := answer.Encoder(answer.AppendText)
	switch known.Type {
	case pgtype.BoolOID:
		encode = encodeWrittenBool
	case pgtype.Int2OID, pgtype.Int4OID, pgtype.Int8OID, pgtype.Float4OID, pgtype.Float8OID, pgtype.NumericOID:
		if encode = encodeWrittenNumber; known.Quoted {
			encode = answer.AppendText
		}
	case pgtype.TimestampOID:
		encode = encodeWrittenTimestamp
	case pgtype.TimestamptzOID:
		encode = encodeWrittenTimestamptz
	case pgtype.JSONOID, pgtype.JSONBOID:
		encode = answer.AppendJSON
	case pgtype.TimetzOID, pgtype.ByteaOID:
		return answer.Cell{}, false
	}
	return answer.Cell{Type: known.Type, UserTypes: known.UserTypes, Quoted: known.Quoted, Encode: encode}, true
}

func encodeWrittenBool(dst, value []byte) ([]byte, bool) {
	text := string(value)
	return answer.AppendBool(dst, text == "t"), text == "t" || text == "f"
}

// encodeWrittenNumber makes strings of NaN and the infinities, which JSON doesn't have.
func encodeWrittenNumber(dst, value []byte) ([]byte, bool) {
	if last := len(value) - 1; last >= 0 && '0' <= value[last] && value[last] <= '9' {
		return append(dst, value...), true
	}
	return answer.AppendText(dst, value)
}

func encodeWrittenTimestamp(dst, value []byte) ([]byte, bool) {
	return answer.AppendString(dst, bytes.Replace(value, []byte{' '}, []byte{'T'}, 1)), true
}

// encodeWrittenTimestamptz has the zone with its minutes.
func encodeWrittenTimestamptz(dst, value []byte) ([]byte, bool) {
	start := len(dst)
	dst, _ = encodeWrittenTimestamp(dst, value)
	zone := bytes.LastIndexByte(dst[start:], '+')
	if zone < 0 {
		return dst, bytes.HasSuffix(value, []byte("infinity"))
	}
	rest := bytes.Clone(dst[start+zone+len("+00"):])
	return append(append(dst[:start+zone], "+00:00"...), rest...), bytes.Contains(value, []byte("+00"))
}
