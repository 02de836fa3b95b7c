package postgres

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"queryengine/pkg/backend/postgres/wire"
	"queryengine/pkg/catalog"
)

// typeInfo is a row of pg_type.
type typeInfo struct {
	name     catalog.Name
	kind     string // typtype
	base     uint32 // of a domain
	notNull  bool   // of a domain
	element  uint32 // of an array
	relation uint32 // of a composite type
	labels   []string
}

// types resolves the types that the catalog uses.
type types struct {
	used     []uint32
	rows     map[uint32]typeInfo
	resolved map[uint32]catalog.Type
}

func (t *types) use(oid uint32) {
	if _, seen := t.rows[oid]; !seen {
		t.rows[oid] = typeInfo{}
		t.used = append(t.used, oid)
	}
}

// readTypes reads the rows of all used types.
func (in *introspection) readTypes(ctx context.Context, pg *pgconn.PgConn) error {
	list := make([]string, len(in.types.used))
	for i, oid := range in.types.used {
		list[i] = strconv.FormatUint(uint64(oid), 10)
	}
	arg := []byte("{" + strings.Join(list, ",") + "}")
	rows := pg.ExecParams(ctx, typesSQL, [][]byte{arg}, nil, nil, nil)
	for rows.NextRow() {
		if err := in.types.row(rows.Values()); err != nil {
			_, _ = rows.Close()
			return err
		}
	}
	_, err := rows.Close()
	return wire.InternalError(ctx, err, wire.Executed{SQL: typesSQL, Args: [][]byte{arg}})
}

func (t *types) row(row [][]byte) error {
	var numbers [4]uint32
	for i, column := range []int{0, 4, 6, 7} {
		n, err := parseOID(row[column])
		if err != nil {
			return err
		}
		numbers[i] = n
	}
	info := typeInfo{
		name:     catalog.Name{Schema: string(row[1]), Name: string(row[2])},
		kind:     string(row[3]),
		base:     numbers[1],
		notNull:  isTrue(row[5]),
		element:  numbers[2],
		relation: numbers[3],
	}
	if row[8] != nil {
		if err := json.Unmarshal(row[8], &info.labels); err != nil {
			return err
		}
	}
	t.rows[numbers[0]] = info
	return nil
}

// resolve is the type with this identifier. A domain, and the elements of an array, become
// their base types.
func (t *types) resolve(oid uint32) catalog.Type {
	if found, ok := t.resolved[oid]; ok {
		return found
	}
	var result catalog.Type
	base, info := t.base(oid)
	if outer := t.rows[oid]; base != oid {
		result.Domain = &outer.name
	}
	if info.element != 0 {
		result.Dims = 1
		element := info.element
		if base, info = t.base(element); base != element {
			domain := t.rows[element].name
			result.ElementDomain = &domain
		}
	}
	result.Name, result.ID, result.Labels = info.name.Name, typeID(base), info.labels
	if info.name.Schema != "pg_catalog" {
		result.Schema = info.name.Schema
	}
	switch info.kind {
	case "e":
		result.Kind = catalog.TypeEnum
	case "c":
		result.Kind = catalog.TypeComposite
	case "r", "m":
		result.Kind = catalog.TypeRange
	case "p":
		result.Kind = catalog.TypePseudo
	}
	t.resolved[oid] = result
	return result
}

// base follows domains.
func (t *types) base(oid uint32) (uint32, typeInfo) {
	info := t.rows[oid]
	for info.kind == "d" {
		oid = info.base
		info = t.rows[oid]
	}
	return oid, info
}
