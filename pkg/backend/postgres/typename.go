package postgres

import (
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"

	"queryengine/pkg/catalog"
)

// typeAliases are the names of SQL for types that the catalog calls otherwise.
var typeAliases = map[string]string{
	"smallint":                    "int2",
	"int":                         "int4",
	"integer":                     "int4",
	"bigint":                      "int8",
	"real":                        "float4",
	"float":                       "float8",
	"double precision":            "float8",
	"decimal":                     "numeric",
	"boolean":                     "bool",
	"string":                      "text",
	"character varying":           "varchar",
	"character":                   "bpchar",
	"char":                        "bpchar",
	"timestamp without time zone": "timestamp",
	"timestamp with time zone":    "timestamptz",
	"time without time zone":      "time",
	"time with time zone":         "timetz",
	"bit varying":                 "varbit",
}

// builtinTypes are the object identifiers of the types that every server has.
var builtinTypes = map[string]uint32{
	"bool": pgtype.BoolOID, "bytea": pgtype.ByteaOID, "name": pgtype.NameOID, "int8": pgtype.Int8OID,
	"int2": pgtype.Int2OID, "int4": pgtype.Int4OID, "text": pgtype.TextOID, "oid": pgtype.OIDOID,
	"json": pgtype.JSONOID, "jsonb": pgtype.JSONBOID, "xml": pgtype.XMLOID, "point": pgtype.PointOID,
	"float4": pgtype.Float4OID, "float8": pgtype.Float8OID, "inet": pgtype.InetOID, "cidr": pgtype.CIDROID,
	"macaddr": pgtype.MacaddrOID, "bpchar": pgtype.BPCharOID, "varchar": pgtype.VarcharOID,
	"date": pgtype.DateOID, "time": pgtype.TimeOID, "timetz": pgtype.TimetzOID,
	"timestamp": pgtype.TimestampOID, "timestamptz": pgtype.TimestamptzOID, "interval": pgtype.IntervalOID,
	"numeric": pgtype.NumericOID, "uuid": pgtype.UUIDOID, "bit": pgtype.BitOID, "varbit": pgtype.VarbitOID,
	"money": 790, "tsvector": 3614, "tsquery": 3615,
}

// NamedType is the built-in type of that name, without its length: a length restricts what is stored,
// not what is sent.
func (*Dialect) NamedType(name string) (catalog.Type, bool) {
	name = strings.Join(strings.Fields(strings.ToLower(name)), " ")
	element, array := strings.CutSuffix(name, "[]")
	if before, rest, ok := strings.Cut(element, "("); ok {
		if _, after, closed := strings.Cut(rest, ")"); closed {
			element = strings.TrimSpace(before) + after
		}
	}
	if known := typeAliases[element]; known != "" {
		element = known
	}
	oid := builtinTypes[element]
	t := catalog.Type{Name: element, ID: typeID(oid)}
	if array {
		t.Dims = 1
	}
	return t, oid != 0
}

// typeID is the object identifier of a type in the catalog, "" for none.
func typeID(oid uint32) string {
	if oid == 0 {
		return ""
	}
	return strconv.FormatUint(uint64(oid), 10)
}
