package postgres

import (
	"cmp"
	"context"
	_ "embed"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend/postgres/wire"
	"queryengine/pkg/catalog"
)

// The queries of introspection: a handful for the whole database, whatever its size.
// Nothing in them depends on the search path.
var (
	//go:embed introspection/relations.sql
	relationsSQL string
	//go:embed introspection/columns.sql
	columnsSQL string
	//go:embed introspection/constraints.sql
	constraintsSQL string
	//go:embed introspection/functions.sql
	functionsSQL string
	//go:embed introspection/types.sql
	typesSQL string
)

const extensionsSQL = `SELECT extname, extversion FROM pg_catalog.pg_extension`

// oldestVersion is the first server that the engine speaks to.
const oldestVersion = 100000

// Introspect reads the catalog of the primary, from one snapshot. The rows of the tables
// in enums become Enums, where such a table has the shape of one.
func (s *Server) Introspect(ctx context.Context, enums []catalog.Name) (*catalog.Source, error) {
	var found *catalog.Source
	err := s.primary.InSnapshot(ctx, func(pg *pgconn.PgConn) error {
		var err error
		found, err = s.introspect(ctx, pg, enums, nil)
		return err
	})
	return found, err
}

// introspect reads the catalog as the transaction of a connection sees it, all of it or,
// when only is given, a part.
func (s *Server) introspect(ctx context.Context, pg *pgconn.PgConn, enums []catalog.Name, only *identifiers) (*catalog.Source, error) {
	version := versionNumber(pg.ParameterStatus("server_version"))
	if version < oldestVersion {
		return nil, apierror.New(apierror.NotSupported, "PostgreSQL before version 10 is not supported")
	}
	in := newIntrospection(version)
	queries := []query{
		{extensionsSQL, in.extension},
		{equalitySQL, in.extension},
		{only.narrow(relationsSQL), in.relation},
		{only.narrow(forVersion(columnsSQL, version)), in.column},
		{only.narrow(forVersion(constraintsSQL, version)), in.constraint},
		{only.narrow(forVersion(functionsSQL, version)), in.function},
	}
	for i := range queries {
		queries[i].sql = s.spelt(pg, queries[i].sql)
	}
	if err := runQueries(ctx, pg, queries); err != nil {
		return nil, err
	}
	if err := in.readTypes(ctx, pg); err != nil {
		return nil, err
	}
	if s.distributed {
		if err := in.readDistributions(ctx, pg, only); err != nil {
			return nil, err
		}
	}
	found := in.source()
	return found, readEnums(ctx, pg, found, enums)
}

// spelt is a statement about the catalogue as the server takes it: CockroachDB wants an item in each SELECT, has hidden columns, and a schema of its own.
func (s *Server) spelt(pg *pgconn.PgConn, sql string) string {
	if !s.noTriggers {
		return sql
	}
	sql = strings.NewReplacer("SELECT FROM", "SELECT 1 FROM",
		"('information_schema', 'engine_catalog')", "('information_schema', 'engine_catalog', 'crdb_internal')").Replace(sql)
	if pg.ParameterStatus("crdb_version") != "" { // PostgreSQL, which tests have in its place, has no such column
		sql = strings.ReplaceAll(sql, "NOT a.attisdropped", "NOT a.attisdropped AND NOT a.attishidden")
	}
	return sql
}

// forVersion takes what an old server doesn't know out of a query.
func forVersion(sql string, version int) string {
	if version < 120000 {
		sql = strings.ReplaceAll(sql, "a.attgenerated", `''::"char"`)
	}
	if version < 110000 {
		sql = strings.NewReplacer(
			"p.prokind = 'f'", "NOT p.proisagg AND NOT p.proiswindow",
			"i.indnkeyatts", "i.indnatts",
			"parent.oid = k.conparentid", "false",
		).Replace(sql)
	}
	return sql
}

// versionNumber is 150018 for "15.18 (Debian ...)", 0 when it isn't understood. Versions
// before 10 have three parts.
func versionNumber(s string) int {
	s, _, _ = strings.Cut(s, " ")
	parts := strings.SplitN(s, ".", 3)
	major := leadingNumber(parts[0])
	minor := 0
	if len(parts) > 1 {
		minor = leadingNumber(parts[1])
	}
	if major < 10 {
		return major*10000 + minor*100
	}
	return major*10000 + minor
}

func leadingNumber(s string) int {
	end := 0
	for end < len(s) && s[end] >= '0' && s[end] <= '9' {
		end++
	}
	n, _ := strconv.Atoi(s[:end]) // 0 without digits
	return n
}

// query is a statement without parameters and what becomes of each of its rows, in text
// form, nil for NULL. The row is only valid during the call.
type query struct {
	sql string
	row func([][]byte) error
}

// runQueries runs all in one round trip.
func runQueries(ctx context.Context, pg *pgconn.PgConn, queries []query) error {
	texts := make([]string, len(queries))
	for i, q := range queries {
		texts[i] = q.sql
	}
	results := pg.Exec(ctx, strings.Join(texts, ";\n"))
	for i := 0; results.NextResult(); i++ {
		rows := results.ResultReader()
		for rows.NextRow() {
			if err := queries[i].row(rows.Values()); err != nil {
				_ = results.Close()
				return err
			}
		}
	}
	return wire.InternalError(ctx, results.Close(), wire.Executed{SQL: strings.Join(texts, ";\n")})
}

// introspection collects rows until all of them are there.
type introspection struct {
	version    int
	extensions map[string]string
	byOID      map[uint32]*catalog.Table
	columns    map[uint32][]columnRow
	keys       []constraintRow
	functions  []functionRow
	types      types
}

func newIntrospection(version int) *introspection {
	return &introspection{
		version:    version,
		extensions: map[string]string{},
		byOID:      map[uint32]*catalog.Table{},
		columns:    map[uint32][]columnRow{},
		types:      types{rows: map[uint32]typeInfo{}, resolved: map[uint32]catalog.Type{}},
	}
}

func (in *introspection) extension(row [][]byte) error {
	in.extensions[string(row[0])] = string(row[1])
	return nil
}

// source builds the catalog from the results.
func (in *introspection) source() *catalog.Source {
	s := &catalog.Source{
		Version:    in.version,
		Extensions: in.extensions,
		Tables:     make(map[catalog.Name]*catalog.Table, len(in.byOID)),
		Functions:  map[catalog.Name][]*catalog.Function{},
		Enums:      map[catalog.Name][]catalog.EnumValue{},
	}
	for oid, t := range in.byOID {
		in.addColumns(t, in.columns[oid])
		s.Tables[t.Name] = t
	}
	for _, k := range in.keys {
		in.addConstraint(k)
	}
	for _, f := range in.functions {
		built := in.buildFunction(f)
		s.Functions[built.Name] = append(s.Functions[built.Name], built)
	}
	return s
}

// addColumns puts the columns into the order of the table. They live in one piece of
// memory, as they are shared and dropped together. A column is NOT NULL also by its domain,
// but not in a view, where an outer join may have filled it.
func (in *introspection) addColumns(t *catalog.Table, rows []columnRow) {
	derived := t.Kind == catalog.KindView || t.Kind == catalog.KindMaterializedView
	slices.SortFunc(rows, func(a, b columnRow) int { return cmp.Compare(a.position, b.position) })
	columns := make([]catalog.Column, len(rows))
	t.Columns = make([]*catalog.Column, len(rows))
	for i, r := range rows {
		columns[i] = r.column
		columns[i].Type = in.types.resolve(r.typ)
		columns[i].Nullable = !r.notNull && (derived || !in.types.rows[r.typ].notNull)
		t.Columns[i] = &columns[i]
	}
}
