package catalog

// Details are the columns, constraints, indexes and triggers of a table with their definitions, for people to
// read. They are no part of a Source: nothing is planned by them, and they are read when a client asks.
type Details struct {
	Columns     []ColumnDefinition `json:"columns"`
	Constraints []Definition       `json:"constraints"`
	Indexes     []Index            `json:"indexes"`
	Triggers    []Trigger          `json:"triggers"`
	// Rows is how many rows the statistics of the database say there are; nil where there are none.
	Rows *int64 `json:"estimated_rows,omitempty"`
	// Missing is what could not be read, and why; "" for nothing.
	Missing string `json:"missing,omitempty"`
}

// ColumnDefinition is a column as its database defines it.
type ColumnDefinition struct {
	Name string `json:"name"`
	// Type is that of the database with its modifiers: character varying(20).
	Type     string `json:"type"`
	Nullable bool   `json:"nullable"`
	// Default and Generated are expressions in the language of the database, "" for none.
	Default   string `json:"default,omitempty"`
	Generated string `json:"generated,omitempty"`
	// Identity is "" | "always" | "by_default".
	Identity string `json:"identity,omitempty"`
	// Values are those that the type lists: the labels of a native enum.
	Values  []string `json:"values,omitempty"`
	Comment *string  `json:"description,omitempty"`
}

// Trigger is what the database does when rows of a table change.
type Trigger struct {
	Name     string `json:"name"`
	Disabled bool   `json:"disabled,omitempty"`
	Text     string `json:"definition,omitempty"`
}

// ConstraintType is what a constraint demands.
type ConstraintType string

// The types of constraints.
const (
	PrimaryKey       ConstraintType = "primary_key"
	UniqueConstraint ConstraintType = "unique"
	ForeignKeyOf     ConstraintType = "foreign_key"
	Check            ConstraintType = "check"
	Exclusion        ConstraintType = "exclusion"
)

// Definition is a constraint as its database defines it.
type Definition struct {
	Name    string         `json:"name"`
	Type    ConstraintType `json:"type"`
	Columns []string       `json:"columns,omitempty"`
	// Text is the definition in the language of the database, "" where it isn't known.
	Text string `json:"definition,omitempty"`
	// Target and TargetColumns are what a foreign key refers to.
	Target        *Name    `json:"foreign_table,omitempty"`
	TargetColumns []string `json:"foreign_columns,omitempty"`
}

// Index is an index of a table.
type Index struct {
	Name string `json:"name"`
	// Method is how the database finds rows by it: btree, gin, clustered.
	Method string `json:"method,omitempty"`
	// Columns are names of columns, and expressions, in the order of the index.
	Columns []string `json:"columns"`
	// Include are columns that are stored with it.
	Include []string `json:"include,omitempty"`
	Unique  bool     `json:"unique"`
	// Where is the condition of the rows that are in a partial index, "" for all.
	Where string `json:"where,omitempty"`
	// Invalid indexes are not used by queries.
	Invalid bool   `json:"invalid,omitempty"`
	Text    string `json:"definition,omitempty"`
}
