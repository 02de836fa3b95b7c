package postgres

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/backend/postgres/lexer"
	"queryengine/pkg/backend/postgres/quote"
	"queryengine/pkg/backend/postgres/wire"
	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// typeJSONB is what embedded objects are read from, whatever type their column has.
var typeJSONB = catalog.Type{Name: "jsonb", ID: "3802"}

// nativeQuery renders the result of a native query as a sub-select with the columns of its logical
// model, each in the type of the model: the encoders rely on it. The planner looks through a sub-select
// of this kind.
func (r *renderer) nativeQuery(q ir.NativeQuery) string {
	r.Calls = true
	if err := checkPlaceholders(q.Code); err != nil && r.Err == nil {
		r.Err = err
	}
	items := make([]string, len(q.Columns))
	for i, c := range q.Columns {
		name := quote.Name(c.Name)
		if c.Embeds {
			items[i] = "to_jsonb(q." + name + ") AS " + name
		} else {
			items[i] = "q." + name + "::" + typeName(c.Type) + " AS " + name
		}
	}
	if len(items) == 0 {
		items = []string{"1"}
	}
	return "(SELECT " + strings.Join(items, ", ") + " FROM (" + r.code(q.Code) + ") AS q)"
}

// code is the statement with its values bound.
func (r *renderer) code(parts []ir.Code) string {
	var b strings.Builder
	for _, p := range parts {
		if p.Value != nil {
			b.WriteString("(" + r.Value(p.Value) + ")")
		} else {
			b.WriteString(p.Text)
		}
	}
	return withoutEnd(b.String())
}

// withoutEnd is a statement without the semicolons and comments behind it.
func withoutEnd(sql string) string {
	s := lexer.NewScanner(sql)
	end := 0
	for {
		kind, _, ok := s.Next()
		if !ok {
			return sql[:end]
		}
		if kind != lexer.Space && kind != lexer.Semicolon {
			end = s.Pos()
		}
	}
}

// checkPlaceholders refuses values inside of quotes and comments: there a parameter would be
// nothing but text, and a value that is inlined, as explanations do, could end the quotes.
func checkPlaceholders(parts []ir.Code) error {
	const stand = "("
	var text strings.Builder
	places := map[int]bool{}
	for _, p := range parts {
		if p.Value != nil {
			places[text.Len()] = true
			text.WriteString(stand)
		} else {
			text.WriteString(p.Text)
		}
	}
	s := lexer.NewScanner(text.String())
	for {
		start := s.Pos()
		kind, _, ok := s.Next()
		if !ok {
			break
		}
		if kind == lexer.Open {
			delete(places, start)
		}
	}
	if len(places) > 0 {
		return invalidQuery("an argument can't stand in quotes or in a comment")
	}
	return nil
}

// embedded renders the objects in a column as rows. A value that isn't an object, or a list of
// them, has none.
func (r *renderer) embedded(e ir.Embedded, outer *sqltext.Scope) string {
	if outer == nil {
		r.Fail("embedded objects need a row")
		return ""
	}
	value := r.Column(outer, e.Column)
	list, is := "jsonb_build_array("+value+")", "object"
	if e.Array {
		list, is = value, "array"
	}
	when := "jsonb_typeof(" + value + ") = '" + is + "'"
	if e.When != nil {
		when = r.Conjunction([]string{r.Condition(e.When, outer), when})
	}
	list = "CASE WHEN " + when + " THEN " + list + " END"
	definitions := make([]string, len(e.Columns))
	for i, c := range e.Columns {
		t := c.Type
		if c.Embeds {
			t = typeJSONB
		}
		definitions[i] = quote.Name(c.Name) + " " + typeName(t)
	}
	return "(SELECT * FROM jsonb_to_recordset(" + list + ") AS q(" + strings.Join(definitions, ", ") + "))"
}

// ValidateNativeQuery has the server prepare the statement of a native query. The error's detail is the
// server's message.
func (s *Server) ValidateNativeQuery(ctx context.Context, q ir.NativeQuery) error {
	r := newRenderer(New(), backend.RenderOptions{}, mode{})
	sql := "SELECT * FROM " + r.nativeQuery(q) + " AS t0"
	if r.Err != nil {
		return r.Err
	}
	c, err := s.primary.Acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release()
	result, err := c.PG.Prepare(ctx, "", sql, nil)
	if err != nil {
		return validationError(ctx, err, sql)
	}
	if len(result.ParamOIDs) != len(r.Params) {
		return invalidQuery(fmt.Sprintf("the statement takes %d parameters, but has %d arguments", len(result.ParamOIDs), len(r.Params)))
	}
	return r.checkResult(ctx, c, q)
}

// checkResult refuses columns whose type the model doesn't describe: a cast between them may
// fail for some values only.
func (r *renderer) checkResult(ctx context.Context, c *wire.Conn, q ir.NativeQuery) error {
	plain := newRenderer(New(), backend.RenderOptions{}, mode{})
	sql := "SELECT * FROM (" + plain.code(q.Code) + ") AS q"
	result, err := c.PG.Prepare(ctx, "", sql, nil)
	if err != nil {
		return validationError(ctx, err, sql)
	}
	actual := make(map[string]uint32, len(result.Fields))
	for _, f := range result.Fields {
		actual[f.Name] = f.DataTypeOID
	}
	for _, column := range q.Columns {
		if column.Embeds {
			continue
		}
		ok, found, err := converts(ctx, c, actual[column.Name], typeName(column.Type))
		if err != nil {
			return err
		}
		if !ok {
			return invalidQuery(fmt.Sprintf(
				"Return column %q has a type mismatch. The expected type is %q, but the actual type is %q.",
				column.Name, typeName(column.Type), found))
		}
	}
	return nil
}

// convertsSQL reports whether values of one type are implicitly converted to another one, and the name
// of the first one.
const convertsSQL = `SELECT
	$1::oid = $2::regtype OR EXISTS (
		SELECT FROM pg_cast WHERE castsource = $1::oid AND casttarget = $2::regtype AND castcontext = 'i'),
	format_type($1::oid, NULL)`

func converts(ctx context.Context, c *wire.Conn, from uint32, to string) (ok bool, name string, err error) {
	r := c.PG.ExecParams(ctx, convertsSQL, [][]byte{fmt.Append(nil, from), []byte(to)}, nil, nil, nil).Read()
	if r.Err != nil {
		return false, "", validationError(ctx, r.Err, convertsSQL)
	}
	return string(r.Rows[0][0]) == "t", string(r.Rows[0][1]), nil
}

// invalidQuery is the error of a native query that the database doesn't take as it is.
func invalidQuery(detail any) *apierror.Error {
	return apierror.New(apierror.ValidationFailed, "Failed to validate query").WithInternal(detail)
}

func validationError(ctx context.Context, err error, sql string) error {
	return wire.StatementError(ctx, err, wire.Executed{SQL: sql}, func(pg *pgconn.PgError) *apierror.Error {
		return invalidQuery(wire.DetailOf(pg, wire.Executed{SQL: sql}))
	})
}
