package backend

import (
	"context"
	"errors"
	"time"

	"queryengine/pkg/catalog"
)

// ErrUnwatchable reports that a relation's changes cannot be observed, so it must be polled.
var ErrUnwatchable = errors.New("the changes of a relation can't be watched")

// ChangeSource is a Source that can tell which of its tables change.
type ChangeSource interface {
	// Changes is nil when the source is not configured to tell.
	Changes() Changes
}

// LogSource is a Source whose own log tells which of its tables change.
type LogSource interface {
	// ChangeLog is nil when the source is not configured for it. Of all processes that read with the
	// same name one does; the others get ErrRead.
	ChangeLog(name string) Changes
}

// ErrRead reports that another process reads the log of a source.
var ErrRead = errors.New("the log is read by another process")

// Changes notifies of changes in a source's tables. Safe for concurrent use.
type Changes interface {
	// Watch sees to it that changes of the relations are reported from now on, and gives the names
	// under which they are. It may be repeated. The error is ErrUnwatchable when one of the
	// relations can't be watched.
	Watch(ctx context.Context, relations []catalog.Name) (ids []string, err error)
	// Listen calls ready once it has begun to listen, and changed for whatever changes after
	// that, until ctx ends or the connection is lost. Both are called on its goroutine.
	Listen(ctx context.Context, ready func(), changed func(Change)) error
}

// RowChanges are Changes that report the rows, too.
type RowChanges interface {
	Changes
	// WatchRows is Watch for one table. From now on its changes report the rows, with these columns and others that
	// another watcher needs. known describes those of the columns that the table has in its log; it is empty for a view.
	WatchRows(ctx context.Context, table catalog.Name, columns RowColumns) (ids []string, known []ToldColumn, err error)
}

// GuardedChanges are Changes that may end listening when a table that is watched is altered, or isn't told any more.
type GuardedChanges interface {
	Changes
	// Guarded reports whether they do: then a change of a table that goes untold is noticed.
	Guarded() bool
}

// RowColumns are columns of a table.
type RowColumns struct {
	// Told are the columns whose values are reported.
	Told []string
	// Compared are the columns for which is reported whether an update has kept their values.
	Compared []string
}

// ToldColumn is a column whose values are reported.
type ToldColumn struct {
	Name string
	// Type is the ID of its type, as in catalog.Type; that of a domain is its own. When the type changes the values
	// aren't known any more.
	Type string
	// Collation is how its texts compare.
	Collation Collation
	// Key is how many columns the primary key has, if this is one of them.
	Key int
}

// Collation is how texts of a column compare.
type Collation uint8

const (
	// CollationUnknown is for texts that may be equal when their bytes differ.
	CollationUnknown Collation = iota
	// CollationDeterministic texts are equal only if their bytes are. It is also that of other types.
	CollationDeterministic
	// CollationBytes texts are in the order of their bytes, too.
	CollationBytes
)

// Change is a change of a table.
type Change struct {
	// ID is the table's.
	ID string
	// Rows are the changed rows, in the order in which they did; nil when they aren't known, and any may have.
	Rows *ChangedRows
	// Position is where in the log the last of the transactions was committed that are reported together, and Committed
	// when, by the clock of the database; zero where it isn't known. All statements that begin now see it. A transaction
	// with a smaller position may be reported later, when its commit waits for a standby server.
	Position  uint64
	Committed time.Time
	// Since is when the first of the transactions was committed.
	Since time.Time
}

// ChangedRows are changed rows of a table. They are shared and must not be changed.
type ChangedRows struct {
	// Columns are the names of the columns whose values are reported.
	Columns []string
	Rows    []ChangedRow
}

// ChangedRow is a change of a row.
type ChangedRow struct {
	// Old is what the row was, in the order of the columns; nil if it was inserted. New is what it has become; nil if it
	// was deleted.
	Old, New []Cell
	// Transaction is the number of the transaction, as a Snapshot knows it; 0 where it isn't known.
	Transaction uint64
}

// Cell is a value of a changed row. The zero value is NULL.
type Cell struct {
	State CellState
	// Text is the value as the database writes it, with ISO dates, in UTC.
	Text string
}

// CellState is what is known of a Cell.
type CellState uint8

// The states of cells.
const (
	CellNull CellState = iota
	CellText
	// CellUnknown is for what isn't in the log, for large values, and for columns that are only compared.
	CellUnknown
	// CellKept is for a value of a new row that isn't told and is what it was in the old one.
	CellKept
)
