package backendtest

import (
	"strings"

	"queryengine/pkg/catalog"
)

// Type is a type of columns that every kind has something for.
type Type string

// The types of columns.
const (
	Serial    Type = "serial" // a 32 bit integer that the database counts up
	Integer   Type = "integer"
	Big       Type = "big" // a 64 bit integer
	Decimal   Type = "decimal"
	Float     Type = "float"
	Boolean   Type = "boolean"
	Text      Type = "text"
	Date      Type = "date"
	Timestamp Type = "timestamp" // with a time zone
	UUID      Type = "uuid"
	Document  Type = "document" // JSON
	Mood      Type = "mood"     // calm or loud, in this order: an enum where there are such types
)

// Column is a column of a table.
type Column struct {
	Name    string
	Type    Type
	NotNull bool
	// Default is a value, "" for none.
	Default string
	// References names the table whose key the column holds.
	References string
}

// Table is a table with its rows.
type Table struct {
	// Elsewhere tables aren't where tables are by default: in another schema, or data set.
	Elsewhere bool
	Name      string
	Columns   []Column
	Key       []string
	Unique    [][]string
	// Rows hold a value for each column, in the text form of JSON without quotes; Null for none.
	Rows [][]string
}

// Null stands for NULL among the values of a Table.
const Null = "\x00"

// SQL is how a kind spells tables.
type SQL struct {
	// Types are the names of types in the definition of a column.
	Types map[Type]string
	// Before makes what tables need: types, and the place of tables that are Elsewhere.
	Before string
	// After runs when all rows are there.
	After string
	// Default and Other qualify the names of tables.
	Default, Other string
	// Quote spells an identifier, Literal a value.
	Quote   func(name string) string
	Literal func(t Type, text string) string
}

// Name is the name of a table.
func (s SQL) Name(table string) catalog.Name {
	if name, elsewhere := strings.CutPrefix(table, "elsewhere."); elsewhere {
		return catalog.Name{Schema: s.Other, Name: name}
	}
	return catalog.Name{Schema: s.Default, Name: table}
}

func (s SQL) spell(name catalog.Name) string {
	if name.Schema == "" {
		return s.Quote(name.Name)
	}
	return s.Quote(name.Schema) + "." + s.Quote(name.Name)
}

// Statements make tables with their rows.
func (s SQL) Statements(tables []Table) string {
	var b strings.Builder
	b.WriteString(s.Before)
	for _, t := range tables {
		name := s.spell(s.nameOf(t))
		b.WriteString("CREATE TABLE " + name + " (" + strings.Join(s.definitions(t), ", ") + ");\n")
		for i, row := range t.Rows {
			if i == 0 {
				b.WriteString("INSERT INTO " + name + " VALUES ")
			} else {
				b.WriteString(", ")
			}
			b.WriteString("(" + strings.Join(s.values(t, row), ", ") + ")")
		}
		if len(t.Rows) > 0 {
			b.WriteString(";\n")
		}
	}
	b.WriteString(s.After)
	return b.String()
}

func (s SQL) nameOf(t Table) catalog.Name {
	if t.Elsewhere {
		return s.Name("elsewhere." + t.Name)
	}
	return s.Name(t.Name)
}

func (s SQL) definitions(t Table) []string {
	var list []string
	for _, c := range t.Columns {
		text := s.Quote(c.Name) + " " + s.Types[c.Type]
		if c.NotNull {
			text += " NOT NULL"
		}
		if c.Default != "" {
			text += " DEFAULT " + s.Literal(c.Type, c.Default)
		}
		if c.References != "" {
			text += " REFERENCES " + s.spell(s.Name(c.References))
		}
		list = append(list, text)
	}
	if len(t.Key) > 0 {
		list = append(list, "PRIMARY KEY ("+s.names(t.Key)+")")
	}
	for _, columns := range t.Unique {
		list = append(list, "UNIQUE ("+s.names(columns)+")")
	}
	return list
}

func (s SQL) names(columns []string) string {
	quoted := make([]string, len(columns))
	for i, c := range columns {
		quoted[i] = s.Quote(c)
	}
	return strings.Join(quoted, ", ")
}

func (s SQL) values(t Table, row []string) []string {
	list := make([]string, len(row))
	for i, text := range row {
		if list[i] = "NULL"; text != Null {
			list[i] = s.Literal(t.Columns[i].Type, text)
		}
	}
	return list
}
