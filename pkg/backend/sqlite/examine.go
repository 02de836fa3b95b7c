package sqlite

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"queryengine/pkg/catalog"
	"queryengine/pkg/doctor"
)

// Examiner examines databases of SQLite for package doctor. It has no state.
type Examiner struct{}

// someRows is where counting the rows of a table ends: more are many.
const someRows = 10_000

// Examine asks for tables, keys and indexes. There are no users, so that the engine may do all that can be
// done with the file.
func (Examiner) Examine(ctx context.Context, ask doctor.Ask) (*doctor.Facts, error) {
	x := examination{introspection: newIntrospection(func(text string, f func(row []string)) error {
		rows, err := ask(ctx, text)
		for _, row := range rows {
			f(row)
		}
		return err
	}), facts: &doctor.Facts{Remedies: doctor.Remedies{
		CreateIndex: func(t *doctor.Table, columns string) string {
			return fmt.Sprintf("CREATE INDEX ... ON %s (%s)", t.Identifier, columns)
		},
		AddKey: func(*doctor.Table) string { return "Make the table again with a primary key, and copy its rows" },
	}}}
	for _, step := range []func() error{x.tables, x.server, x.counts, x.allIndexes} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return x.facts, nil
}

type examination struct {
	*introspection
	facts *doctor.Facts
}

func (x *examination) server() error {
	return x.query("SELECT sqlite_version()", func(row []string) { x.facts.Server.Version = row[0] })
}

// counts makes the tables, with an estimate of their rows.
func (x *examination) counts() error {
	for name, t := range x.found.Tables {
		d := &doctor.Table{Table: *t, Usage: true, Select: true, Insert: true, Update: true, Delete: true, Identifier: quoteName(name.Name)}
		x.facts.Tables = append(x.facts.Tables, d)
		if t.Kind != catalog.KindTable {
			continue
		}
		err := x.query(fmt.Sprintf("SELECT count(*) FROM (SELECT 1 FROM %s.%s LIMIT %d)", mainSchema, d.Identifier, someRows),
			func(row []string) { d.RowEstimate, _ = strconv.ParseFloat(row[0], 64) })
		if err != nil {
			return err
		}
	}
	return nil
}

// allIndexes are the indexes, and the key that is the number of the row, which needs none.
func (x *examination) allIndexes() error {
	at := map[string]*doctor.Table{}
	for _, t := range x.facts.Tables {
		at[t.Name.Name] = t
		if k := t.PrimaryKey; k != nil {
			t.Indexes = append(t.Indexes, &doctor.Index{Name: k.Name, Columns: slices.Clone(k.Columns), Unique: true, Valid: true, Identifier: quoteName(k.Name)})
		}
	}
	open := true
	return x.query(`SELECT t.name, i.name, i."unique", i.partial, coalesce(c.name, ''), c.seqno FROM `+userTables+` AS t,
		pragma_index_list(t.name, 'main') AS i, pragma_index_xinfo(i.name, 'main') AS c
		WHERE i.origin <> 'pk' AND c.key = 1 ORDER BY t.name, i.seq DESC, c.seqno`, func(row []string) {
		t := at[row[0]]
		if row[5] == "0" {
			open = true
			t.Indexes = append(t.Indexes, &doctor.Index{Name: row[1], Unique: row[2] == "1", Valid: true, Partial: row[3] == "1", Identifier: quoteName(row[1])})
		}
		i := t.Indexes[len(t.Indexes)-1]
		if row[4] == "" {
			i.Expressions, open = true, false // only the columns before the expression count
		}
		if open {
			i.Columns = append(i.Columns, row[4])
		}
	})
}
