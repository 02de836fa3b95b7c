package doctor

import (
	"slices"
	"time"

	"queryengine/pkg/catalog"
)

// Facts are what a kind finds in one database.
type Facts struct {
	Server    Server      `json:"server"`
	Tables    []*Table    `json:"tables"`
	Functions []*Function `json:"functions"`
	// EventLog is nil where no event trigger has been installed.
	EventLog *EventLog `json:"event_log,omitempty"`
	// Remedies are statements where those of PostgreSQL aren't understood.
	Remedies Remedies `json:"-"`
}

// Remedies are statements of a kind of databases; nil ones are PostgreSQL's.
type Remedies struct {
	// CreateIndex makes an index; the columns are quoted.
	CreateIndex func(t *Table, columns string) string
	// AddKey says how a table gets a primary key.
	AddKey func(t *Table) string
}

// Server is what concerns the whole database.
type Server struct {
	// Identity is equal for databases of the same server.
	Identity string `json:"identity"`
	Version  string `json:"version"`
	// Outdated is why the version is too old for sources, "" when it isn't.
	Outdated string `json:"outdated"`
	User     string `json:"user"`
	// Roles are those of the database server.
	Roles map[string]Role `json:"roles"`
	// ReadOnly reports whether nothing can be written: a standby, or transactions that only read by default.
	ReadOnly bool `json:"read_only"`
	// MaxConnections is how many connections such users may have, 0 when it is unknown.
	MaxConnections int `json:"max_connections"`
	// StatementTimeout ends statements of the engine's user, in milliseconds; 0 for never.
	StatementTimeout int `json:"statement_timeout"`
	// Clock is the time of the database, in seconds since 1970.
	Clock float64 `json:"clock"`
	// Ahead is how far the clock of the database is ahead of this computer's, at least: the time that the
	// question took is in its favour. Examiners set it.
	Ahead time.Duration `json:"-"`
	// Pooled reports whether a pooler is known to be between.
	Pooled bool `json:"-"`
	// EventTriggers is why event triggers can't be installed, "" when they can; Remedy is a statement.
	EventTriggers       string `json:"event_triggers"`
	EventTriggersRemedy string `json:"event_triggers_remedy"`
}

// Role is a role of the database server.
type Role struct {
	// Granted reports whether the engine's user can take it.
	Granted bool `json:"granted"`
	// Exempt reports whether policies don't apply to it.
	Exempt bool `json:"exempt"`
}

// Table is a table or view, as far as the engine's user may see it.
type Table struct {
	catalog.Table
	// Rights of the engine's user.
	Usage   bool `json:"may_use"` // of the schema
	Select  bool `json:"may_select"`
	Insert  bool `json:"may_insert"`
	Update  bool `json:"may_update"`
	Delete  bool `json:"may_delete"`
	Trigger bool `json:"may_trigger"`
	// RowSecurity reports whether policies of the database hide rows from the engine's user.
	RowSecurity bool        `json:"row_security"`
	Indexes     []*Index    `json:"indexes"`
	Sequences   []*Sequence `json:"sequences"`
	// Identifier is the name as statements spell it.
	Identifier string `json:"identifier"`
}

// Index is an index of a table.
type Index struct {
	Name string `json:"name"`
	// Columns are the leading columns; an expression ends them.
	Columns []string `json:"columns"`
	Unique  bool     `json:"unique"`
	Valid   bool     `json:"valid"`
	// Partial indexes are of some rows, those with Expressions not of columns alone.
	Partial     bool `json:"partial"`
	Expressions bool `json:"expressions"`
	// Deferrable reports whether the constraint of the index may be checked at the end of a transaction.
	Deferrable bool   `json:"deferrable"`
	Identifier string `json:"identifier"`
}

// Sequence gives the values of a column.
type Sequence struct {
	Column string `json:"column"`
	// Last is the last value that was given out, nil when none was or it can't be seen.
	Last *int64 `json:"last"`
	// Limit is the greatest value that the sequence and the column can have.
	Limit int64 `json:"limit"`
	// Highest is the greatest value in the column, nil when it wasn't asked for.
	Highest *int64 `json:"highest,omitempty"`
	// Usable reports whether the engine's user may draw values.
	Usable     bool   `json:"usable"`
	Identifier string `json:"identifier"`
}

// Function is a function with the right to call it.
type Function struct {
	Name       catalog.Name `json:"name"`
	Identifier string       `json:"identifier"` // with the types of the arguments
	Execute    bool         `json:"may_execute"`
}

// EventLog is the log of the events of a source.
type EventLog struct {
	Rows  int64 `json:"rows"`
	Bytes int64 `json:"bytes"`
	// OldestDone and OldestOpen are the ages in seconds of the oldest event that is delivered (or given up)
	// and of the oldest that isn't; 0 for none.
	OldestDone float64 `json:"oldest_done"`
	OldestOpen float64 `json:"oldest_open"`
}

func (f *Facts) table(name catalog.Name) *Table {
	for _, t := range f.Tables {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// index returns an index that finds rows by some of the columns, nil when there is none.
func (t *Table) index(columns []string) *Index {
	for _, i := range t.Indexes {
		if i.Valid && !i.Partial && len(i.Columns) > 0 && slices.Contains(columns, i.Columns[0]) {
			return i
		}
	}
	return nil
}

// stored reports whether rows are kept, so that there could be an index.
func (t *Table) stored() bool {
	switch t.Kind {
	case catalog.KindTable, catalog.KindPartitioned, catalog.KindMaterializedView:
		return true
	}
	return false
}

// smallTable is the number of rows up to which a scan is as good as an index.
const smallTable = 1000

// small reports whether the table is known to have few rows.
func (t *Table) small() bool { return t.RowEstimate >= 0 && t.RowEstimate <= smallTable }
