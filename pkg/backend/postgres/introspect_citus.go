package postgres

import (
	"context"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5/pgconn"

	"queryengine/pkg/backend/postgres/quote"
	"queryengine/pkg/catalog"
)

//go:embed introspection/citus.sql
var citusSQL string

// citusViewSQL finds the schema of citus_tables: pg_catalog or, in older versions, public. Without
// the extension there is none.
const citusViewSQL = `SELECT n.nspname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relname = 'citus_tables' AND c.relkind = 'v' ORDER BY n.nspname <> 'pg_catalog', n.nspname LIMIT 1`

// citusOwnSQL finds the relations and functions of the extension itself, which are nothing to track.
const citusOwnSQL = `SELECT d.objid FROM pg_catalog.pg_depend d JOIN pg_catalog.pg_extension e ON e.oid = d.refobjid
WHERE d.refclassid = 'pg_catalog.pg_extension'::regclass AND d.deptype = 'e' AND e.extname IN ('citus', 'citus_columnar')
	AND d.classid IN ('pg_catalog.pg_class'::regclass, 'pg_catalog.pg_proc'::regclass)`

// readDistributions reads which nodes the tables of a Citus database are on. Where Citus isn't installed
// none is on another node, and all relationships are possible.
func (in *introspection) readDistributions(ctx context.Context, pg *pgconn.PgConn, only *identifiers) error {
	schema := ""
	found := query{citusViewSQL, func(row [][]byte) error { schema = string(row[0]); return nil }}
	if err := runQueries(ctx, pg, []query{found}); err != nil || schema == "" {
		return err
	}
	for _, t := range in.byOID {
		t.Distribution = &catalog.Distribution{Placement: catalog.Local}
	}
	own := map[string]bool{}
	of := query{citusOwnSQL, func(row [][]byte) error { own[string(row[0])] = true; return nil }}
	if err := runQueries(ctx, pg, []query{of}); err != nil {
		return err
	}
	maps.DeleteFunc(in.byOID, func(oid uint32, _ *catalog.Table) bool { return own[strconv.FormatUint(uint64(oid), 10)] })
	in.functions = slices.DeleteFunc(in.functions, func(f functionRow) bool { return own[f.function.ID] })
	return runQueries(ctx, pg, []query{{fmt.Sprintf(only.narrow(citusSQL), quote.Name(schema)), in.distribution}})
}

// distribution reads one row of citus_tables. Its types are distributed, schema (a distributed table whose
// rows are all in one place, with those of its schema), reference and local.
func (in *introspection) distribution(row [][]byte) error {
	oid, err := parseOID(row[0])
	if err != nil {
		return err
	}
	t := in.byOID[oid]
	if t == nil {
		return nil
	}
	switch kind := string(row[1]); kind {
	case "reference":
		t.Distribution.Placement = catalog.Reference
	case "distributed", "schema":
		t.Distribution.Placement = catalog.Distributed
		t.Distribution.Colocation = string(row[3])
		if column := string(row[2]); kind == "distributed" && column != "<none>" {
			t.Distribution.Column = column
		}
	}
	return nil
}
