package mssqltest

import (
	"context"
	"errors"
	"iter"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/stretchr/testify/require"

	"queryengine/pkg/backend/mssql/tdstest"
)

// setUp makes what databases of SQL Server have. A number is assigned to a bit without a cast there.
// Domains keep the names of types, of which the catalog tells.
const setUp = `CREATE SCHEMA dbo;
CREATE DOMAIN dbo.datetime AS timestamp; CREATE DOMAIN dbo.smalldatetime AS timestamp; CREATE DOMAIN dbo.money AS numeric(19, 4); CREATE DOMAIN dbo.smallmoney AS numeric(10, 4);
CREATE DOMAIN dbo.geometry AS text; CREATE DOMAIN dbo.geography AS text; CREATE DOMAIN dbo.hierarchyid AS text; CREATE DOMAIN dbo.tinyint AS smallint;
UPDATE pg_catalog.pg_cast SET castcontext = 'a' WHERE castsource = 'int4'::regtype AND casttarget = 'bool'::regtype;
DO $$ BEGIN
	CREATE CAST (text AS numeric) WITH INOUT AS ASSIGNMENT;
	CREATE CAST (text AS int) WITH INOUT AS ASSIGNMENT;
EXCEPTION WHEN duplicate_object THEN
END $$`

// New starts a server over a database, with the protocol of SQL Server. It ends with the test.
func New(t testing.TB, databaseURL string) *tdstest.Server {
	t.Helper()
	conn, err := pgconn.Connect(t.Context(), databaseURL)
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), setUp).ReadAll()
	require.NoError(t, err)
	require.NoError(t, conn.Close(t.Context()))
	return tdstest.New(t, func(tdstest.Login) (tdstest.Session, error) {
		config, err := pgconn.ParseConfig(databaseURL)
		if err != nil {
			return nil, err
		}
		config.RuntimeParams["search_path"], config.RuntimeParams["timezone"] = "dbo,pg_catalog,pg_temp", "UTC"
		conn, err := pgconn.ConnectConfig(context.Background(), config) // it outlives the request
		return &session{t: t, conn: conn, variables: map[string][]node{}}, err
	})
}

// session is one connection.
type session struct {
	t    testing.TB
	conn *pgconn.PgConn
	open bool
	// planning reports whether batches are explained.
	planning bool
	// written is the number of rows of the last statement, sum what batches add up.
	written, sum int64
	// variables are those of the batch that have one value.
	variables map[string][]node
}

func (s *session) exec(ctx context.Context, text string) error {
	_, err := s.conn.Exec(context.WithoutCancel(ctx), text).ReadAll()
	return err
}

func (s *session) Begin(ctx context.Context, _ byte) error {
	s.open = true
	return s.exec(ctx, "BEGIN")
}

func (s *session) Commit(ctx context.Context) error {
	s.open = false
	return s.exec(ctx, "COMMIT")
}

func (s *session) Rollback(ctx context.Context) error {
	s.open = false
	return s.exec(ctx, "ROLLBACK")
}

func (s *session) Reset() {
	s.open = false
	_ = s.exec(context.Background(), "ROLLBACK; DISCARD TEMP")
}

func (s *session) Close() { _ = s.conn.Close(context.Background()) }

// Run runs the statements of a batch, up to the first one that fails.
func (s *session) Run(ctx context.Context, r tdstest.Request) iter.Seq[tdstest.Result] {
	return func(yield func(tdstest.Result) bool) {
		// Temporary tables end with the call that made them.
		defer func() { _ = s.exec(ctx, `DROP TABLE IF EXISTS "#written", "#given", "#given1", "#given2", rows0`) }()
		if text := eventStatement(strings.TrimSpace(r.SQL)); text != "" {
			result := s.event(ctx, text, r)
			if result.Err != nil {
				s.t.Logf("%s\nof %s\nwhich is %s", result.Err.Message, r.SQL, text)
			}
			yield(result)
			return
		}
		if s.planning {
			shown, plan := s.plan(ctx, r.SQL)
			_ = yield(shown) && shown.Err == nil && yield(plan)
			return
		}
		for _, nodes := range statements(r.SQL) {
			result := s.statement(ctx, r, nodes)
			if !yield(result) || result.Err != nil {
				return
			}
		}
	}
}

// exponents are those of numbers, before which blanks may stand.
var exponents = regexp.MustCompile(`(\d[Ee]) ?([+-]) ?`)

// statements are the statements of a batch.
func statements(text string) [][]node {
	text = exponents.ReplaceAllString(strings.ReplaceAll(text, " WITH (UPDLOCK, HOLDLOCK)", ""), "$1$2")
	nodes, _ := parseTSQL(text)
	var list [][]node
	from := 0
	for i := 0; i <= len(nodes); i++ {
		end := i == len(nodes) || nodes[i].is(";")
		// Definitions need nothing between them.
		next := !end && i > from && nodes[from].is("create", "drop", "insert") && nodes[i].is("create", "drop")
		if i > from && (end || next) {
			list = append(list, nodes[from:i])
		}
		if end {
			from = i + 1
		} else if next {
			from = i
		}
	}
	return list
}

func (s *session) statement(ctx context.Context, r tdstest.Request, nodes []node) tdstest.Result {
	if aggregatesQueries(nodes, false) {
		s.t.Logf("an aggregate of an expression with a sub-select: %s", r.SQL)
		return tdstest.Result{Err: &tdstest.Error{Number: 130, Message: "Cannot perform an aggregate function on an expression containing an aggregate or a subquery."}}
	}
	shown := strings.TrimSpace(spell(nodes))
	calling, calls := s.calling(nodes)
	switch {
	case nodes[0].is("set") && nodes[1].is("showplan_text"):
		s.planning = nodes[2].is("on")
		return tdstest.Result{}
	case nodes[0].is("set") && nodes[1].is("nocount", "xact_abort", "identity_insert", "transaction"):
		return tdstest.Result{}
	case calls && calling == "":
		return tdstest.Result{}
	case calls:
		text, values := ownParameters(calling, r.Params)
		return s.run(ctx, text, values)
	case nodes[0].is("set", "declare"):
		if strings.HasSuffix(shown, "@ @ROWCOUNT") || strings.HasSuffix(shown, "@@ROWCOUNT") {
			if nodes[0].is("declare") {
				s.sum = 0
			}
			s.sum += s.written
		} else {
			s.sum = 0
		}
		return tdstest.Result{}
	case nodes[0].is("select") && nodes[1].is("@@ROWCOUNT"): // AS [?read]
		return count(s.written)
	case nodes[0].is("select") && nodes[1].is("@written"): // AS [?read]
		return count(s.sum)
	case nodes[0].is("select") && len(nodes) == 2 && nodes[1].is("@@TRANCOUNT"):
		if s.open {
			return count(1)
		}
		return count(0)
	}
	if text := catalogQuery(r.SQL); text != "" {
		text, values := ownParameters(text, r.Params)
		return s.run(ctx, text, values)
	}
	text, values := ownParameters(define(nodes), r.Params)
	result := s.run(ctx, text, values)
	if result.Err != nil {
		s.t.Logf("%s\nof %s\nwhich is %s", result.Err.Message, r.SQL, text)
	}
	return result
}

func count(n int64) tdstest.Result {
	return tdstest.Result{Columns: []tdstest.Column{{Name: "?read", Type: "bigint"}}, Rows: tdstest.Rows([]*string{tdstest.Text(strconv.FormatInt(n, 10))})}
}

// ownParameters numbers the parameters of a text again: a statement has only those that it names.
func ownParameters(text string, params []*string) (own string, values [][]byte) {
	var b strings.Builder
	for {
		i := strings.IndexByte(text, '$')
		end := i + 1
		for i >= 0 && end < len(text) && text[end] >= '0' && text[end] <= '9' {
			end++
		}
		if i < 0 {
			return b.String() + text, values
		}
		n, err := strconv.Atoi(text[i+1 : end])
		if err != nil || n > len(params) {
			b.WriteString(text[:end])
			text = text[end:]
			continue
		}
		var value []byte
		if p := params[n-1]; p != nil {
			value = []byte(*p)
		}
		values = append(values, value)
		b.WriteString(text[:i] + "$" + strconv.Itoa(len(values)))
		text = text[end:]
	}
}

// typeNames are the types of SQL Server by those of PostgreSQL.
var typeNames = map[uint32]string{
	pgtype.Int2OID: "smallint", pgtype.Int4OID: "int", pgtype.Int8OID: "bigint", pgtype.BoolOID: "bit", pgtype.NumericOID: "decimal", pgtype.Float4OID: "real",
	pgtype.Float8OID: "float", pgtype.DateOID: "date", pgtype.TimeOID: "time", pgtype.TimestampOID: "datetime2", pgtype.TimestamptzOID: "datetimeoffset",
	pgtype.UUIDOID: "uniqueidentifier",
}

// maxScale is how many digits behind the point a decimal has that says no number of them.
const maxScale = 2

func (s *session) run(ctx context.Context, text string, values [][]byte) tdstest.Result {
	// The end of the context would end the connection with it: the statement alone is interrupted.
	interrupted := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(interrupted)
		_ = s.conn.CancelRequest(context.Background())
	})
	reader := s.conn.ExecParams(context.WithoutCancel(ctx), text, values, nil, nil, nil)
	read := reader.Read()
	if !stop() {
		<-interrupted // or it would hit the next statement
	}
	if read.Err != nil {
		return tdstest.Result{Err: fault(read.Err)}
	}
	s.written = read.CommandTag.RowsAffected()
	var result tdstest.Result
	for _, f := range reader.FieldDescriptions() { // a result without rows has none of its own
		c := tdstest.Column{Name: f.Name, Type: typeNames[f.DataTypeOID]}
		if c.Type == "" {
			c.Type = "nvarchar"
		}
		if c.Type == "decimal" {
			c.Scale = maxScale
			if f.TypeModifier >= 4 {
				c.Scale = int(f.TypeModifier-4) & 0xffff
			}
		}
		result.Columns = append(result.Columns, c)
	}
	rows := make([][]*string, len(read.Rows))
	for i, row := range read.Rows {
		rows[i] = make([]*string, len(row))
		for j, v := range row {
			if v != nil {
				rows[i][j] = tdstest.Text(valueText(result.Columns[j].Type, string(v)))
			}
		}
	}
	result.Rows = tdstest.Rows(rows...)
	return result
}

func valueText(name, text string) string {
	switch name {
	case "bit":
		return map[string]string{"t": "1", "f": "0"}[text]
	case "datetime2":
		return strings.Replace(text, " ", "T", 1)
	case "datetimeoffset":
		return strings.Replace(text, " ", "T", 1) + ":00"
	}
	return text
}

// numbers are those of faults.
var numbers = map[string]int{"23505": 2627, "23502": 515, "23503": 547, "23514": 547, "42P01": 208, "42703": 207, "22P02": 245, "22007": 241, "22008": 241, "40P01": 1205, "22001": 2628, "42601": 102}

func fault(err error) *tdstest.Error {
	var of *pgconn.PgError
	if !errors.As(err, &of) {
		return &tdstest.Error{Number: 50000, Message: err.Error()}
	}
	number := numbers[of.Code]
	if number == 0 {
		number = 50000
	}
	return &tdstest.Error{Number: number, Message: of.Message}
}
