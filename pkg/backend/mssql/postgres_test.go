package mssql

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/answer"
	"queryengine/pkg/backend/backendtest"
	"queryengine/pkg/backend/mssql/mssqltest"
	"queryengine/pkg/catalog"
	"queryengine/pkg/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// overPostgres is a source that runs statements on PostgreSQL, in its SQL. It has the reading parts alone.
type overPostgres struct {
	backend.Source
	conn    *pgconn.PgConn
	catalog *catalog.Source
}

func (s *overPostgres) Introspect(context.Context, []catalog.Name) (*catalog.Source, error) {
	return s.catalog, nil
}

// rows runs a text and gives its rows as the cells that the driver's values would be.
func (s *overPostgres) rows(ctx context.Context, text string, params [][]byte) ([][][]byte, error) {
	text = mssqltest.ToPostgres(text)
	read := s.conn.ExecParams(ctx, text, params, nil, nil, nil).Read()
	if read.Err != nil {
		return nil, &rewrittenError{text, read.Err}
	}
	for _, row := range read.Rows {
		for i := range row {
			if row[i] == nil {
				continue
			}
			switch read.FieldDescriptions[i].DataTypeOID {
			case pgtype.BoolOID:
				row[i] = []byte(map[string]string{"t": "true", "f": "false"}[string(row[i])])
			case pgtype.TimestamptzOID:
				row[i] = append(bytes.Replace(row[i], []byte(" "), []byte("T"), 1), ":00"...)
			}
		}
	}
	return read.Rows, nil
}

type rewrittenError struct {
	text string
	err  error
}

func (e *rewrittenError) Error() string { return e.err.Error() + "\n" + e.text }

func (s *overPostgres) Query(ctx context.Context, st backend.Statement, a backend.Args, out *backend.Answer) error {
	of, err := statementOf(st)
	if err != nil {
		return err
	}
	params, err := of.values(&a)
	if err != nil {
		return err
	}
	rows, err := s.rows(ctx, of.text, params)
	if err != nil {
		return err
	}
	w := &answer.Writer{Format: format{}}
	switch {
	case of.reply.kind == replyList:
		out.Buf = append(out.Buf, '[')
		for i, row := range rows {
			if i > 0 {
				out.Buf = append(out.Buf, ", "...)
			}
			out.Buf = w.Row(out.Buf, of.reply.shape, answer.Cells{Values: row})
		}
		out.Buf = append(out.Buf, ']')
	case len(rows) == 0:
		out.Buf = append(out.Buf, "null"...)
	default:
		out.Buf = w.Row(out.Buf, of.reply.shape, answer.Cells{Values: rows[0]})
	}
	return w.Err
}

func (s *overPostgres) QueryLive(ctx context.Context, st backend.LiveStatement, cohorts [][][]byte, f func(int, [][]byte, []byte)) error {
	live := st.(*liveStatement)
	params, err := live.values(cohorts)
	if err != nil {
		return err
	}
	rows, err := s.rows(ctx, live.text, params)
	if err != nil {
		return err
	}
	w := &answer.Writer{Format: format{}}
	for _, row := range rows {
		roots := make([][]byte, len(live.roots))
		for i := range roots {
			roots[i] = live.appendRoot(w, nil, i, row[i+1])
		}
		f(int(row[0][0]-'0'), roots, live.cursorOf(row[1]))
	}
	return w.Err
}

// readOver is SQL Server as backendtest has to know it, over PostgreSQL.
var readOver = backendtest.Fixture{
	Dialect: New(),
	SQL: backendtest.SQL{
		Types: map[backendtest.Type]string{
			backendtest.Serial: "serial", backendtest.Integer: "int", backendtest.Big: "bigint", backendtest.Decimal: "numeric(6,2)", backendtest.Float: "float8",
			backendtest.Boolean: "boolean", backendtest.Text: `text COLLATE "C"`, backendtest.Date: "date", backendtest.Timestamp: "timestamptz", backendtest.UUID: "uuid",
			backendtest.Document: "text", backendtest.Mood: "text",
		},
		Before:  "CREATE SCHEMA dbo; CREATE SCHEMA archive;\n",
		Default: "dbo", Other: "archive",
		Quote:   func(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` },
		Literal: func(_ backendtest.Type, text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" },
	},
	Except: map[string]string{},
}

func init() {
	except := func(reason string, names ...string) {
		for _, name := range names {
			readOver.Except["queries/"+name] = reason
			if !strings.Contains(reason, "UTC") {
				readOver.Except["live/queries/"+name] = reason
			}
		}
	}
	except("times in UTC end with Z", "by_key", "array_relationships")
	except("counts are of one column", "aggregate", "aggregate_stringified", "aggregate_of_nothing")
	except("numbers are never texts", "stringified")
	except("there is no distinct_on", "distinct_on", "distinct_on_redacted")
	except("there are no connections", "connection_all", "connection_numbers_as_numbers", "connection_first", "connection_last_before", "connection_after_keys",
		"connection_after_null", "connection_before_null", "connection_distinct", "connection_by_relationship", "connection_joins_what_it_keeps")
}

// catalogTypes are the types of columns in the catalog.
var catalogTypes = map[backendtest.Type]string{
	backendtest.Serial: "int4", backendtest.Integer: "int4", backendtest.Big: "int8", backendtest.Decimal: "decimal", backendtest.Float: "float8",
	backendtest.Boolean: "bool", backendtest.Text: "text", backendtest.Date: "date", backendtest.Timestamp: "timestamptz", backendtest.UUID: "uuid",
	backendtest.Document: "text", backendtest.Mood: "text",
}

// TestAnswersOnPostgreSQL compares answers with those that every kind has to give. The statements run on PostgreSQL.
func TestAnswersOnPostgreSQL(t *testing.T) {
	t.Parallel()
	f := readOver
	f.Open = func(t testing.TB) backendtest.Database {
		t.Helper()
		conn, err := pgconn.Connect(t.Context(), dbtest.URL(t))
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, conn.Close(context.WithoutCancel(t.Context()))) })
		exec := func(t testing.TB, statements string) {
			t.Helper()
			_, err := conn.Exec(t.Context(), statements).ReadAll()
			require.NoError(t, err)
		}
		// What SQL Server assigns without a cast.
		exec(t, "SET TimeZone = 'UTC'; CREATE CAST (text AS numeric) WITH INOUT AS ASSIGNMENT; CREATE CAST (text AS int) WITH INOUT AS ASSIGNMENT")
		found := &catalog.Source{Tables: map[catalog.Name]*catalog.Table{}}
		for _, table := range append(backendtest.Shop(), backendtest.Stock()...) {
			of := &catalog.Table{Name: catalog.Name{Schema: "dbo", Name: table.Name}}
			if table.Elsewhere {
				of.Name.Schema = "archive"
			}
			for _, c := range table.Columns {
				of.Columns = append(of.Columns, &catalog.Column{Name: c.Name, Type: catalog.Type{Name: catalogTypes[c.Type]}})
			}
			for _, columns := range table.Unique {
				of.Uniques = append(of.Uniques, catalog.Constraint{Columns: columns})
			}
			found.Tables[of.Name] = of
		}
		return backendtest.Database{Source: &overPostgres{conn: conn, catalog: found}, Exec: exec}
	}
	backendtest.ExerciseDialect(t, f)
}

func (s *overPostgres) CheckLive(ctx context.Context, st backend.LiveStatement, cohort [][]byte) error {
	if err := s.QueryLive(ctx, st, [][][]byte{cohort}, func(int, [][]byte, []byte) {}); err != nil {
		return apierror.New(apierror.DataException, err.Error())
	}
	return nil
}

func (s *overPostgres) ExplainLive(_ context.Context, st backend.LiveStatement, _ [][]byte) ([]string, error) {
	return []string{mssqltest.ToPostgres(st.SQL())}, nil
}
