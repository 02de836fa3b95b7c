package mssql

import (
	"errors"
	"slices"
	"strings"

	"queryengine/pkg/backend"
	"queryengine/pkg/backend/answer"
	"queryengine/pkg/backend/sqlrows"
	"queryengine/pkg/backend/sqltext"
	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

var errWrittenRow = errors.New("malformed text of a written row")

// Written rows are collected in a temporary table, which has the columns that the answer and the check need, in
// the types of the table: OUTPUT can't hand out rows of a table with triggers, nor hold the sub-selects of a
// check. The select behind it then reads rows as any other does.
const (
	writtenTable = "#written"
	// orderColumn numbers the rows of an insert, and updatedColumn tells those that were there before.
	orderColumn   = "[?n]"
	updatedColumn = "[?updated]"
	// readColumn is the name of the first column of what a mutation reads, which rows of triggers lack.
	readColumn = "?read"
)

// RenderMutation renders one mutation step.
func (d *Dialect) RenderMutation(m ir.Mutation, o backend.RenderOptions) (backend.Statement, error) {
	r := newRenderer(d, o)
	var w writing
	switch m := m.(type) {
	case *ir.Insert:
		w = r.insert(m)
	case *ir.Update:
		w = r.update(m)
	case *ir.Delete:
		w = r.delete(m)
	default:
		r.Fail("unknown mutation %T", m)
	}
	if r.Err != nil {
		return r.statement("", reply{})
	}
	// A text with parameters is a procedure, at whose end temporary tables go; one without isn't.
	if w.reply.kind != replyCount {
		w.statements = append(w.statements, "DROP TABLE "+writtenTable)
	}
	return r.statement(strings.Join(w.statements, ";\n")+";", w.reply)
}

// RenderInsertOrder reports that the order makes a difference: triggers and defaults may do anything.
func (d *Dialect) RenderInsertOrder(ir.InsertOrder) (backend.Statement, error) {
	r := newRenderer(d, backend.RenderOptions{})
	return r.statement("SELECT 'order' AS "+quoteName(readColumn), reply{kind: replyMutation, check: -1, handed: answer.Handed{Columns: 1}})
}

// writing is a mutation: statements in their order, of which the last one gives rows.
type writing struct {
	statements []string
	reply      reply
}

// result is what is read of written rows.
type result struct {
	table   catalog.Name
	row     *sqltext.Scope
	columns []ir.Column // of the temporary table
	// marks are columns of the temporary table besides, as name and value of each statement that writes.
	marks  []string
	query  *sqlrows.Selection
	reply  reply
	number bool // of rows is all that is wanted
	// shown reports whether values of the rows are given back, so that their order matters.
	shown bool
}

// result renders what a mutation gives back, before the statement that writes: that hands out the columns which
// are read here. check is the condition on a row of the scope.
func (r *renderer) result(table catalog.Name, o ir.Output, check func(row *sqltext.Scope) string) *result {
	row := &sqltext.Scope{Alias: r.Alias(), Columns: map[string]bool{}}
	r.types = map[string]catalog.Type{}
	x := &result{table: table, row: row, query: &sqlrows.Selection{From: writtenTable, Alias: row.Alias}}
	x.reply = reply{kind: replyMutation, check: -1}
	x.reply.handed, x.reply.output = r.Output(o, row, x.query)
	x.shown = len(x.query.Items) > 0
	if condition := check(row); condition != r.Spelling.Bool(true) {
		x.reply.check = len(x.query.Items)
		item := "CASE WHEN " + condition + " THEN 1 ELSE 0 END"
		if r.options.NullChecksPass {
			item = "CASE WHEN NOT (" + condition + ") THEN 0 ELSE 1 END"
		}
		x.query.Items = append(x.query.Items, item)
	}
	for name := range row.Columns {
		x.columns = append(x.columns, ir.Column{Name: name, Type: r.types[name]})
	}
	slices.SortFunc(x.columns, func(a, b ir.Column) int { return strings.Compare(a.Name, b.Name) })
	r.types = nil
	if x.number = len(x.query.Items) == 0; x.number {
		x.reply.kind = replyCount
	}
	return x
}

// mark adds a column to the temporary table, which orders its rows.
func (x *result) mark(names ...string) {
	if x.number {
		return
	}
	x.marks = names
	for _, name := range names {
		x.query.Order = append(x.query.Order, sqlrows.OrderKey{Expr: x.row.Alias + "." + name, NullsFirst: true})
	}
}

// create makes the temporary table. Columns of a union have no identity, which could not be written.
func (x *result) create(r *renderer) []string {
	if x.number {
		return []string{"SET NOCOUNT ON"}
	}
	items := make([]string, 0, len(x.marks)+len(x.columns))
	for _, name := range x.marks {
		items = append(items, "0 AS "+name)
	}
	for _, c := range x.columns {
		// A rowversion could not be written either.
		if name := quoteName(c.Name); c.Type.Name == "rowversion" {
			items = append(items, output(name, c.Type)+" AS "+name)
		} else {
			items = append(items, name)
		}
	}
	if len(items) == 0 {
		items = []string{"0 AS " + orderColumn}
	}
	none := "SELECT " + strings.Join(items, ", ")
	from := " FROM " + r.Qualified(x.table) + " WHERE 1 = 0"
	return []string{"SET NOCOUNT ON", none + " INTO " + writtenTable + from + " UNION ALL " + none + from}
}

// output is the clause that fills the temporary table, with the values of the marks.
func (x *result) output(rows string, marks ...string) string {
	if x.number {
		return ""
	}
	values, names := slices.Clone(marks), slices.Clone(x.marks)
	for _, c := range x.columns {
		name := quoteName(c.Name)
		values, names = append(values, rows+"."+name), append(names, name)
	}
	if len(names) == 0 {
		values, names = []string{"0"}, []string{orderColumn}
	}
	return " OUTPUT " + strings.Join(values, ", ") + " INTO " + writtenTable + " (" + strings.Join(names, ", ") + ")"
}

// read is the select behind the statements that write, the last of which was given.
func (x *result) read(r *renderer) string {
	if x.number {
		return readNumber("@@ROWCOUNT")
	}
	x.query.Items[0] += " AS " + quoteName(readColumn)
	return r.Text(x.query)
}

// readNumber is the select of a number of rows.
func readNumber(of string) string { return "SELECT " + of + " AS " + quoteName(readColumn) }

func (r *renderer) update(u *ir.Update) writing {
	if len(u.Set) == 0 {
		r.Fail("an update of no column")
	}
	row := &sqltext.Scope{Alias: r.Alias()}
	set := r.assignments(u.Set, row)
	where := r.Where([]string{r.Condition(u.Where, row)})
	x := r.result(u.Table, u.Output, func(row *sqltext.Scope) string { return r.Condition(u.Check, row) })
	text := "UPDATE " + row.Alias + " SET " + set + x.output("INSERTED") + " FROM " + r.Qualified(u.Table) + " AS " + row.Alias + where
	return writing{append(x.create(r), text, x.read(r)), x.reply}
}

func (r *renderer) delete(d *ir.Delete) writing {
	row := &sqltext.Scope{Alias: r.Alias()}
	where := r.Where([]string{r.Condition(d.Where, row)})
	x := r.result(d.Table, d.Output, func(*sqltext.Scope) string { return r.Spelling.Bool(true) })
	text := "DELETE " + row.Alias + x.output("DELETED") + " FROM " + r.Qualified(d.Table) + " AS " + row.Alias + where
	return writing{append(x.create(r), text, x.read(r)), x.reply}
}

// assignments render values for their columns. Those that are computed with are values of their types.
func (r *renderer) assignments(set []ir.Assignment, row *sqltext.Scope) string {
	defer func() { r.assigned = false }()
	texts := make([]string, len(set))
	for i := range set {
		r.assigned = set[i].Op == ir.AssignSet
		texts[i] = r.Assignments(set[i:i+1], row)
	}
	return strings.Join(texts, ", ")
}

// assign renders a value for its column.
func (r *renderer) assign(v ir.Value) string {
	r.assigned = true
	defer func() { r.assigned = false }()
	return r.Value(v)
}
