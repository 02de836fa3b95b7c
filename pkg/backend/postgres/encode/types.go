package encode

import (
	"github.com/jackc/pgx/v5/pgtype"

	"queryengine/pkg/backend/answer"
	"queryengine/pkg/catalog"
)

// The encoders of strings of digits, for numbers that the answer has as strings.
var (
	encodeQuotedInt8    = answer.Quoted(encodeInt8)
	encodeQuotedFloat8  = answer.Quoted(encodeFloat8)
	encodeQuotedNumeric = answer.Quoted(encodeNumeric)
	encodeQuotedInt4    = answer.Quoted(encodeInt4)
	encodeQuotedFloat4  = answer.Quoted(encodeFloat4)
)

// encoderOf is the encoder of a built-in type that is no array, nil when it has none and the
// database must make the JSON. Types whose text depends on settings of the session or on the server's
// version (interval, money) and rare ones are left to the database.
func encoderOf(oid uint32, quoted bool) answer.Encoder {
	if quoted {
		switch oid {
		case pgtype.Int2OID, pgtype.Int4OID:
			return encodeQuotedInt4
		case pgtype.Int8OID:
			return encodeQuotedInt8
		case pgtype.Float4OID:
			return encodeQuotedFloat4
		case pgtype.Float8OID:
			return encodeQuotedFloat8
		case pgtype.NumericOID:
			return encodeQuotedNumeric
		}
	}
	switch oid {
	case pgtype.BoolOID:
		return encodeBool
	case pgtype.Int2OID:
		return encodeInt2
	case pgtype.Int4OID:
		return encodeInt4
	case pgtype.Int8OID:
		return encodeInt8
	case pgtype.OIDOID:
		return encodeOID
	case pgtype.Float4OID:
		return encodeFloat4
	case pgtype.Float8OID:
		return encodeFloat8
	case pgtype.NumericOID:
		return encodeNumeric
	case pgtype.TextOID, pgtype.VarcharOID, pgtype.BPCharOID, pgtype.NameOID, pgtype.UnknownOID:
		return answer.AppendText
	case pgtype.UUIDOID:
		return encodeUUID
	case pgtype.DateOID:
		return encodeDate
	case pgtype.TimestampOID:
		return encodeTimestamp
	case pgtype.TimestamptzOID:
		return encodeTimestamptz
	case pgtype.TimeOID:
		return encodeTime
	case pgtype.TimetzOID:
		return encodeTimetz
	case pgtype.JSONOID:
		return answer.AppendJSON
	case pgtype.JSONBOID:
		return encodeJSONB
	case pgtype.ByteaOID:
		return encodeBytea
	}
	return nil
}

// arrays holds, for each built-in type with an encoder, the type of its arrays.
var arrays = map[uint32]uint32{
	pgtype.BoolOID: pgtype.BoolArrayOID, pgtype.Int2OID: pgtype.Int2ArrayOID,
	pgtype.Int4OID: pgtype.Int4ArrayOID, pgtype.Int8OID: pgtype.Int8ArrayOID,
	pgtype.OIDOID: pgtype.OIDArrayOID, pgtype.Float4OID: pgtype.Float4ArrayOID,
	pgtype.Float8OID: pgtype.Float8ArrayOID, pgtype.NumericOID: pgtype.NumericArrayOID,
	pgtype.TextOID: pgtype.TextArrayOID, pgtype.VarcharOID: pgtype.VarcharArrayOID,
	pgtype.BPCharOID: pgtype.BPCharArrayOID, pgtype.NameOID: pgtype.NameArrayOID,
	pgtype.UUIDOID: pgtype.UUIDArrayOID, pgtype.DateOID: pgtype.DateArrayOID,
	pgtype.TimestampOID: pgtype.TimestampArrayOID, pgtype.TimestamptzOID: pgtype.TimestamptzArrayOID,
	pgtype.TimeOID: pgtype.TimeArrayOID, pgtype.TimetzOID: pgtype.TimetzArrayOID,
	pgtype.JSONOID: pgtype.JSONArrayOID, pgtype.JSONBOID: pgtype.JSONBArrayOID,
	pgtype.ByteaOID: pgtype.ByteaArrayOID,
}

// builtin holds the numbers of the built-in types with an encoder, by name: a plan may name
// a type without its number.
var builtin = map[string]uint32{
	"bool": pgtype.BoolOID, "int2": pgtype.Int2OID, "int4": pgtype.Int4OID,
	"int8": pgtype.Int8OID, "oid": pgtype.OIDOID, "float4": pgtype.Float4OID,
	"float8": pgtype.Float8OID, "numeric": pgtype.NumericOID, "text": pgtype.TextOID,
	"varchar": pgtype.VarcharOID, "bpchar": pgtype.BPCharOID, "name": pgtype.NameOID,
	"uuid": pgtype.UUIDOID, "date": pgtype.DateOID, "timestamp": pgtype.TimestampOID,
	"timestamptz": pgtype.TimestamptzOID, "time": pgtype.TimeOID, "timetz": pgtype.TimetzOID,
	"json": pgtype.JSONOID, "jsonb": pgtype.JSONBOID, "bytea": pgtype.ByteaOID,
}

// JSON is a cell whose text the database made.
var JSON = answer.Cell{Type: pgtype.JSONOID, Encode: answer.AppendJSON}

// CellOf is how values of type t are written, when they have an encoder.
func CellOf(t catalog.Type, quoted bool) (c answer.Cell, ok bool) {
	if t.Domain != nil || t.IsArray() {
		c.UserTypes = firstUserOID
	}
	switch {
	case t.Kind == catalog.TypeEnum, t.Name == "citext" && t.Schema != "":
		c.UserTypes, c.Encode = firstUserOID, answer.AppendText
	case t.Kind == "" || t.Kind == catalog.TypeBase:
		if t.Schema == "" {
			c.Type = builtin[t.Name]
		}
		c.Quoted = quoted && !t.IsArray()
		c.Encode = encoderOf(c.Type, c.Quoted)
	}
	if c.Encode == nil {
		return answer.Cell{}, false
	}
	if t.IsArray() {
		c.Type, c.Encode = arrays[c.Type], arrayOf(c.Encode)
	}
	return c, true
}

// Zoned reports whether the text of a type depends on the time zone of the session.
func Zoned(t catalog.Type) bool { return t.Name == "timestamptz" && t.Schema == "" }
