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
	// Watch sees to it that changes of the relations are told from now on, and gives the names
	// under which they are. It may be repeated. The error is ErrUnwatchable when one of the
	// relations can't be watched.
	Watch(ctx context.Context, relations []catalog.Name) (ids []string, err error)
	// Listen calls ready once it has begun to listen, and changed for whatever changes after
	// that, until ctx ends or the connection is lost. Both are called on its goroutine.
	Listen(ctx context.Context, ready func(), changed func(Change)) error
}

// RowChanges are Changes that tell of the rows, too.
type RowChanges interface {
	Changes
	// WatchColumn is Watch for one table. From now on its changes tell of the values of a column, if told is
	// true.
	WatchColumn(ctx context.Context, table catalog.Name, column string) (ids []string, told bool, err error)
}

// Change is a change of a table.
type Change struct {
	// ID is the table's.
	ID string
	// Values are the texts of all values that the changed rows have had in columns, before and after the
	// change, except NULL. Of a column that isn't in it they aren't known.
	Values map[string][]string
	// Since is when the first of the transactions was committed that are told together, by the clock of the
	// database; zero where it isn't known.
	Since time.Time
}
