package backend

import (
	"context"
	"log/slog"
	"time"

	"queryengine/pkg/catalog"
	"queryengine/pkg/ir"
	"queryengine/pkg/session"
)

// ChangePublisher is a Source whose log gives the changes of tables as a role sees them.
type ChangePublisher interface {
	// PublishChanges stores the rows of tables as they are, then each change of them, until ctx ends. Of all
	// processes that call it with the same name one does; the others get ErrRead. After another error it is to
	// be called again.
	PublishChanges(ctx context.Context, p Publication, sink ChangeSink, on ChangeProgress) error
	// DropPublishedChanges removes what publishing has left in the database. The error is ErrRead while a
	// process publishes.
	DropPublishedChanges(ctx context.Context, name string, on ChangeProgress) error
	// PublicationName is the name of a publication in the database: of the installation, as several may use
	// the server, the source, and the user's name of it.
	PublicationName(installation, source, name string) string
}

// Publication is what is published.
type Publication struct {
	// Name is that of ChangePublisher.PublicationName.
	Name   string
	Tables []PublishedTable
	// Session has the session variables that the conditions may ask for.
	Session *session.Session
}

// PublishedTable is a table, and what is published of it. Conditions are about a single row.
type PublishedTable struct {
	Name catalog.Name
	// Key are the columns of the primary key.
	Key []ir.Column
	// Filter is the condition of rows, nil for all.
	Filter  ir.BoolExp
	Columns []PublishedColumn
}

// PublishedColumn is a column that is published.
type PublishedColumn struct {
	ir.Column
	// Value is what is published of it: the column, or what is shown instead of hidden values.
	Value ir.Expr
}

// ChangeOp is what a ChangeMessage tells.
type ChangeOp string

// The operations.
const (
	// ChangeBegin begins with the rows as they are: all that was known is void.
	ChangeBegin ChangeOp = "begin"
	// ChangeRow is a row as it was when that began.
	ChangeRow ChangeOp = "row"
	// ChangeReady ends the rows; changes follow. Until then a reader's state may mix several times.
	ChangeReady    ChangeOp = "ready"
	ChangeInsert   ChangeOp = "insert"
	ChangeUpdate   ChangeOp = "update"
	ChangeDelete   ChangeOp = "delete"
	ChangeTruncate ChangeOp = "truncate"
)

// ChangeMessage is a change, or part of the beginning.
type ChangeMessage struct {
	Op ChangeOp
	// Table is empty in ChangeBegin and ChangeReady.
	Table catalog.Name
	// Key, Old and New are JSON objects. Old is that of an update or a delete, New that of an insert, an
	// update or a row.
	Key, Old, New []byte
	Place         ChangePlace
	// Commit and XID are the time by the database's clock and the number of the transaction; zero for
	// what isn't a change.
	Commit time.Time
	XID    uint32
}

// ChangePlace is where a message is. Places of an epoch are in the order of the messages.
type ChangePlace struct {
	// Epoch names all that follows one ChangeBegin; empty for no place.
	Epoch string `json:"epoch,omitempty"`
	// Table is the index of the table of a ChangeRow, and After the texts of its key. Both are unset before the
	// first row.
	Table int      `json:"table,omitempty"`
	After []string `json:"after,omitempty"`
	// Ready reports whether the rows are all there, with ChangeReady.
	Ready bool `json:"ready,omitempty"`
	// Timeline is the history of the log that the place is of, and Rows an end of the log that rows, which are later than the beginning of
	// what follows them, may reach to. Both may be unknown, as 0.
	Timeline uint32 `json:"timeline,omitempty"`
	Rows     uint64 `json:"rows,omitempty"`
	// Partitions names the partitions that tables had; empty where none has any.
	Partitions string `json:"partitions,omitempty"`
	// LSN is the place of the commit of a change in the log, and Index its number in the transaction; zero before
	// the first one.
	LSN   uint64 `json:"lsn,omitempty"`
	Index int64  `json:"index,omitempty"`
}

// Covers reports whether a change was stored when a place of the same epoch was the last one.
func (p ChangePlace) Covers(lsn uint64, index int64) bool {
	return lsn < p.LSN || lsn == p.LSN && index <= p.Index
}

// ChangeSink stores messages.
type ChangeSink interface {
	// Place is that of the last message that is stored, the zero ChangePlace for none.
	Place(ctx context.Context) (ChangePlace, error)
	// Store stores messages that follow the last one, in their order, and returns when they are safe. After an
	// error any number of them may be stored, from the first one on.
	Store(ctx context.Context, messages []ChangeMessage) error
}

// ChangeProgress hears of what is published.
type ChangeProgress struct {
	Logger *slog.Logger
	// Began is called when the log is read, Stored when messages are stored, with the time since the commit of
	// the last one; zero for rows.
	Began  func()
	Stored func(messages int, lag time.Duration)
}
