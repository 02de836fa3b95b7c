// Package catalog is what introspection found in a source: tables, columns, types, keys,
// functions, comments. Plain data with JSON tags, because it travels in the metadata
// stream; the metadata service alone computes it. Values are shared between snapshots and
// must never be changed after they were made.
//
// An ID tells an object from all others of its sort and survives a rename. It is empty where the
// database has none: objects are then the same by their names.
package catalog

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
)

// Name is the name of a table, function or type, with its schema where the database has schemas.
type Name struct {
	Name   string `json:"name"`
	Schema string `json:"schema,omitempty"`
}

// In is the name with a schema, unless it has one.
func (n Name) In(schema string) Name {
	if n.Schema == "" {
		n.Schema = schema
	}
	return n
}

// Compare is the order of names: by schema, then by name.
func (n Name) Compare(other Name) int {
	return cmp.Or(strings.Compare(n.Schema, other.Schema), strings.Compare(n.Name, other.Name))
}

// Display is the name as messages show it where a schema goes without saying, which depends on the kind
// of the source: see metadata.Source.Display. Names have no String, which couldn't know.
func (n Name) Display(defaultSchema string) string {
	if n.Schema == "" || n.Schema == defaultSchema {
		return n.Name
	}
	return n.Schema + "." + n.Name
}

// Source is everything known of one database.
type Source struct {
	// Version is the server's version as a number (150018 for PostgreSQL 15.18).
	Version int `json:"version"`
	// Extensions holds the installed extensions that affect what is possible (postgis, ltree, citext,
	// ...), name to version.
	Extensions map[string]string `json:"extensions,omitempty"`
	// Tables holds all tables and views, tracked or not, of all user schemas.
	Tables map[Name]*Table `json:"-"`
	// Functions holds all functions by name; overloads are several entries of the list.
	Functions map[Name][]*Function `json:"-"`
	// Enums holds the rows of the tables that metadata uses as enums.
	Enums map[Name][]EnumValue `json:"-"`
}

// TableKind is the kind of a relation.
type TableKind string

// The kinds of relations.
const (
	KindTable            TableKind = "table"
	KindView             TableKind = "view"
	KindMaterializedView TableKind = "materialized_view"
	KindForeignTable     TableKind = "foreign_table"
	KindPartitioned      TableKind = "partitioned_table"
)

// Table is one table or view.
type Table struct {
	Name    Name      `json:"name"`
	ID      string    `json:"id,omitempty"`
	Kind    TableKind `json:"kind"`
	Comment *string   `json:"comment,omitempty"`
	// Columns in the order of the table.
	Columns     []*Column    `json:"columns"`
	PrimaryKey  *Constraint  `json:"primary_key,omitempty"`
	Uniques     []Constraint `json:"uniques,omitempty"` // unique constraints without the primary key
	ForeignKeys []ForeignKey `json:"foreign_keys,omitempty"`
	// Insertable, Updatable, Deletable: by the bits of pg_relation_is_updatable.
	Insertable bool `json:"insertable"`
	Updatable  bool `json:"updatable"`
	Deletable  bool `json:"deletable"`
	// RowEstimate is the planner's number of rows, -1 when unknown.
	RowEstimate float64 `json:"row_estimate"`
	// Unlisted tables may be tracked but aren't offered for it: partitions, and tables in
	// the schemas of extensions.
	Unlisted bool `json:"unlisted,omitempty"`
	// Policies reports whether the database itself decides which rows a session sees (row level security).
	Policies bool `json:"policies,omitempty"`
	// Distribution is how the database spreads the rows over its nodes; nil where it doesn't.
	Distribution *Distribution `json:"distribution,omitempty"`
}

// Placement is where the rows of a table are.
type Placement string

// The placements.
const (
	Local       Placement = "local"       // on one node
	Reference   Placement = "reference"   // on every node
	Distributed Placement = "distributed" // each on one of the nodes
)

// Distribution is how the rows of a table are spread.
type Distribution struct {
	Placement Placement `json:"placement"`
	// Column, of a distributed table, decides where a row is; "" when all rows are together.
	Column string `json:"column,omitempty"`
	// Colocation is the same for tables whose rows with equal values in Column are on one node.
	Colocation string `json:"colocation,omitempty"`
}

// Stored reports whether the rows are what the database has stored, and nothing else: to read them twice at the same
// time gives the same, and does nothing. Views and policies may call any function.
func (t *Table) Stored() bool {
	switch t.Kind {
	case KindTable, KindPartitioned, KindMaterializedView:
		return !t.Policies
	}
	return false
}

// Column returns the column of that name, or nil.
func (t *Table) Column(name string) *Column {
	for _, c := range t.Columns {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// Identity is the name of the column that the database counts up by itself, empty for none.
func (t *Table) Identity() string {
	for _, c := range t.Columns {
		if c.Identity != "" {
			return c.Name
		}
	}
	return ""
}

// Column is one column of a table or view.
type Column struct {
	Name     string  `json:"name"`
	ID       string  `json:"id,omitempty"` // unique in the table
	Type     Type    `json:"type"`
	Nullable bool    `json:"nullable"`
	Default  bool    `json:"default,omitempty"` // has a default expression
	Comment  *string `json:"comment,omitempty"`
	// Identity is "" | "always" | "by_default"; Generated is GENERATED ALWAYS AS (...) STORED.
	Identity  string `json:"identity,omitempty"`
	Generated bool   `json:"generated,omitempty"`
}

// Mutable reports whether the column can be written: neither an ALWAYS identity nor generated.
func (c *Column) Mutable() bool { return c.Identity != "always" && !c.Generated }

// Is reports whether c and other are one column of a table at two times.
func (c *Column) Is(other *Column) bool {
	if c.ID != "" && other.ID != "" {
		return c.ID == other.ID
	}
	return c.Name == other.Name
}

// TypeKind is the kind of a type.
type TypeKind string

// The kinds of types.
const (
	TypeBase      TypeKind = "base"
	TypeEnum      TypeKind = "enum"
	TypeComposite TypeKind = "composite"
	TypeRange     TypeKind = "range"
	TypePseudo    TypeKind = "pseudo"
)

// Type is the type of a column or argument. A domain is resolved: Name, ID and Kind are
// those of its base type, Domain is its own name.
type Type struct {
	// Name is the catalog name without schema: int4, text, timestamptz, geometry. For an
	// array it is the name of the element type, and Dims is at least 1.
	Name   string   `json:"name"`
	Schema string   `json:"schema,omitempty"` // omitted for pg_catalog
	ID     string   `json:"id,omitempty"`     // of the element type for an array
	Kind   TypeKind `json:"kind,omitempty"`   // of the element type for an array; omitted for base
	Dims   int      `json:"dims,omitempty"`   // 1 for an array; PostgreSQL doesn't keep the number
	Domain *Name    `json:"domain,omitempty"`
	// ElementDomain is the domain of the elements of an array: such an array is of another type
	// than one of the base type, and the two do not compare.
	ElementDomain *Name `json:"element_domain,omitempty"`
	// Labels of an enum type, in order.
	Labels []string `json:"labels,omitempty"`
	// Collation is that of a column of texts, where it isn't the database's and values have to be given it.
	Collation string `json:"collation,omitempty"`
	// Length bounds the texts of a column, in bytes; 0 for no bound that matters.
	Length int `json:"length,omitempty"`
}

// IsArray reports whether the type is an array.
func (t Type) IsArray() bool { return t.Dims > 0 }

// Constraint is a primary key, a unique constraint or a unique index.
type Constraint struct {
	Name    string   `json:"name"`
	ID      string   `json:"id,omitempty"`
	Columns []string `json:"columns"`
	// Index marks a unique index that stands for no constraint: a conflict with it is
	// answered by its columns, not by its name.
	Index bool `json:"index,omitempty"`
	// Deferrable reports whether it may be checked at the end of a transaction: no conflict with it can be answered.
	Deferrable bool `json:"deferrable,omitempty"`
}

// ForeignKey is one foreign key of a table.
type ForeignKey struct {
	Name    string   `json:"name"`
	ID      string   `json:"id,omitempty"`
	Target  Name     `json:"target"`
	Columns []string `json:"columns"`
	// TargetColumns are the referenced columns, in the order of Columns.
	TargetColumns []string `json:"target_columns"`
}

// Volatility of a function.
type Volatility string

// The volatilities.
const (
	Immutable Volatility = "IMMUTABLE"
	Stable    Volatility = "STABLE"
	Volatile  Volatility = "VOLATILE"
)

// Function is one function, one overload.
type Function struct {
	Name       Name       `json:"name"`
	ID         string     `json:"id,omitempty"`
	Comment    *string    `json:"comment,omitempty"`
	Volatility Volatility `json:"volatility"`
	Variadic   bool       `json:"variadic,omitempty"`
	ReturnsSet bool       `json:"returns_set,omitempty"`
	Return     Type       `json:"return"`
	// ReturnTable is the table whose row type is returned, nil for none.
	ReturnTable *Name `json:"return_table,omitempty"`
	// Columns are those of the rows that are returned, where the function declares them itself.
	Columns []*Column  `json:"columns,omitempty"`
	Args    []Argument `json:"args,omitempty"` // input arguments
	// Defaults is how many of the last arguments have a default.
	Defaults int `json:"defaults,omitempty"`
}

// Is reports whether f and other are one function at two times.
func (f *Function) Is(other *Function) bool {
	if f.ID != "" && other.ID != "" {
		return f.ID == other.ID
	}
	return f.Name == other.Name && slices.EqualFunc(f.Args, other.Args, func(a, b Argument) bool {
		return reflect.DeepEqual(a.Type, b.Type)
	})
}

// Argument is one input argument; Name may be empty.
type Argument struct {
	Name string `json:"name,omitempty"`
	Type Type   `json:"type"`
	// Table is the table whose row type the argument has, nil for none.
	Table *Name `json:"table,omitempty"`
}

// EnumValue is one row of an enum table.
type EnumValue struct {
	Value   string `json:"value"`
	Comment string `json:"comment,omitempty"`
}

// NamedTypes are the element types of all columns and arguments that aren't built in, by
// their name and by their name with the schema.
func (s *Source) NamedTypes() map[string]Type {
	types := map[string]Type{}
	add := func(t Type) {
		if t.Schema != "" {
			t.Dims, t.Domain, t.ElementDomain = 0, nil, nil
			types[t.Name], types[t.Schema+"."+t.Name] = t, t
		}
	}
	for _, t := range s.Tables {
		for _, c := range t.Columns {
			add(c.Type)
		}
	}
	for _, overloads := range s.Functions {
		for _, f := range overloads {
			for _, a := range f.Args {
				add(a.Type)
			}
		}
	}
	return types
}
