package postgres

import (
	"context"
	_ "embed"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/wire"
	"queryengine/pkg/catalog"
)

// partSQL finds the identifiers of tables and functions by their names, and of the tables
// that must be known to describe them: tables that foreign keys lead to, and tables whose
// row types the functions take or return.
//
//go:embed introspection/part.sql
var partSQL string

// onlyMarker is where a query of introspection can be narrowed to some identifiers.
var onlyMarker = regexp.MustCompile(`/\* only (tables|functions) (\S+) \*/`)

// identifiers are what an introspection is narrowed to.
type identifiers struct{ tables, functions []string }

// narrow narrows a query of introspection.
func (ids *identifiers) narrow(sql string) string {
	if ids == nil {
		return sql
	}
	return onlyMarker.ReplaceAllStringFunc(sql, func(marker string) string {
		match := onlyMarker.FindStringSubmatch(marker)
		list := ids.tables
		if match[1] == "functions" {
			list = ids.functions
		}
		return "AND " + match[2] + " = ANY ('{" + strings.Join(list, ",") + "}'::oid[])"
	})
}

// IntrospectPart reads some tables and functions of the primary, from one snapshot.
func (s *Server) IntrospectPart(ctx context.Context, part backend.Part, enums []catalog.Name) (*catalog.Source, error) {
	var found *catalog.Source
	err := s.primary.InSnapshot(ctx, func(pg *pgconn.PgConn) error {
		ids, err := findPart(ctx, pg, part)
		if err != nil {
			return err
		}
		// The rows of enums are read at the end, when only the part is left.
		if found, err = s.introspect(ctx, pg, nil, ids); err != nil {
			return err
		}
		keep(found.Tables, part.Tables)
		keep(found.Functions, part.Functions)
		return readEnums(ctx, pg, found, enums)
	})
	return found, err
}

func findPart(ctx context.Context, pg *pgconn.PgConn, part backend.Part) (*identifiers, error) {
	tableSchemas, tableNames := nameArrays(part.Tables)
	functionSchemas, functionNames := nameArrays(part.Functions)
	args := [][]byte{tableSchemas, tableNames, functionSchemas, functionNames}
	rows := pg.ExecParams(ctx, partSQL, args, nil, nil, nil)
	ids := &identifiers{}
	for rows.NextRow() {
		row := rows.Values()
		if string(row[0]) == "t" {
			ids.tables = append(ids.tables, string(row[1]))
		} else {
			ids.functions = append(ids.functions, string(row[1]))
		}
	}
	_, err := rows.Close()
	return ids, wire.InternalError(ctx, err, wire.Executed{SQL: partSQL, Args: args})
}

// nameArrays are the schemas and the names as arrays in text form.
func nameArrays(names []catalog.Name) (schemas, bare []byte) {
	quoted := func(s string) string { return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"` }
	s, b := make([]string, len(names)), make([]string, len(names))
	for i, n := range names {
		s[i], b[i] = quoted(n.Schema), quoted(n.Name)
	}
	return []byte("{" + strings.Join(s, ",") + "}"), []byte("{" + strings.Join(b, ",") + "}")
}

func keep[V any](m map[catalog.Name]V, names []catalog.Name) {
	wanted := make(map[catalog.Name]bool, len(names))
	for _, n := range names {
		wanted[n] = true
	}
	for n := range m {
		if !wanted[n] {
			delete(m, n)
		}
	}
}
