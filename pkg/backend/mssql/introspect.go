package mssql

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/answer"
	"queryengine/pkg/catalog"
)

// eventSchema is where the log of events is; it isn't offered.
const eventSchema = "engine_catalog"

// Introspect reads the catalog. There are no enums.
func (s *Source) Introspect(ctx context.Context, enums []catalog.Name) (*catalog.Source, error) {
	return s.introspect(ctx, enums, nil)
}

// IntrospectPart reads the tables that part names, and all procedures where it names some.
func (s *Source) IntrospectPart(ctx context.Context, part backend.Part, enums []catalog.Name) (*catalog.Source, error) {
	return s.introspect(ctx, enums, append([]catalog.Name{}, part.Tables...))
}

func (s *Source) introspect(ctx context.Context, enums, names []catalog.Name) (*catalog.Source, error) {
	c, err := s.primary.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer c.release()
	return c.introspect(ctx, enums, names)
}

// introspect reads the catalog as an open transaction sees it: all tables, or those of the names. The
// views of sys are queried, by what all editions and servers of the same protocol have of them; what some
// lack is requested only where it exists.
func (c *conn) introspect(ctx context.Context, _, names []catalog.Name) (*catalog.Source, error) {
	r := newIntrospection(ctx, c, names)
	for _, step := range []func() error{r.server, r.relations, r.columns, r.keys, r.foreignKeys, r.comments, r.synonyms, r.procedures} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return r.found, nil
}

// introspection is one run of introspect.
type introspection struct {
	conn  *conn
	ctx   context.Context //nolint:containedctx // of one call
	names []catalog.Name
	found *catalog.Source
	// tables are those found, by the ids of their objects.
	tables map[string]*catalog.Table
	// optional are the views of the server that not all have.
	optional map[string]bool
}

func newIntrospection(ctx context.Context, c *conn, names []catalog.Name) *introspection {
	return &introspection{conn: c, ctx: ctx, names: names, tables: map[string]*catalog.Table{}, found: &catalog.Source{
		Tables:    map[catalog.Name]*catalog.Table{},
		Functions: map[catalog.Name][]*catalog.Function{}, Enums: map[catalog.Name][]catalog.EnumValue{},
	}}
}

// query runs a statement about the catalog, with NULL as the empty text. Names of fixed length end with
// blanks.
func (r *introspection) query(text string, f func(row []string), values ...string) error {
	args := make([][]byte, len(values))
	for i, v := range values {
		args[i] = []byte(v)
	}
	_, err := r.conn.rows(r.ctx, text, args, func(row answer.Cells) error {
		cells := make([]string, len(row.Values))
		for i, v := range row.Values {
			cells[i] = string(v)
		}
		f(cells)
		return nil
	})
	return queryError(r.ctx, err, executed{SQL: text})
}

const (
	serverSQL = `SELECT CAST(SERVERPROPERTY('ProductVersion') AS nvarchar(128)),
	OBJECT_ID(N'sys.extended_properties'), OBJECT_ID(N'sys.synonyms'), OBJECT_ID(N'sys.parameters')`

	// userObjects are the tables and views of users.
	userObjects = `FROM sys.objects AS o JOIN sys.schemas AS s ON s.schema_id = o.schema_id
	WHERE o.type IN ('U', 'V') AND o.is_ms_shipped = 0 AND s.name NOT IN ('sys', 'INFORMATION_SCHEMA', '` + eventSchema + `')`

	relationsSQL = `SELECT o.object_id, s.name, o.name, o.type, (SELECT h.temporal_type FROM sys.tables AS h WHERE h.object_id = o.object_id) ` + userObjects

	// A column of a type of users has the type that it is made of. Types of the runtime (hierarchyid,
	// geometry) have a number of their own, and the same number of the system's type.
	columnsSQL = `SELECT c.object_id, c.column_id, c.name, COALESCE(b.name, t.name), c.is_nullable, c.is_identity,
		CASE WHEN c.is_computed = 1 OR c.generated_always_type <> 0 THEN 1 ELSE 0 END,
		CASE WHEN c.default_object_id <> 0 THEN 1 ELSE 0 END, c.max_length,
		NULLIF(c.collation_name, CAST(DATABASEPROPERTYEX(DB_NAME(), 'Collation') AS nvarchar(128)))
	FROM sys.columns AS c JOIN sys.types AS t ON t.user_type_id = c.user_type_id
	LEFT JOIN sys.types AS b ON b.user_type_id = c.system_type_id
	WHERE c.object_id IN (SELECT o.object_id ` + userObjects + `) ORDER BY c.object_id, c.column_id`

	keysSQL = `SELECT i.object_id, i.index_id, i.name, i.is_primary_key, i.is_unique_constraint, c.name
	FROM sys.indexes AS i
	JOIN sys.index_columns AS k ON k.object_id = i.object_id AND k.index_id = i.index_id
	JOIN sys.columns AS c ON c.object_id = k.object_id AND c.column_id = k.column_id
	WHERE i.is_unique = 1 AND i.has_filter = 0 AND i.is_disabled = 0 AND k.is_included_column = 0
		AND i.object_id IN (SELECT o.object_id ` + userObjects + `) ORDER BY i.object_id, i.index_id, k.key_ordinal`

	foreignKeysSQL = `SELECT f.parent_object_id, f.object_id, f.name, f.referenced_object_id, c.name, d.name
	FROM sys.foreign_keys AS f
	JOIN sys.foreign_key_columns AS k ON k.constraint_object_id = f.object_id
	JOIN sys.columns AS c ON c.object_id = k.parent_object_id AND c.column_id = k.parent_column_id
	JOIN sys.columns AS d ON d.object_id = k.referenced_object_id AND d.column_id = k.referenced_column_id
	ORDER BY f.parent_object_id, f.object_id, k.constraint_column_id`

	commentsSQL = `SELECT e.major_id, e.minor_id, CAST(e.value AS nvarchar(4000)) FROM sys.extended_properties AS e
	WHERE e.class = 1 AND e.name = N'MS_Description'`

	// A synonym of an object of another database, or server, has no id here.
	synonymsSQL = `SELECT y.object_id, s.name, y.name, OBJECT_ID(y.base_object_name) FROM sys.synonyms AS y
	JOIN sys.schemas AS s ON s.schema_id = y.schema_id
	WHERE OBJECT_ID(y.base_object_name) IS NOT NULL`

	userProcedures = `FROM sys.objects AS o JOIN sys.schemas AS s ON s.schema_id = o.schema_id
	WHERE o.type = 'P' AND o.is_ms_shipped = 0 AND s.name NOT IN ('sys', 'INFORMATION_SCHEMA', '` + eventSchema + `')`

	proceduresSQL = `SELECT o.object_id, s.name, o.name ` + userProcedures

	parametersSQL = `SELECT m.object_id, m.name, COALESCE(b.name, t.name)
	FROM sys.parameters AS m JOIN sys.types AS t ON t.user_type_id = m.user_type_id
	LEFT JOIN sys.types AS b ON b.user_type_id = m.system_type_id
	WHERE m.object_id IN (SELECT o.object_id ` + userProcedures + `) ORDER BY m.object_id, m.parameter_id`
)

// server reads the version of the server, as 16000004 for 16.0.4, and which views it has.
func (r *introspection) server() error {
	return r.query(serverSQL, func(row []string) {
		parts := append(strings.Split(row[0], "."), "0", "0", "0")
		for i, weight := range []int{1_000_000, 10_000, 1} {
			n, _ := strconv.Atoi(parts[i])
			r.found.Version += n * weight
		}
		r.optional = map[string]bool{"extended_properties": row[1] != "", "synonyms": row[2] != "", "parameters": row[3] != ""}
	})
}

// wanted reports whether a relation is requested.
func (r *introspection) wanted(name catalog.Name) bool {
	return r.names == nil || slices.Contains(r.names, name)
}

func (r *introspection) relations() error {
	return r.query(relationsSQL, func(row []string) {
		t := &catalog.Table{
			ID: row[0], Name: catalog.Name{Schema: row[1], Name: row[2]}, Kind: catalog.KindTable,
			// Whether a view can be written isn't in the catalog: the database says it when it is tried.
			Insertable: true, Updatable: true, Deletable: true, RowEstimate: -1,
		}
		if strings.TrimSpace(row[3]) == "V" {
			t.Kind = catalog.KindView
		}
		if row[4] == historyTable {
			t.Insertable, t.Updatable, t.Deletable = false, false, false
		}
		r.tables[t.ID] = t
		if r.wanted(t.Name) {
			r.found.Tables[t.Name] = t
		}
	})
}

// historyTable is the kind of the tables that keep the earlier rows of temporal tables.
const historyTable = "1"

// set reports whether a cell is the bit 1.
func set(cell string) bool { return cell == "true" || cell == "1" }

func (r *introspection) columns() error {
	return r.query(columnsSQL, func(row []string) {
		t := r.tables[row[0]]
		if t == nil {
			return
		}
		typeName := strings.ToLower(row[3])
		c := &catalog.Column{
			ID: row[1], Name: row[2], Type: columnType(typeName), Nullable: set(row[4]), Default: set(row[7]),
			Generated: set(row[6]) || typeName == "timestamp" || typeName == "rowversion",
		}
		if set(row[5]) {
			c.Identity, c.Default = "by_default", true
		}
		if rowOf(c.Type).family == familyText {
			c.Type.Collation = row[9]
			if length, _ := strconv.Atoi(row[8]); length > 0 && rowOf(c.Type).assigned {
				c.Type.Length = length
			}
		}
		t.Columns = append(t.Columns, c)
	})
}

func (r *introspection) keys() error {
	last := ""
	return r.query(keysSQL, func(row []string) {
		t := r.tables[row[0]]
		if t == nil {
			return
		}
		var k *catalog.Constraint
		switch id := row[0] + " " + row[1]; {
		case set(row[3]) && id != last:
			t.PrimaryKey = &catalog.Constraint{Name: row[2]}
			k, last = t.PrimaryKey, id
		case set(row[3]):
			k = t.PrimaryKey
		case id != last:
			t.Uniques = append(t.Uniques, catalog.Constraint{Name: row[2], Index: !set(row[4])})
			last = id
			fallthrough
		default:
			k = &t.Uniques[len(t.Uniques)-1]
		}
		k.Columns = append(k.Columns, row[5])
	})
}

func (r *introspection) foreignKeys() error {
	last := ""
	return r.query(foreignKeysSQL, func(row []string) {
		t, target := r.tables[row[0]], r.tables[row[3]]
		if t == nil || target == nil {
			return
		}
		if row[1] != last {
			t.ForeignKeys = append(t.ForeignKeys, catalog.ForeignKey{ID: row[1], Name: row[2], Target: target.Name})
			last = row[1]
		}
		k := &t.ForeignKeys[len(t.ForeignKeys)-1]
		k.Columns, k.TargetColumns = append(k.Columns, row[4]), append(k.TargetColumns, row[5])
	})
}

// comments are descriptions in the property that the tools of the database write them to.
func (r *introspection) comments() error {
	if !r.optional["extended_properties"] {
		return nil
	}
	return r.query(commentsSQL, func(row []string) {
		t := r.tables[row[0]]
		if t == nil || row[2] == "" {
			return
		}
		text := row[2]
		if row[1] == "0" {
			t.Comment = &text
			return
		}
		for _, c := range t.Columns {
			if c.ID == row[1] {
				c.Comment = &text
			}
		}
	})
}

// synonyms are shown as the tables that they stand for. The database takes no number for an identity
// column by the name of a synonym.
func (r *introspection) synonyms() error {
	if !r.optional["synonyms"] {
		return nil
	}
	return r.query(synonymsSQL, func(row []string) {
		base, name := r.tables[row[3]], catalog.Name{Schema: row[1], Name: row[2]}
		if base == nil || !r.wanted(name) {
			return
		}
		t := *base
		t.ID, t.Name, t.Columns = row[0], name, nil
		for _, c := range base.Columns {
			column := *c
			if column.Identity != "" {
				column.Identity = "always"
			}
			t.Columns = append(t.Columns, &column)
		}
		r.found.Tables[name] = &t
	})
}

// procedures are the stored procedures, with their parameters where the server reports these. Which of them
// have a default isn't in the catalog.
func (r *introspection) procedures() error {
	byID := map[string]*catalog.Function{}
	err := r.query(proceduresSQL, func(row []string) {
		p := &catalog.Function{
			ID: row[0], Name: catalog.Name{Schema: row[1], Name: row[2]}, Volatility: catalog.Volatile, ReturnsSet: true,
		}
		byID[p.ID] = p
		r.found.Functions[p.Name] = []*catalog.Function{p}
	})
	if err != nil || !r.optional["parameters"] {
		return err
	}
	return r.query(parametersSQL, func(row []string) {
		if p := byID[row[0]]; p != nil {
			p.Args = append(p.Args, catalog.Argument{Name: strings.TrimPrefix(row[1], "@"), Type: columnType(strings.ToLower(row[2]))})
		}
	})
}
