package sqltext

import (
	"strings"

	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
)

// Target is the table that a statement writes to, and the row that it writes.
func (r *Renderer) Target(table catalog.Name) (target string, row *Scope) {
	if r.Unaliased {
		r.taken = table.Name
		return r.Qualified(table), &Scope{Alias: r.Spelling.Quote(table.Name)}
	}
	row = &Scope{Alias: r.Alias()}
	return r.Qualified(table) + " AS " + row.Alias, row
}

// Update renders an update without what it gives back, and the row that it writes.
func (r *Renderer) Update(u *ir.Update) (text string, row *Scope) {
	target, row := r.Target(u.Table)
	if len(u.Set) == 0 {
		r.Fail("an update of no column")
	}
	text = "UPDATE " + target + " SET " + r.Assignments(u.Set, row) + r.Where([]string{r.Condition(u.Where, row)})
	return text, row
}

// Delete renders a delete without what it gives back, and the row that it removes.
func (r *Renderer) Delete(d *ir.Delete) (text string, row *Scope) {
	target, row := r.Target(d.Table)
	return "DELETE FROM " + target + r.Where([]string{r.Condition(d.Where, row)}), row
}

// OnConflict renders the upsert clause of PostgreSQL and SQLite; empty for none.
func (r *Renderer) OnConflict(c *ir.OnConflict, row *Scope) string {
	if c == nil {
		return ""
	}
	text := " ON CONFLICT" + r.Spelling.ConflictTarget(c.Target)
	if len(c.Set) == 0 {
		return text + " DO NOTHING"
	}
	set := make([]string, 0, len(c.Set)+1)
	for _, n := range c.Set {
		value := "EXCLUDED." + r.Spelling.Quote(n)
		if r.ConflictValue != nil {
			value = r.ConflictValue(n)
		}
		set = append(set, r.Spelling.Quote(n)+" = "+value)
	}
	if len(c.Presets) > 0 {
		set = append(set, r.Assignments(c.Presets, row))
	}
	return text + " DO UPDATE SET " + strings.Join(set, ", ") + r.Where([]string{r.Condition(c.Where, row)})
}

// Columns is a list of columns in parentheses.
func Columns(s Spelling, names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = s.Quote(n)
	}
	return "(" + strings.Join(quoted, ", ") + ")"
}

// Assignments renders the columns that are set, each with its new value.
func (r *Renderer) Assignments(set []ir.Assignment, row *Scope) string {
	texts := make([]string, len(set))
	for i, a := range set {
		texts[i] = r.Spelling.Quote(a.Column.Name) + " = " + r.assigned(a, row)
	}
	return strings.Join(texts, ", ")
}

// assigned is the new value of a column.
func (r *Renderer) assigned(a ir.Assignment, row *Scope) string {
	old, value := r.Column(row, a.Column.Name), ""
	if len(a.Edits) > 0 {
		return r.edited(a, old)
	}
	if _, ok := a.Value.(ir.Default); ok && r.Default != nil {
		value = r.Default(a.Column.Name)
	} else {
		value = r.Value(a.Value)
	}
	assignment := r.Spelling.Tables().Assignment(a.Op)
	if assignment == nil {
		r.Fail("unknown assignment %q", a.Op)
		return old
	}
	text, _ := Fill(assignment.SQL, old, []string{value})
	return text
}

// edited is the new value of a JSON column of which parts are changed.
func (r *Renderer) edited(a ir.Assignment, text string) string {
	assignment := r.Spelling.Tables().Assignment(a.Op)
	if assignment == nil {
		r.Fail("unknown assignment %q", a.Op)
		return text
	}
	for _, e := range a.Edits {
		value := ""
		if e.Value != nil {
			value = r.Value(e.Value)
		}
		text, _ = Fill(assignment.SQL, text, []string{value, r.Value(e.Path)})
	}
	return text
}

// Check is the condition that a written row has to satisfy, empty for one that always holds.
func (r *Renderer) Check(e ir.BoolExp, row *Scope) string {
	if c := r.Condition(e, row.AsWritten()); c != r.Spelling.Bool(true) {
		return "(" + c + ")"
	}
	return ""
}
